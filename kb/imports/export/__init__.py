"""From the catalog to files that an import reads: the inverse of the rest of this room.

Files in dependency order:

- ``options``: what the caller may choose, and what it is told
- ``targets``: which form a name asks for, and how a finished export is put in its place
- ``packing``: streams that are counted, hashed and compressed, to the same bytes each time; arrays
- ``shards``: the search index of a layout, in small files
- ``sinks``: where the files of a layout go: a directory, a tar archive, a zip archive
- ``contents``: the documents of what is shown, or of one dataset
- ``lines``: the records as JSON Lines
- ``layout``: the published layout
- ``running``: one export from beginning to end
- ``served``: the layouts of the last revisions, as a server finds them
- ``serving``: makes the layout of the current revision for the server
"""
