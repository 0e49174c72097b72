"""Many rows at once, the fastest way each database has, inside the caller's transaction.

SQLite takes ``executemany``; PostgreSQL takes COPY into a temporary table and one statement from there. Tables and
columns come from this package's own models, never from data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

__all__ = ["delete_by_key", "drop_indexes", "insert_rows", "restore_indexes", "upsert_rows"]

Rows = Sequence[tuple[Any, ...]]


def insert_rows(table: str, columns: Sequence[str], rows: Rows) -> None:
    """Adds rows that are known to be new."""
    if not rows:
        return
    names = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - own names
            return
        _copy(cursor, f"COPY {table} ({names}) FROM STDIN", rows)


def upsert_rows(
    table: str, columns: Sequence[str], key: Sequence[str], rows: Rows, *, keep: Sequence[str] = ()
) -> None:
    """Adds rows, or replaces those with the same ``key``; columns in ``keep`` stay as they were on a replacement.

    ``key`` must be unique in the table, and no two of the rows may share it.
    """
    if not rows:
        return
    changing = [name for name in columns if name not in key and name not in keep]
    action = (
        "DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in changing) if changing else "DO NOTHING"
    )
    conflict = f"ON CONFLICT ({', '.join(key)}) {action}"
    names = ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks}) {conflict}", rows)  # noqa: S608 - own names
            return
        cursor.execute(f"CREATE TEMPORARY TABLE arriving ON COMMIT DROP AS SELECT {names} FROM {table} WITH NO DATA")  # noqa: S608
        _copy(cursor, f"COPY arriving ({names}) FROM STDIN", rows)
        cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM arriving {conflict}")  # noqa: S608
        cursor.execute("DROP TABLE arriving")


def delete_by_key(table: str, column: str, keys: Sequence[str], *, extra: str = "", params: Sequence[Any] = ()) -> None:
    """Deletes the rows whose ``column`` is one of ``keys`` and that meet ``extra``, a condition of ours."""
    if not keys:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            statement = f"DELETE FROM {table} WHERE {column} = %s {extra}"  # noqa: S608 - own names
            cursor.executemany(statement, [(key, *params) for key in keys])
        else:
            cursor.execute(f"DELETE FROM {table} WHERE {column} = ANY(%s) {extra}", [list(keys), *params])  # noqa: S608


def _copy(cursor: Any, statement: str, rows: Rows) -> None:
    """COPY of these rows. Raises Django's errors: its cursors wrap those of the driver in what they know, and this is
    not among it.
    """
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def drop_indexes(tables: Sequence[str]) -> list[str]:
    """Drops the indexes of these tables that are not part of the table, and says how to make them again.

    Only on SQLite: making an index of many rows at once takes a fraction of the work of filing them one by one, and its
    readers keep the indexes of the snapshot that they see. PostgreSQL would keep them waiting until the commit.
    """
    if connection.vendor != "sqlite":
        return []
    marks = ", ".join(["%s"] * len(tables))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name IN ({marks})"  # noqa: S608 - marks
            " AND sql IS NOT NULL ORDER BY name",
            tables,
        )
        found = cursor.fetchall()
        for name, _ in found:
            cursor.execute(f"DROP INDEX {connection.ops.quote_name(name)}")
    return [sql for _, sql in found]


def restore_indexes(statements: Sequence[str]) -> None:
    """Makes the indexes that :func:`drop_indexes` dropped."""
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
