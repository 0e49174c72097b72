"""Records from installed packages: their source is read, never imported or run. Pure Python.

Files, each importing only from those above it:

``facts``       what is known of a module: raise sites, guards, classes, functions
``packages``      a distribution: where it comes from, and its modules
``provenance``    ids, slugs, permalinks
``conditions``    a condition in words
``guards_in_words`` when a statement is reached, in words
``advice``        a guard's negation as an instruction
``families``      type, severity, family and tags by rule
``lineage``       what a package's names stand for, ancestors of its exceptions, what can be imported
``reach``         the public functions that lead to a place
``handling``      a ``try`` that catches an error
``sentences``     the texts of a record
``patterns``      a message template as a pattern
``gate``          what a record must be before it leaves
``records``       from the facts of a package to records
``skipping``      which files are left out by rule, and why
``metadata``      what a distribution's metadata says of it
``subjects``      what is to be harvested: an origin and its files
``environments``  the distributions that are installed in an environment
``sources``       a directory of sources, and Python's own library
``crew``          work on all cores
``cache``         what earlier harvests found, on disk
"""
