"""The Model Context Protocol: one table of tools, asked over HTTP and over standard input and output.

Files, each importing only from those above it:

- ``budget`` how many tokens an answer takes, and the largest answer that fits
- ``framing`` text of others: cleaned, cut, framed as data, and marked when it speaks to its reader
- ``arguments`` what the tools take, as types; reading it, and what is said of wrong arguments
- ``answers`` what the tools answer, as types
- ``call`` what a tool gets beside its arguments, and what it gives back
- ``shaping`` records in the words of the answers
- ``readable`` the answers as text
- ``explain`` the tool ``explain_error``
- ``find`` the tool ``search_errors``
- ``get`` the tool ``get_error``
- ``lists`` the tools ``list_repositories`` and ``what_changed``
- ``tools`` the table of tools, and the server that has them
- ``view`` the server at ``/mcp``
- ``stdio`` the server for a pair of pipes
"""
