"""Room in the data directory for what a source needs meanwhile."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.imports.refusals import Refusal

__all__ = ["ASKED_EVERY", "require_room", "reserved_folder"]

_FREE = 256 * 1024**2  # what is left free of the disk
ASKED_EVERY = 64 * 1024**2
_STALE = 7 * 24 * 3600.0
_LOCK = "lock"


def require_room(directory: Path, origin: str) -> None:
    """Asked before every :data:`ASKED_EVERY` bytes. Raises ``Refusal`` ``no_space`` when the disk is nearly full."""
    status = os.statvfs(directory)
    if status.f_bavail * status.f_frsize < _FREE + ASKED_EVERY:
        message = "the data directory has too little room for it; free some, or unpack or fetch it elsewhere"
        raise Refusal("no_space", origin, message)


@contextmanager
def reserved_folder(parent: Path, name: str, origin: str) -> Iterator[Path]:
    """A folder of its own that stays when the block ends, so that a later run can go on in it; folders that nobody came
    back to for a week are removed. Raises ``Refusal``: locked when another process is in it, unreadable.
    """
    folder = parent / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("a")
    except OSError as error:
        raise Refusal("unreadable", origin, f"cannot be fetched into the data directory: {error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Refusal("locked", origin, "another process fetches from this address") from error
        os.utime(folder)
        _remove_stale(parent, folder)
        yield folder


def _remove_stale(parent: Path, mine: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):
            if folder != mine and folder.stat().st_mtime < time.time() - _STALE:
                shutil.rmtree(folder)
