"""One consistent view of the catalog for everything that a request reads (decisions 10)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

from django.db import connection
from django.db.utils import Error

from kb.catalog.answers import CatalogView

__all__ = ["snapshot", "state"]

_EMPTY = CatalogView(revision=0, version="", records=0, repositories=0, families=0, datasets=0)
_NAMES = tuple(field.name for field in fields(CatalogView))
_STATE = f"SELECT {', '.join(_NAMES)} FROM catalog_catalogstate WHERE id = 1"  # noqa: S608  our own words
_open = threading.local()


def state() -> CatalogView:
    """The current state of the catalog; revision 0 before the first import. One query, none inside :func:`snapshot`."""
    inside: CatalogView | None = getattr(_open, "view", None)
    return inside if inside is not None else _read()


@contextmanager
def snapshot() -> Iterator[CatalogView]:
    """Everything read inside sees one revision; yields the state that was read first.

    A plain deferred ``BEGIN`` on SQLite, since Django's own transactions take the write lock there; a read-only
    REPEATABLE READ on PostgreSQL. Inside another snapshot or transaction it opens none of its own.
    """
    outer: CatalogView | None = getattr(_open, "view", None)
    if outer is not None:
        yield outer
        return
    began = _begin()
    try:
        _open.view = _read()
        yield _open.view
    finally:
        _open.view = None
        if began:
            _end()


def _read() -> CatalogView:
    with connection.cursor() as cursor:
        cursor.execute(_STATE)  # not by the model: it is read for every request, and Django would make it anew
        values = cursor.fetchone()
    return CatalogView(**dict(zip(_NAMES, values, strict=True))) if values else _EMPTY


def _begin() -> bool:
    connection.ensure_connection()
    if connection.in_atomic_block:
        return False
    statement = "BEGIN" if connection.vendor == "sqlite" else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    with connection.wrap_database_errors:  # the driver's own are no errors of Django
        connection.connection.execute(statement)
    return True


def _end() -> None:
    """Ends the transaction, if the connection is still there to end it on; one that was lost is let go."""
    if connection.connection is not None and not getattr(connection.connection, "closed", False):
        try:
            with connection.wrap_database_errors:
                connection.connection.execute("ROLLBACK")
        except Error:
            connection.close()
