"""The contract: one error record as a frozen value, its rules, and the way in and out of JSON. Pure Python.

Files, each importing only from those above it:

``text``        storable text, folding for comparison, one-line excerpts
``keys``        URL keys of codes and classes
``timestamps``  ISO 8601 in UTC
``languages``   the language of a file
``functions``   the function around a line of a snippet
``messages``    placeholders of a message
``record``      the record
``problems``    problems as values, and the table of their codes
``rules``       the rules of every field as tables
``jsonvalues``  JSON of any shape, made storable
``mapping``     the careful way in, which names every broken rule
``fastpath``    the fast way in, for records without fault
``encode``      the way out
``hashing``     fingerprints of content
``decode``      the way in: bytes or a mapping → record or problems
``documents``   the other documents of a dataset: repository, article, manifest
``patterns``    what a message pattern is worth
``findings``    quality findings, duplicate keys
``schema``      the JSON Schema, made from the rules
"""
