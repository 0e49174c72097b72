"""Records from installed packages: their source is read, never imported or run. Pure Python.

Files, each importing only from those above it:

``facts``       what is known of a module: raise sites, guards, classes, functions
``packages``      a distribution: where it comes from, and its modules
``skipping``      which files are left out by rule, and why
``metadata``      what a distribution's metadata says of it
``subjects``      what is to be harvested: an origin and its files
``environments``  the distributions that are installed in an environment
``sources``       a directory of sources, and Python's own library
``crew``          work on all cores
``cache``         what earlier harvests found, on disk
"""
