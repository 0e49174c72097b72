"""One import at a time (decisions 11): ``flock`` on a file on SQLite, a session advisory lock on PostgreSQL."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.utils import Error

from kb.imports.refusals import Refusal

__all__ = ["file_lock", "import_lock", "index_lock"]

_ADVISORY = 0x6B62_696D  # "kbim"


def _me() -> str:
    return f"process {os.getpid()} on {socket.gethostname()} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"


@contextmanager
def import_lock() -> Iterator[None]:
    """Holds the lock while the block runs. Raises ``Refusal`` ``locked`` that names the holder when it is taken.

    The lock goes with the process, or with the database connection, so that a killed import leaves none behind.
    """
    with index_lock(), _advisory_lock():
        yield


@contextmanager
def index_lock() -> Iterator[None]:
    """The half of :func:`import_lock` that keeps others from the files of this data directory: enough for a node that
    makes indexes of its own and leaves the database as it is. Raises ``Refusal`` ``locked``.
    """
    with file_lock("import.lock", "another import is running"):
        yield


@contextmanager
def file_lock(name: str, taken: str) -> Iterator[None]:
    """Holds the lock of this data directory that has this name. Raises ``Refusal`` ``locked``: what ``taken`` says, and
    who has it. It goes with the process, so that a killed one leaves none behind.
    """
    path = Path(settings.KB_DATA_DIR) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise Refusal("locked", "", f"{taken}: {file.read(300).strip()}") from error
        file.seek(0)
        file.truncate()
        file.write(_me() + "\n")
        file.flush()
        yield


@contextmanager
def _advisory_lock() -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ADVISORY])
        if not cursor.fetchone()[0]:
            cursor.execute(
                "SELECT application_name, client_addr::text, pid FROM pg_stat_activity WHERE pid ="
                " (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND granted LIMIT 1)",
                [_ADVISORY],
            )
            holder = cursor.fetchone()
            shown = f"database session {holder[2]} from {holder[1] or 'a local socket'}" if holder else "another node"
            raise Refusal("locked", "", f"another import is running: {shown}")
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:
            with suppress(Error), connection.cursor() as cursor:  # a session that is lost has lost the lock, too
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_ADVISORY])
