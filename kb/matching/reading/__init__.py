"""A pasted text into clean lines that know where they came from; secrets. Pure.

Files, each importing only from those above it:

- ``folding`` the form in which texts are compared
- ``drafts`` a line while it is being cleaned
- ``breaks`` a text into lines, whatever ends them
- ``ansi`` terminal control sequences, real and printed
- ``entities`` HTML entities
- ``markdown`` quote marks, fences, back-quotes, tags
- ``boxes`` borders drawn with box characters
- ``tool_marks`` the marks of npm, yarn and pytest
- ``times`` times and levels as logs print them
- ``log_fields`` the fields between a time and its message
- ``prefixes`` prefixes of log lines that show by themselves
- ``block_prefixes`` prefixes that their repetition shows
- ``quoted`` strings with escapes, and where their characters stand
- ``json_errors`` which strings of a JSON value say what went wrong
- ``structured`` log lines that are data
- ``document`` reading a text
- ``secret_tokens`` secrets that show by themselves
- ``secret_values`` secrets that the name before them tells
- ``secrets`` a text without its secrets
"""
