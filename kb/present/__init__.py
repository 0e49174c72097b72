"""One rendering of a record for every interface: HTML, Markdown and plain text. Pure functions of frozen data.

Nothing here asks the database. Everything that comes from a dataset is hostile until it went through this package:
HTML comes out as ``SafeString``, Markdown and plain text with nothing in them that a reader could not see.

Files, in dependency order; a file imports only from those above it:

``links``            the table of URL paths, and which foreign addresses may become links
``invisible``        control, bidirectional and zero-width characters made visible
``language``         the language of the site, and English for programs
``numbers``          numbers for people, grouped
``dates``            dates for people, absolute and relative
``embedded_json``    JSON inside an HTML page
``message``          error messages with their placeholders marked
``code_lexers``      language name → Pygments lexer
``code``             code blocks with true line numbers
``trend_lines``      a row of numbers as a small line
``charts``           numbers as bars, strips and lines in steps
``markdown_parser``  Markdown text → tokens, with bounded work; the plain excerpt
``markdown``         Markdown → safe HTML
``markdown_source``  Markdown → harmless Markdown, for answers that are Markdown themselves
``cache``            rendered parts on disk, bounded and disposable
``wording``          the words for facts, dates and findings that all renderings share
``change_words``       the words for changes and revisions
``diff_runs``        what two texts have in common
``diffs``            what changed in a record, field by field
``diff_html``        the same as HTML
``record_parts``     the expensive parts of a record's page, cached by content
``record_page``      a record, ready to print as HTML
``structured_data``  what a page is about, for crawlers
``record_markdown``  a record and lists of records as complete Markdown
``record_card``      the same in short, as plain text for terminals
``captures``              what a pasted text gave a record's placeholders, and where its advice names them
``explanation_parts``     the parts of a report on a pasted text
``explanation``           an explanation as a report: what stands where, in which words
``explanation_markdown``  the report as Markdown
``explanation_words``     the words of the report's page, in the language of the site
``explanation_marks``     the pasted text with its parts that matter marked
``explanation_cards``     the record of an error in the report, as HTML
``explanation_page``      the report, ready to print as HTML
``workflow_commands``     annotations of GitHub Actions
``scan_words``       the words for what a scan of logs found
``scan_tools``       the same as JSON, SARIF and annotations
``scan_html``        the same as a page that stands alone
"""
