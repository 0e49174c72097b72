"""Where the files of a layout go: a directory, a tar archive, a zip archive.

Files come one after the other. Archives hold no time, owner or mode of their own, so that the same files make the same
archive.
"""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from kb.imports.export.packing import CountingWriter

__all__ = ["DirectorySink", "Sink", "TarSink", "ZipSink"]

_MODE = 0o644
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # zip knows none before it
_UNIX = 3


class Sink(Protocol):
    """Takes files by their path in the layout."""

    def file(self, name: str) -> AbstractContextManager[CountingWriter]:
        """A new file, to be written before the next one is asked for. ``name`` is relative, with slashes."""

    def close(self) -> None:
        """Nothing more comes."""


class DirectorySink:
    """A directory that exists."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def file(self, name: str) -> Iterator[CountingWriter]:
        """A new file in the directory."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            yield CountingWriter(file)

    def close(self) -> None:
        """Nothing is open."""


class TarSink:
    """A tar archive, written to a stream that need not be able to seek. Each file waits in ``workspace`` for its size,
    which stands before it in the archive.
    """

    def __init__(self, stream: Any, workspace: Path) -> None:
        self._archive = tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self._workspace = workspace

    @contextmanager
    def file(self, name: str) -> Iterator[CountingWriter]:
        """A new member of the archive."""
        with tempfile.TemporaryFile(dir=self._workspace) as waiting:
            writer = CountingWriter(waiting)
            yield writer
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = writer.size, _MODE, 0
            waiting.seek(0)
            self._archive.addfile(member, waiting)

    def close(self) -> None:
        """Writes the end of the archive."""
        self._archive.close()


class ZipSink:
    """A zip archive in a file that can seek."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file, "w", compression=zipfile.ZIP_DEFLATED, allowZip64=True)

    @contextmanager
    def file(self, name: str) -> Iterator[CountingWriter]:
        """A new member of the archive."""
        member = zipfile.ZipInfo(name, date_time=_FIRST_DAY)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.create_system = _UNIX
        member.external_attr = _MODE << 16
        with self._archive.open(member, "w", force_zip64=True) as stream:
            yield CountingWriter(stream)

    def close(self) -> None:
        """Writes the directory of the archive."""
        self._archive.close()
