"""The views: each guards, makes its reads, and says what to show. A file a subject, none imports another.

``home``              the front page
``searching``         the search page
``recognizing``       what the paste box tells while somebody types
``records``           a record at its address, as JSON and as Markdown
``history``           what changed in a record
``short``             the permanent link, for ids and codes
``repository_lists``  the list of repositories
``repositories``      the records of one
``term_lists``        the lists of families, codes, classes and tags
``terms``             the records of one
``releases``          imports, their reports and what they rejected
``changes``           what revisions changed, by release and repository, and the feed
``quality``           the work list of maintainers
``site``              status and about
``machines``          what programs read: robots, llms.txt, the schema, OpenSearch
``sitemaps``          every address, for crawlers
``staff``             imports as they run, for staff
``publisher``         the publisher's addresses, redirected to ours
"""
