"""The command line: thin commands that guard, make one call and print the answer.

In the order in which they may import each other:

``server``                the production server, which knows nothing of Django
``readiness``             whether the database is ready
``interruption``          Ctrl-C and SIGTERM as an exception
``management/commands/``  one file a command
``program``               the program ``faultbook``
"""
