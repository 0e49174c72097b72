"""Whether the database is ready for this version of the program."""

from __future__ import annotations

import pkgutil
from importlib.util import find_spec
from pathlib import Path

from django.apps import apps
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

__all__ = ["database_problem", "unreachable"]


def database_problem() -> str:
    """What keeps a command from using the database, with what helps, on one line; empty when it is ready."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite" and name.startswith("/") and not Path(name).exists():  # asking would make the file
        return f"There is no catalog at {name}. Set KB_DATA_DIR, or make one here: faultbook migrate"
    try:
        if MigrationRecorder(connection).applied_migrations().keys() >= _names_of_migrations():
            return ""
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return unreachable(error)
    if missing:
        return f"The database is not ready: {len(missing)} migrations are missing. Run: faultbook migrate"
    return ""


def _names_of_migrations() -> set[tuple[str, str]]:
    """All migrations there are, by application and name, without loading them: each command of ours asks."""
    found = set()
    for label in (application.label for application in apps.get_app_configs()):
        package, _ = MigrationLoader.migrations_module(label)
        spec = find_spec(package) if package else None
        places = spec.submodule_search_locations if spec else None
        found |= {(label, entry.name) for entry in pkgutil.iter_modules(places or []) if entry.name[0] not in "_~"}
    return found


def unreachable(error: DatabaseError) -> str:
    """What to tell of a database that does not answer, on one line, with its place and without its password."""
    place = connection.settings_dict
    where = f"{place['NAME']} on {place['HOST']}" if place["HOST"] else str(place["NAME"])
    return f"The database {where} cannot be used: {' '.join(str(error).split())}"
