"""Opens anything that holds a dataset, within bounds: files, archives, directories, addresses.

Files in dependency order:

- ``streams``: opens and unpacks a file within bounds
- ``splitter``: cuts a JSON array, or JSON values in a row, into elements without holding them all
- ``documents``: what a source yields: raw records, repositories, articles, faults
- ``shapes``: records from a stream: an envelope, a record, an array, JSON Lines
- ``spool``: files of the spool without a name
- ``trees``: where the files of a layout lie, and which paths are safe
- ``tarfiles``, ``zipfiles``, ``archives``: a layout in an archive, read without extracting by name
- ``listings``: the manifest of a layout and the list of its repositories
- ``layout``: the published layout, wherever its files lie
- ``files``: one file or standard input: records, or an archive
- ``addresses``: which addresses may be asked, and where they lead
- ``connections``: HTTP requests that end
- ``downloads``: files from an address, so that a later run can go on
- ``mirror``: the files of a layout from an address
- ``remote``: a dataset behind an address
- ``opening``: which kind of source a name is
"""
