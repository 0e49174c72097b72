"""Byte order for keys on PostgreSQL, so that pages come in one order on both databases (decisions 6)."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation

__all__ = ["CollateKeys"]


class CollateKeys(Operation):
    """Gives the named columns the collation ``C``. SQLite compares bytes already, so nothing happens there.

    ``columns`` are (table, column, type) with the type as PostgreSQL writes it. Indexes on the columns are made
    again by the database itself.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, columns: list[tuple[str, str, str]]) -> None:
        self.columns = columns

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Path, positional and keyword arguments, as migrations want them."""
        return self.__class__.__name__, [], {"columns": self.columns}

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Django's model state does not know the collation."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:  # noqa: ARG002 - Django's signature
        """Alter the columns on PostgreSQL."""
        self._alter(schema_editor, 'COLLATE "C"')

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:  # noqa: ARG002 - Django's signature
        """Back to the database's own order."""
        self._alter(schema_editor, 'COLLATE "default"')

    def describe(self) -> str:
        """One line for ``migrate``."""
        return "Compare keys by bytes on PostgreSQL"

    def _alter(self, schema_editor: Any, collation: str) -> None:
        if schema_editor.connection.vendor != "postgresql":
            return
        quote = schema_editor.quote_name
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, column, kind in self.columns:
            schema_editor.execute(f"ALTER TABLE {quote(table)} ALTER COLUMN {quote(column)} TYPE {kind} {collation}")
