"""The command line: thin commands that guard, make one call and print the answer.

In the order in which they may import each other:

``server``                the production server, which knows nothing of Django
``readiness``             whether the database is ready
``interruption``          Ctrl-C and SIGTERM as an exception
``terminal``              text for terminals: colors, and nothing that a terminal would obey
``import_reports``        what came of a change of the catalog, for a person
``import_options``        options of the commands that change the catalog
``harvest_import``        from harvested packages to the catalog
``harvest_report``        what a harvest did, for a person
``running``               runs a command and keeps the end of what it wrote
``sites``                 the catalog here or another server, asked by paths
``references``            what a person gives for a record
``looking_up``            from there to the record
``asking_commands``       what commands that ask have in common
``search_text``           what a search found, for a person
``completion``            completion scripts for shells
``explain_input``         the text to explain
``following``             a text that is still being written
``remote_answers``        answers of another server's API as the values they were made from
``explain_sources``       the catalog here, or another server
``explain_text``          an explanation for a person
``explain_github``        an explanation as annotations of GitHub Actions
``scan_logs``             the scan of logs by the catalog here
``scan_text``             what a scan found, for a person
``mcp_relay``             another server's tools for language models
``management/commands/``  one file a command
``program``               the program ``faultbook``
"""
