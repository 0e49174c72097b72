"""JSON that comes back as it was written."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import models

__all__ = ["StoredJSON"]


class StoredJSON(models.JSONField):
    """JSON kept as text on both databases.

    PostgreSQL's own type would rewrite numbers (``1e22``, ``-0.0``) and reorder keys, so that a record would not come
    back field for field, and not equally on both databases. Nothing is ever searched inside of these values.
    """

    def db_type(self, connection: Any) -> str:  # noqa: ARG002 - Django's signature
        """Text, whatever the database."""
        return "text"

    def db_check(self, connection: Any) -> None:
        """No constraint: only :mod:`kb.catalog` writes, and it writes JSON."""

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002
        """The value as JSON text."""
        return msgspec.json.encode(value).decode()

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:  # noqa: ARG002 - as above
        """The value of the text."""
        return None if value is None else msgspec.json.decode(value)
