"""The patterns and facts of a revision, memory-mapped, and finding every pattern that fits a text.

Files, each importing only from those above it:

- ``segments`` a pattern as literal segments with gaps, or as a regular expression of RE2; pure
- ``packing`` arrays of numbers in as few bytes as they need; pure
- ``grams`` substrings of eight or four bytes as numbers: choosing them for patterns, looking them up in a text
- ``strict`` whether a pattern fits a text as its regular expression would; pure
- ``wide`` whether it fits in comparison form, as a whole or by a long beginning; pure
- ``strings`` sorted tables of strings
- ``files`` the arrays of an index in one file, with the manifest that vouches for them
- ``tables`` facts of records as columns
- ``patterns`` the distinct patterns with their anchors
- ``build`` an index from nothing, or from another one and a change
- ``beside`` building one in a process of its own
- ``match_index`` an open index: finding and looking up
- ``open`` open indexes, shared by the threads of a process
- ``inspection`` an index against the records it was made of
- ``revisions`` preparing, publishing, checking and removing indexes
"""
