"""The store: the only models and migrations, every read, and the one writer.

Files in dependency order:

- ``answers``: what reads answer, plain frozen values
- ``history_answers``: the same about changes and revisions
- ``search_answers``: what the search index holds of a record
- ``work_answers``: the same about datasets, keys and queued imports
- ``fields``: JSON that comes back as it was written
- ``collation``: byte order for keys on PostgreSQL, for migrations
- ``backfill``: what a migration fills in, for migrations
- ``models``: the tables, a package of files by subject
- ``cursors``: where a list goes on
- ``keysets``: lists in several orders
- ``columns``: a record as the columns of a row (pure)
- ``rows``: between rows and values
- ``fetching``: whole records, by statements made once
- ``held``: what a dataset holds, all of it
- ``contents``: a record's JSON, compressed
- ``prepared``: a record ready to be written (pure)
- ``snapshots``: one consistent view for a request
- ``match_rows``: a row as what the match index holds
- ``record_queries``, ``match_queries``, ``search_queries``, ``list_queries``: reads of records
- ``term_queries``, ``release_queries``: reads of what is round them
- ``export_queries``: what exports read
- ``dataset_queries``, ``job_queries``: registered datasets and queued imports
- ``keys``: keys of clients that may write
- ``change_queries``, ``revision_queries``, ``replay``: the feed of changes, and what made them
- ``quality_queries``: findings by kind and repository
- ``queries``: the door to all of them
- ``bulk``: many rows at once
- ``counts``: counts and groups kept by each publication
- ``term_counts``: the same by what changed
- ``finding_counts``: quality findings as rows and counts
- ``touched``: what a publication must count again
- ``holdings``: copies of records by dataset
- ``registry``: datasets and releases as imports keep them
- ``registrations``: where a dataset is read from, and its rank
- ``jobs``: queued imports as the queue keeps them
- ``tally``: what a publication did
- ``shown``: the rows of records as readers see them
- ``undo``: what a publication overwrites, for a rollback
- ``descriptions``: what a dataset says besides its records
- ``renames``, ``successors``: what took the place of what was retired
- ``publish``: the only writer of records, for the import pipeline alone
- ``maintenance``: statistics and log after a large change
- ``retention``: what old releases leave behind, and when it goes
- ``verification``: whether all of this is what it should be, a package of checks
- ``admin``: the tables to look at, for staff
"""
