"""Whether the store is what it should be, check by check, and the mending of what can be made again.

Every check reads in batches, names what is wrong as a :class:`~kb.catalog.verification.faults.Fault`, and, when its
scope says so, mends it in the caller's transaction. Files in dependency order:

- ``faults``: what a check finds, and how far it goes
- ``batches``: records with all that belongs to them, by ranges of ids
- ``copies``: what datasets hold against what is shown
- ``records``: contents against their hashes, derived columns, and lines of tags and findings
- ``feed``: the last change of each record against the record
- ``counts``: terms, repositories, duplicate groups, tallies and totals against the records
- ``releases``: reports of releases against their changes
- ``files``: the database's own check of its file
- ``checks``: the table of all of them
"""
