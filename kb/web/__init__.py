"""The pages: HTML, and what stands beside it for programs. Reads the catalog through ``kb.catalog.queries`` alone.

Files, in dependency order; a file imports only from those above it:

``segments``        the first path segments that are ours
``edge``            what an address may hold
``addresses``       absolute addresses
``representation``  which form of an answer a client asked for
``stylesheet``      the one style sheet, put together from its parts
``build``           what an answer depends on beside the catalog
``pages``           how every page is answered: snapshot, entity tag, rendering, headers
``failures``        answers to requests that cannot be served
``health``          whether this process can serve
``middleware``      probes, the edge, and what requests and answers lose
``paging``          parameters that lists share
``sorting``         tables that sort by link
``course``          the catalog's records over revisions
``standing``        whether this site is fine
``term_kinds``      families, codes, classes and tags: their pages
``search_request``  what the search page was asked
``narrowing``       lists narrowed by parameters of their own page
``overviews``       charts of what the records of a repository or term are like
``nothing_found``   what to offer a search that found nothing
``error_texts``     whether a search is a pasted error
``examples``        errors to try the paste box with
``explain_request`` the text that the explain page was asked about
``recognition``     what a text shows of itself before it is looked up
``highlights``      found records with their words marked
``atom``            feeds
``record_answers``  the page of a record
``views``           the views, a file a subject
``urls``            the table of addresses
``templatetags``    filters and tags of the templates
"""
