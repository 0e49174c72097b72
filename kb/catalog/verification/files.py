"""The database's own check of its file. PostgreSQL has checksums of its own, which say so when a page is read."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection

from kb.catalog.fetching import fetch_rows
from kb.catalog.verification.faults import Fault, Scope

__all__ = ["check_file"]

_MOST = 20


def check_file(scope: Scope) -> Iterator[Fault]:
    """SQLite's ``quick_check`` of every page, and references to rows that are not there."""
    if connection.vendor != "sqlite":
        return
    for (told,) in fetch_rows(f"PRAGMA quick_check({_MOST})", ()):
        if told != "ok":
            yield scope.fault("file", "SQLite", f"{told}; restore the database from a backup", curable=False)
    for table, row, parent, _ in fetch_rows("PRAGMA foreign_key_check", ())[:_MOST]:
        message = f"it refers to a row of {parent} that is not there"
        yield scope.fault("file", f"{table} {row}", message, curable=False)
