"""One file, or standard input: records in one of the documented shapes, or an archive of a published layout."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from kb.imports.refusals import Refusal
from kb.imports.sources.archives import LOOKED_AT, archive_kind, open_archive
from kb.imports.sources.documents import Preparation, SourceItem
from kb.imports.sources.layout import LayoutSource
from kb.imports.sources.shapes import RecordShapes
from kb.imports.sources.streams import ByteStream, HashingReader, open_file, shown_name, wrap_stream

__all__ = ["FileSource"]

_LINE_ENDINGS = (".jsonl", ".ndjson")


class FileSource:
    """A file, or standard input when the path is ``-``.

    Records add and update, and nothing is known to be gone; an archive of a layout is complete. Which of them it is the
    first bytes tell. ``name`` is what it is called where that is not the path.
    """

    def __init__(self, path: str, *, spool: Path, name: str = "") -> None:
        self._path = path
        self._spool = spool
        self._lines = (name or path).removesuffix(".gz").removesuffix(".zst").endswith(_LINE_ENDINGS)
        self._found: LayoutSource | RecordShapes | None = None
        self._whole: tuple[int, str] | None = None
        self._in_place: tuple[int, str] | None = None
        self.name = "standard input" if path == "-" else shown_name(name or path)
        self.complete = self._is_regular() and self._looks_like_archive()

    @property
    def version(self) -> str:
        """What the records or the manifest have named so far."""
        return self._found.version if self._found else ""

    @property
    def expected(self) -> int | None:
        """What the manifest says."""
        return self._found.expected if isinstance(self._found, LayoutSource) else None

    @property
    def notices(self) -> list[str]:
        """Those of the layout."""
        return self._found.notices if isinstance(self._found, LayoutSource) else []

    def unchanged(self, remembered: Mapping[str, Any]) -> bool:
        """Whether a regular file has the bytes that were read."""
        said = remembered.get("sha256")
        if remembered.get("kind") != "file" or not isinstance(said, str) or not self._is_regular():
            return False
        if Path(self._path).stat().st_size != remembered.get("bytes"):
            return False
        with open_file(Path(self._path), self.name) as file:
            return HashingReader(file).finish()[1] == said

    def prepare(self, progress: Preparation) -> None:
        """Nothing: the file is here."""

    def read(self) -> Iterator[SourceItem]:
        """The records, each with the line or the element it stands in, or the layout. Raises ``Refusal``."""
        self._whole = None
        if not self._is_regular():
            with self._open() as file:
                yield from self._stream(wrap_stream(file, self.name), None)
            return
        with self._open() as file:
            hashing = HashingReader(file)
            yield from self._stream(wrap_stream(hashing, self.name), file)
            self._whole = self._in_place or hashing.finish()

    def memory(self) -> dict[str, Any]:
        """The hash of what was read; nothing for a pipe."""
        if self._whole is None:
            return {}
        size, digest = self._whole
        return {"kind": "file", "bytes": size, "sha256": digest}

    def close(self) -> None:
        """Nothing is left open."""

    # -- opening ---------------------------------------------------------------------------------------------------

    def _stream(self, stream: ByteStream, file: BinaryIO | None) -> Iterator[SourceItem]:
        self.complete = bool(archive_kind(stream.peek(LOOKED_AT)))
        if not self.complete:
            shapes = self._found = RecordShapes(self.name, lines=self._lines)
            yield from shapes.read(stream)
            return
        self._in_place = None
        if file is not None and not stream.is_packed:
            file.seek(0)
            self._in_place = HashingReader(file).finish()  # before it is read: a change meanwhile is then seen later
        with open_archive(stream, file=file if self._in_place else None, spool=self._spool) as tree:
            layout = self._found = LayoutSource(tree)
            yield from layout.read()

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if self._path != "-":
            with open_file(Path(self._path), self.name) as file:
                yield file
        elif sys.stdin is None:  # so Python says that the caller closed it
            raise Refusal("unreadable", self.name, "standard input is closed")
        else:
            yield sys.stdin.buffer

    def _is_regular(self) -> bool:
        return self._path != "-" and Path(self._path).is_file()

    def _looks_like_archive(self) -> bool:
        try:
            with open_file(Path(self._path), self.name) as file:
                return bool(archive_kind(wrap_stream(file, self.name).peek(LOOKED_AT)))
        except Refusal:  # reading says it
            return False
