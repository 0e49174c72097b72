"""The store: the only models and migrations, every read, and the one writer.

Files in dependency order:

- ``answers``: what reads answer, plain frozen values
- ``work_answers``: the same about datasets, keys and queued imports
- ``fields``: JSON that comes back as it was written
- ``collation``: byte order for keys on PostgreSQL, for migrations
- ``backfill``: what a migration fills in, for migrations
- ``models``: the tables, a package of files by subject
- ``cursors``: where a list goes on
- ``rows``: between rows and values
- ``fetching``: whole records, by statements made once
- ``snapshots``: one consistent view for a request
- ``record_queries``, ``match_queries``, ``list_queries``, ``term_queries``, ``release_queries``: the reads, by subject
- ``dataset_queries``, ``job_queries``: registered datasets and queued imports
- ``keys``: keys of clients that may write
- ``queries``: the door to all of them
- ``bulk``: many rows at once
- ``contents``: a record's JSON, compressed
- ``counts``: counts and groups kept by each publication
- ``finding_counts``: quality findings as rows and counts
- ``touched``: what a publication must count again
- ``holdings``: copies of records by dataset
- ``registry``: datasets and releases as imports keep them
- ``registrations``: where a dataset is read from, and its rank
- ``jobs``: queued imports as the queue keeps them
- ``tally``: what a publication did
- ``undo``: what a publication overwrites, for a rollback
- ``descriptions``: what a dataset says besides its records
- ``publish``: the only writer of records, for the import pipeline alone
- ``maintenance``: statistics and log after a large change
- ``retention``: what old releases leave behind, and when it goes
- ``admin``: the tables to look at, for staff
"""
