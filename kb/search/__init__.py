"""Search: the index of a revision, its query language, facets, corrections and highlights, on tantivy.

Files, each importing only from those above it:

- ``tuning`` every weight, limit and threshold
- ``errors`` what callers can catch
- ``tokens`` text into tokens, the same way for records and queries
- ``identifiers`` the humps of identifiers in many texts at once
- ``schema`` the fields of the index and their analyzers
- ``library`` the one seam to tantivy: opening, creating, its failures as ours
- ``files`` the files of a revision, linked, summed and checked
- ``fields`` the fields of the query language and their values; pure
- ``query`` the query language: text into words, filters and problems; pure
- ``documents`` records as documents of the index
- ``suggestions`` other spellings of a word
- ``build`` an index from nothing, or from another one and a change
- ``facets`` counts over all hits
- ``kept`` dear answers that a process keeps
- ``open`` open indexes, shared by the threads of a process
- ``compose`` a read query into a query of the index
- ``highlights`` marking words in a text
- ``answers`` what a search answers
- ``cursors`` where the next page begins
- ``engine`` the search itself
- ``overview`` what the records of one repository, family, code, class or tag are like
- ``inspection`` an index against the records it was made of
- ``index`` preparing, publishing, checking and removing indexes
"""
