"""Faultbook inside other programs: the pytest plugin and the exception hook. Both are off until somebody turns them on.

They run in the process of a stranger's program, so they import no Django: a server is asked over HTTP, the catalog here
by a process of its own. What goes wrong here is told in one line and never changes what the program does.

Files, in dependency order; a file imports only from those above it:

``instance``         a Faultbook instance, asked over HTTP; standard library alone
``finds``            what is told of a record: its message, its first fix, its link
``catalog_program``  the program that asks the catalog here
``asking``           texts in, finds out: from a server or from that program
``excepthook``       adds the find to an uncaught exception of a script or a notebook
``pytest_report``    adds finds to the failures of a test run
``pytest_plugin``    its options, all that a run without them loads
"""
