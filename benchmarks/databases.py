"""Fresh places to import into: a data directory, and a database of its own in SQLite or on the PostgreSQL server."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from benchmarks.measuring import ROOT, measure, program, tree_cpu_seconds

__all__ = ["Place", "ServerClock", "database_kinds", "place"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """One installation: its data directory, the address of its database, and the environment of its programs."""

    kind: str  # sqlite or postgresql
    directory: Path
    address: str

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that works here; nothing of the caller's own installation is left in it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        return {
            **kept,
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "kb.settings",
            "KB_DATA_DIR": str(self.directory),
            "KB_DATABASE_URL": self.address,
            "KB_RATE_LIMIT": "0",
            "KB_LOG_LEVEL": "WARNING",
        }

    @property
    def size(self) -> float:
        """MiB of the database."""
        if self.kind == "sqlite":
            return sum(path.stat().st_size for path in self.directory.glob("catalog.sqlite3*")) / 1024**2
        with psycopg.connect(self.address) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return row[0] / 1024**2 if row else 0.0


def database_kinds() -> list[str]:
    """SQLite, and PostgreSQL when ``KB_DATABASE_URL`` names a server."""
    return ["sqlite", *(["postgresql"] if _server() else [])]


def _server() -> str:
    address = os.environ.get("KB_DATABASE_URL", "")
    return address if address.startswith("postgres") else ""


@contextmanager
def place(kind: str, directory: Path, *, keep: bool = False) -> Iterator[Place]:
    """A new, migrated installation in ``directory``; its database on a server is dropped afterwards unless kept."""
    directory.mkdir(parents=True, exist_ok=True)
    if kind == "sqlite":
        made = Place(kind=kind, directory=directory, address=f"sqlite:///{directory / 'catalog.sqlite3'}")
        measure(program("kb.cli.program", "migrate", "--verbosity", "0"), environment=made.environment)
        yield made
        return
    name = f"faultbook_bench_{secrets.token_hex(4)}"
    _on_server(f"CREATE DATABASE {name}")
    try:
        made = Place(kind=kind, directory=directory, address=_named(name))
        measure(program("kb.cli.program", "migrate", "--verbosity", "0"), environment=made.environment)
        yield made
    finally:
        if not keep:
            _on_server(f"DROP DATABASE {name} WITH (FORCE)")


def _named(name: str) -> str:
    return urlunsplit(urlsplit(_server())._replace(path=f"/{name}"))


def _on_server(statement: str) -> None:
    with psycopg.connect(_server(), autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[arg-type]  # our own words


class ServerClock:
    """The CPU time of the PostgreSQL server, when it runs on this machine and can be asked for; else 0.

    All of its processes count, so nothing else should use the server meanwhile.
    """

    def __init__(self, kind: str) -> None:
        self._process = _postmaster() if kind == "postgresql" else None

    def read(self) -> float:
        """CPU seconds until now."""
        return tree_cpu_seconds(self._process) if self._process else 0.0


def _postmaster() -> int | None:
    with psycopg.connect(_server()) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    try:
        return int((Path(row[0]) / "postmaster.pid").read_text().split()[0]) if row else None
    except OSError:  # on another machine, or not ours to read
        return None
