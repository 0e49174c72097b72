"""The import that runs on this node, for those who watch: how far it is, in a file of the spool.

Every import with a progress that goes through :class:`WatchedProgress` shows up, whoever started it. A file and no
table, since SQLite cannot be written meanwhile (decisions 11).
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from django.conf import settings

from kb.imports.progress import Meter, ProgressReporter

__all__ = ["WatchedProgress", "running_import"]

_OFTEN = 1.0  # seconds between two writings


class WatchedProgress:
    """Tells another reporter, and writes the same for those who watch."""

    def __init__(self, inner: ProgressReporter, *, what: str) -> None:
        """``what`` says in a few words what runs."""
        self._inner = inner
        self._meter = Meter()
        self._last = 0.0
        self._began = False  # another import has the lock until the first phase
        self._about = {
            "what": what,
            "process": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def phase(self, name: str, total: int | None = None) -> None:
        """Passes it on. Raises what the other reporter raises."""
        self._meter.begin(name, total)
        self._write()
        self._inner.phase(name, total)

    def advance(self, count: int) -> None:
        """Passes it on. Raises what the other reporter raises."""
        self._meter.advance(count)
        if monotonic() - self._last >= _OFTEN:
            self._write()
        self._inner.advance(count)

    def close(self) -> None:
        """Passes it on; nothing runs any more."""
        if self._began:
            with suppress(OSError):
                _path().unlink(missing_ok=True)
        self._inner.close()

    def _write(self) -> None:
        self._last, self._began = monotonic(), True
        with suppress(OSError):  # what is shown meanwhile is not worth an import
            path = _path()
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".running-{os.getpid()}.new")
            new.write_bytes(msgspec.json.encode({**self._about, **self._meter.read().as_json()}))
            new.replace(path)


def running_import() -> dict[str, Any]:
    """What runs on this node and how far it is; empty when nothing does, or what wrote it was killed."""
    try:
        found = dict(json.loads(_path().read_bytes()))
        return found if found["host"] != socket.gethostname() or _lives(int(found["process"])) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:  # it does, under another user
        return True
    except ProcessLookupError:
        return False
    return True


def _path() -> Path:
    return Path(settings.KB_DATA_DIR) / "spool" / "running.json"
