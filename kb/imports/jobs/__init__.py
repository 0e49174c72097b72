"""Datasets that are updated by name, and imports that wait in a queue for a worker.

Files in dependency order:

- ``registered``: registered datasets and their updates
- ``folders``: what of a queued or running import is in files
- ``runs``: runs a queued import
- ``tasks``: the task of the queue
- ``queue``: queues imports and cancels them
- ``worker``: takes what waits, one after the other
"""
