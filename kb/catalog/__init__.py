"""The store: the only models and migrations, every read, and the one writer.

Files in dependency order:

- ``answers``: what reads answer, plain frozen values
- ``fields``: JSON that comes back as it was written
- ``collation``: byte order for keys on PostgreSQL, for migrations
- ``backfill``: what a migration fills in, for migrations
- ``models``: the tables, a package of files by subject
- ``cursors``: where a list goes on
- ``rows``: between rows and values
- ``fetching``: whole records, by statements made once
- ``snapshots``: one consistent view for a request
- ``record_queries``, ``match_queries``, ``list_queries``, ``term_queries``, ``release_queries``: the reads, by subject
- ``queries``: the door to all of them
- ``bulk``: many rows at once
- ``contents``: a record's JSON, compressed
- ``counts``: counts and groups kept by each publication
- ``touched``: what a publication must count again
- ``holdings``: copies of records by dataset
- ``registry``: datasets and releases as imports keep them
- ``tally``: what a publication did
- ``descriptions``: what a dataset says besides its records
- ``publish``: the only writer of records, for the import pipeline alone
- ``maintenance``: statistics and log after a large change
- ``admin``: the tables to look at, for staff
"""
