"""What of a queued or running import is kept in files: its upload, progress and log, and the wish to cancel it.

While SQLite's one writing transaction runs nothing else can be written there (decisions 11), so all that changes
meanwhile is in the folder ``spool/jobs/<id>`` of the data directory. A folder belongs to one node: its worker runs the
jobs whose folders it has.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings

from kb.imports.progress import Meter
from kb.imports.refusals import Canceled
from kb.records.text import clean_text, one_line

__all__ = ["JobFolder", "JobProgress", "LogEntry", "all_folders", "file_name"]

_OFTEN = 0.5  # seconds between two looks at the wish to cancel, and two writings of the progress
_LONGEST = 2_000  # characters of a line of the log
_MOST_LINES = 5_000  # of a log: a job has a few dozen
_NAME_LENGTH = 100


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a log; ``number`` counts from 1."""

    number: int
    at: str
    text: str


@dataclass(frozen=True)
class JobFolder:
    """The folder of one job, whether or not it is there."""

    id: UUID

    @property
    def path(self) -> Path:
        """Where it is."""
        return _root() / str(self.id)

    def make(self) -> None:
        """Makes the folder. Raises ``OSError``."""
        self.path.mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        """Whether this node has it."""
        return self.path.is_dir()

    def upload(self, name: str) -> Path:
        """The file that an upload goes to; ``name`` is the client's."""
        return self.path / "upload" / file_name(name)

    def drop_upload(self) -> None:
        """Removes what was uploaded."""
        shutil.rmtree(self.path / "upload", ignore_errors=True)

    def remove(self) -> None:
        """Removes the folder."""
        shutil.rmtree(self.path, ignore_errors=True)

    def ask_to_cancel(self) -> None:
        """Leaves the wish to cancel for the worker. Raises ``OSError``."""
        (self.path / "cancel").touch()

    def is_cancel_asked(self) -> bool:
        """Whether somebody wishes to cancel."""
        return (self.path / "cancel").exists()

    def write(self, kind: str, content: Mapping[str, Any]) -> None:
        """Replaces the file ``progress`` or ``outcome`` at once. Raises ``OSError``."""
        self.make()
        new = self.path / f".{kind}.new"
        new.write_bytes(msgspec.json.encode(content))
        new.replace(self.path / f"{kind}.json")

    def read(self, kind: str) -> dict[str, Any]:
        """What :meth:`write` wrote last; empty when nothing can be read."""
        try:
            found = json.loads((self.path / f"{kind}.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def log(self, text: str) -> None:
        """Adds a line to the log, with the time. A full disk costs the line, nothing else."""
        line = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "text": one_line(clean_text(text)[0], _LONGEST)}
        with suppress(OSError):
            self.make()
            with (self.path / "log.jsonl").open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")

    def entries(self, *, after: int = 0, limit: int = 500) -> list[LogEntry]:
        """At most ``limit`` lines of the log after line ``after``."""
        return [entry for entry in self._entries() if entry.number > after][:limit]

    def _entries(self) -> Iterator[LogEntry]:
        try:
            with (self.path / "log.jsonl").open("rb") as file:
                for number, line in enumerate(file, 1):
                    if number > _MOST_LINES or not line.endswith(b"\n"):
                        return
                    with suppress(ValueError, KeyError, TypeError):
                        found = json.loads(line)
                        yield LogEntry(number=number, at=str(found["at"]), text=str(found["text"]))
        except OSError:
            return


class JobProgress:
    """Writes the progress of a job into its folder, and ends the import when somebody wishes so."""

    def __init__(self, folder: JobFolder) -> None:
        self._folder = folder
        self._meter = Meter()
        self._last = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        """A line of the log. Raises ``Canceled``."""
        self._meter.begin(name, total)
        self._folder.log(f"{name} ({total:,})" if total else name)
        self._tell()

    def advance(self, count: int) -> None:
        """Raises ``Canceled``."""
        self._meter.advance(count)
        if monotonic() - self._last >= _OFTEN:
            self._tell()

    def close(self) -> None:
        """The last state stays."""

    def _tell(self) -> None:
        self._last = monotonic()
        with suppress(OSError):  # what is shown meanwhile is not worth an import
            self._folder.write("progress", self._meter.read().as_json())
        if self._folder.is_cancel_asked():
            raise Canceled


def all_folders() -> Iterator[JobFolder]:
    """The folders that this node has."""
    try:
        names = [path.name for path in _root().iterdir()]
    except OSError:
        return
    for name in sorted(names):
        with suppress(ValueError):
            yield JobFolder(UUID(name))


def file_name(name: str) -> str:
    """A harmless file name that still says what the client called the file, so that its endings tell its shape."""
    last = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", last).lstrip(".-")
    return plain[-_NAME_LENGTH:].lstrip(".-") or "upload"


def _root() -> Path:
    return Path(settings.KB_DATA_DIR) / "spool" / "jobs"
