"""Whether the database is ready for this version of the program."""

from __future__ import annotations

from pathlib import Path

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

__all__ = ["database_problem", "unreachable"]


def database_problem() -> str:
    """What keeps a command from using the database, with what helps, on one line; empty when it is ready."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and name.startswith("/") and not Path(name).exists():  # asking would make the file
        return f"There is no catalog at {name}. Set KB_DATA_DIR, or make one here: faultbook migrate"
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return unreachable(error)
    if missing:
        return f"The database is not ready: {len(missing)} migrations are missing. Run: faultbook migrate"
    return ""


def unreachable(error: DatabaseError) -> str:
    """What to tell of a database that does not answer, on one line, with its place and without its password."""
    place = connection.settings_dict
    where = f"{place['NAME']} on {place['HOST']}" if place["HOST"] else str(place["NAME"])
    return f"The database {where} cannot be used: {' '.join(str(error).split())}"
