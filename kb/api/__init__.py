"""The REST API: version 1, problem documents, its OpenAPI document and reference page.

Files, each importing only from those above it:

- ``links`` absolute addresses
- ``answers`` the shapes of all answers, as types
- ``match_answers`` those of matching
- ``problems`` every error as a problem document
- ``parameters`` query parameters as a table: validated, described
- ``json_body`` the JSON object that a request carries
- ``bodies`` the members of bodies as a table: validated, described
- ``negotiation`` the media type of an answer
- ``caching`` entity tags that are known before the answer is made
- ``throttle`` how many requests a client may make
- ``authorization`` keys of clients
- ``uploads`` a file that a request carries
- ``middleware`` what holds for every answer below ``/api/``
- ``import_answers`` those of imports over HTTP
- ``operations`` what a row of the table of endpoints says
- ``change_answers`` those of changes
- ``change_operations`` its rows for changes
- ``quality_answers`` those of quality
- ``quality_operations`` its rows for quality
- ``match_operations`` its rows for matching
- ``export_operations`` its row for exports
- ``import_operations`` its rows for imports over HTTP
- ``endpoints`` the table of endpoints, from which the rest follows
- ``schema`` the OpenAPI document
- ``view`` what all endpoints do alike
- ``shapes`` catalog values as answers
- ``lists`` pages of lists; repositories and terms
- ``match_shapes`` explanations of texts as answers
- ``match`` texts to the records of their errors
- ``records`` records: a list, one of them, search
- ``imports`` imports over HTTP
- ``export`` records as a stream
- ``releases`` imports and what they rejected
- ``changes`` the feed of changes, and the history of a record
- ``quality`` findings by kind and repository
- ``about`` the root, the document, and addresses that nothing has
- ``urls`` the URL patterns
- ``reference`` the reference page
- ``compat`` the API and the static dataset of err-lookup, a package
"""
