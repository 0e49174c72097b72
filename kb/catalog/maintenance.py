"""What the database needs after a large change: fresh statistics, and a short write-ahead log on SQLite."""

from __future__ import annotations

import logging

from django.db import connection
from django.db.utils import OperationalError

__all__ = ["refresh_statistics", "truncate_log"]

_PATIENCE = 500  # milliseconds to wait for readers of the log
log = logging.getLogger(__name__)
_TABLES = (
    "catalog_record",
    "catalog_recordtag",
    "catalog_holding",
    "catalog_change",
    "catalog_term",
    "catalog_repository",
)


def refresh_statistics() -> None:
    """ANALYZE, after the commit: inside the transaction it would count for nothing. Bounded on SQLite."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA analysis_limit=1000")
            cursor.execute("ANALYZE")
        else:
            for table in _TABLES:
                cursor.execute(f"ANALYZE {table}")


def truncate_log() -> None:
    """Writes SQLite's log back and truncates it. A reader that holds it open only delays that to the next time."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout")
            usual = int(cursor.fetchone()[0])
            cursor.execute(f"PRAGMA busy_timeout={_PATIENCE}")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.fetchall()
            cursor.execute(f"PRAGMA busy_timeout={usual}")
    except OperationalError as error:
        log.info("the write-ahead log stays until the next import: %s", error)
