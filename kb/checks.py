"""Start-up checks: what an operator would otherwise find out from a reader.

Every message has an id and a hint that says what to do. Checks that ask the database carry Django's tag ``database``,
so that they run with ``migrate``, ``serve`` and ``check --database default`` only, and pass on a database without
tables.
"""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "check_base_url",
    "check_connection_pool",
    "check_data_directory",
    "check_debug_host",
    "check_journal",
    "check_search_index",
    "check_secret_key",
]

_LEAST_KEY_LENGTH = 50
_LEAST_KEY_VARIETY = 10


@checks.register(checks.Tags.security)
def check_debug_host(**_options: Any) -> list[checks.CheckMessage]:
    """Debug pages show settings and data of the process: only to this machine."""
    public = [host for host in settings.ALLOWED_HOSTS if not _is_loopback(host)]
    if not settings.DEBUG or not public:
        return []
    return [
        checks.Error(
            f"KB_DEBUG is on while the site answers to {', '.join(public)}.",
            hint="Turn KB_DEBUG off, or keep KB_ALLOWED_HOSTS and KB_BASE_URL to localhost.",
            id="kb.E001",
        )
    ]


@checks.register(checks.Tags.security)
def check_secret_key(**_options: Any) -> list[checks.CheckMessage]:
    """Whoever guesses the key signs in as staff."""
    key = str(settings.SECRET_KEY)
    if settings.DEBUG or (len(key) >= _LEAST_KEY_LENGTH and len(set(key)) >= _LEAST_KEY_VARIETY):
        return []
    return [
        checks.Error(
            f"KB_SECRET_KEY is weak: it has {len(key)} characters, {len(set(key))} of them different.",
            hint=f"Use at least {_LEAST_KEY_LENGTH} random characters, or unset it: then one is made and kept in "
            "KB_DATA_DIR.",
            id="kb.E002",
        )
    ]


@checks.register(checks.Tags.files)
def check_data_directory(**_options: Any) -> list[checks.CheckMessage]:
    """Database, indexes and caches are written below these directories; they may be made on first use."""
    return [
        checks.Error(
            f"{name} is {directory}, where this process cannot write.",
            hint=f"Give the directory to the user that runs Faultbook, or set {name} to another one.",
            id="kb.E003",
        )
        for name, directory in (("KB_DATA_DIR", settings.KB_DATA_DIR), ("KB_INDEX_DIR", settings.KB_INDEX_DIR))
        if not _can_write(directory)
    ]


@checks.register
def check_connection_pool(**_options: Any) -> list[checks.CheckMessage]:
    """Each thread of a server process holds one connection while it answers."""
    pool = connection.settings_dict["OPTIONS"].get("pool")
    size = pool.get("max_size", 0) if isinstance(pool, dict) else settings.KB_THREADS
    if size >= settings.KB_THREADS:
        return []
    return [
        checks.Error(
            f"KB_THREADS is {settings.KB_THREADS}, but the connection pool of a process holds {size}.",
            hint="Lower KB_THREADS, or take the pool's size out of KB_DATABASE_URL.",
            id="kb.E004",
        )
    ]


@checks.register(checks.Tags.security)
def check_base_url(**_options: Any) -> list[checks.CheckMessage]:
    """Staff sign in there, and permanent links are made from it."""
    address = urlsplit(settings.KB_BASE_URL)
    if address.scheme != "http" or _is_loopback(address.hostname or ""):
        return []
    return [
        checks.Warning(
            f"KB_BASE_URL is {settings.KB_BASE_URL}: a public address without encryption.",
            hint="Put a proxy with TLS in front and give its https address; see docs/deployment.md.",
            id="kb.W001",
        )
    ]


@checks.register(checks.Tags.database)
def check_journal(*, databases: Any = None, **_options: Any) -> list[checks.CheckMessage]:
    """In any other mode than WAL readers wait for imports; on network file systems SQLite falls back silently."""
    if not databases or connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        mode = str(cursor.execute("PRAGMA journal_mode").fetchone()[0]).lower()
    if mode == "wal" or connection.is_in_memory_db():  # type: ignore[attr-defined]
        return []
    return [
        checks.Warning(
            f"SQLite keeps its journal in the mode {mode!r} instead of WAL: readers will wait for every import.",
            hint="Keep KB_DATA_DIR on a local disk; network file systems cannot do it. Or use PostgreSQL.",
            id="kb.W002",
        )
    ]


@checks.register(checks.Tags.database)
def check_search_index(*, databases: Any = None, **_options: Any) -> list[checks.CheckMessage]:
    """Without the indexes of the current revision search and explanations answer 503; pages and lists work."""
    if not databases:
        return []
    # Every command registers the checks, and few run this one: what it takes is imported by those.
    from kb.catalog import queries  # noqa: PLC0415
    from kb.matching.index import revisions as match_index  # noqa: PLC0415
    from kb.search import index  # noqa: PLC0415

    try:
        state = queries.state()
    except DatabaseError:  # before the first migration
        return []
    if not state.revision:
        return []
    kinds: tuple[tuple[str, str, ModuleType], ...] = (("search", "kb.W003", index), ("match", "kb.W004", match_index))
    return [
        checks.Warning(
            f"The {kind} index of revision {state.revision} is missing, damaged or of another catalog in"
            f" {settings.KB_INDEX_DIR}.",
            hint="Make it again from the database: faultbook sync_index",
            id=number,
        )
        for kind, number, module in kinds
        if not module.is_usable(state.revision, catalog=state.version)
    ]


def _is_loopback(host: str) -> bool:
    """Whether a host, as ALLOWED_HOSTS writes it, can only be reached from this machine."""
    name = host.strip("[].").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _can_write(directory: Path) -> bool:
    """Whether files can be made in the directory, or the directory itself can be made."""
    path = directory.absolute()
    while not path.exists():
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)
