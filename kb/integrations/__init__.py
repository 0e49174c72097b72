"""Faultbook inside other programs: the pytest plugin and the exception hook. Both are off until somebody turns them on.

They run in the process of a stranger's program, so they load nothing but the standard library there: one program of
their own asks a server over HTTP or the catalog here, untouched by that program's settings, patches and clocks. What
goes wrong is told in one line and never changes what the stranger's program does.

Files, in dependency order; a file imports only from those above it:

``instance``       a Faultbook instance, asked over HTTP; standard library alone
``finds``          what is told of a record: its message, its first fix, its link
``answering``      the program that asks: texts in, finds out
``asking``         runs that program
``excepthook``     adds the find to an uncaught exception of a script or a notebook
``pytest_report``  adds finds to the failures of a test run
``pytest_plugin``  its options, all that a run without them loads
"""
