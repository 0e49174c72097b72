"""Records from installed packages: their source is read, never imported or run. Pure Python.

Files, each importing only from those above it:

``facts``         what is known of a module: raise sites, guards, classes, functions
``blocks``        statements within statements
``placeholders``  what fills the placeholders of a message template
``names``         what the names of a module stand for
``scopes``        what is known at a place: constants, attributes, local variables
``texts``         the texts that an expression can give
``constants``     the texts that a module and its classes assign
``guards``        the blocks around a statement, and the guard that they make
``snippets``      the lines around a statement that are worth showing
``statuses``      HTTP statuses of classes and expressions
``places``        the place of a statement, and the site made of it
``exceptions``    what the call that builds an exception tells
``raising``       sites of ``raise``
``calls``         sites of warnings, logs, checks, exits and parsers
``variables``     what assignments make of local variables
``functions``     the functions of a module and whom they call
``classes``       the classes of a module and their messages
``walking``       the walk that finds a module's sites
``reading``       from one file to its facts
``packages``      a distribution: where it comes from, and its modules
``provenance``    ids, slugs, permalinks
``expressions``   conditions as expressions, source as inline code
``conditions``    a condition in words
``guards_in_words`` when a statement is reached, in words
``advice``        a guard's negation as an instruction
``guard_kinds``   what a guard asks, in one word
``families``      type, severity, family and tags by rule
``lineage``       what a package's names stand for, ancestors of its exceptions, what can be imported
``linking``       what a site lacks because it stands in another module
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
``work``          what other processes do: read files, make records
``running``       a harvest from beginning to end
``dataset``       the published layout, or JSON Lines
"""
