"""Records from installed packages: their source is read, never imported or run. Pure Python.

Files, each importing only from those above it:

``facts``       what is known of a module: raise sites, guards, classes, functions
``packages``    a distribution: where it comes from, and its modules
"""
