"""Whether the catalog and its indexes are what they should be, and the mending of what can be made again.

Files in dependency order:

- ``report``: what a verification found, and the file that keeps it
- ``indexes``: both indexes against the catalog
- ``checks``: the checks in a row, and the mending
"""
