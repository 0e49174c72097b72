"""What clients of err-lookup ask a server for: its static dataset below ``/data/``, and its HTTP API.

Files, each importing only from those above it:

- ``answers``: JSON for scripts of any site, in the shapes of that API
- ``making``: has the static dataset made when it is missing
- ``dataset``: the files of the static dataset
- ``lookup``: a text to the records that it is about, as that API lists them
- ``endpoints``: its endpoints
- ``urls``: its addresses
"""
