"""A published layout in a tar or zip archive. No file is ever created by the name of an entry.

A plain tar and a zip archive are read in place. What comes packed or through a pipe is unpacked into one file without a
name in the spool, which goes with the process, however that ends.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from kb.imports.refusals import Refusal
from kb.imports.sources.spool import ASKED_EVERY, require_room
from kb.imports.sources.streams import CHUNK, ByteStream
from kb.imports.sources.tarfiles import BLOCK, is_tar, read_members
from kb.imports.sources.trees import Slice, SliceTree, Tree, find_root, refuse_collisions, safe_path
from kb.imports.sources.zipfiles import zip_tree

__all__ = ["LOOKED_AT", "archive_kind", "open_archive"]

LOOKED_AT = BLOCK
MOST_ENTRIES = 500_000
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


def archive_kind(head: bytes) -> str:
    """``tar`` or ``zip`` when the first :data:`LOOKED_AT` bytes are those of one, else an empty text."""
    if head.startswith(_ZIP):
        return "zip"
    return "tar" if is_tar(head) else ""


@contextmanager
def open_archive(stream: ByteStream, *, file: BinaryIO | None, spool: Path) -> Iterator[Tree]:
    """The layout in an archive, of which nothing has been read yet.

    ``file`` is the regular file under the stream where the stream gives its bytes as they are. Raises ``Refusal``:
    unsafe_path, too_large, truncated, unreadable, no_manifest, no_space.
    """
    kind = archive_kind(stream.peek(LOOKED_AT))
    if file is not None:
        file.seek(0)
        yield _read_zip(file, stream.origin) if kind == "zip" else _tar_in_place(file, stream.origin)
        return
    try:
        spool.mkdir(parents=True, exist_ok=True)
        unpacked = tempfile.TemporaryFile(dir=spool)  # noqa: SIM115 - closed below
    except OSError as error:
        raise Refusal("unreadable", stream.origin, f"cannot be unpacked into the data directory: {error}") from error
    with unpacked:
        unpacking = _Unpacking(stream, unpacked, spool)
        if kind == "zip":
            unpacking.copy_all()
            yield _read_zip(unpacked, stream.origin)
        else:
            yield _tar(unpacking, stream.origin)


# --- unpacking --------------------------------------------------------------------------------------------------------


class _Unpacking:
    """Takes a stream apart into one file."""

    def __init__(self, stream: ByteStream, file: BinaryIO, spool: Path) -> None:
        self.file = file
        self._spool = spool
        self._stream = stream
        self._asked = 0
        self.written = 0

    def read(self, size: int) -> bytes:
        """Exactly so many bytes, fewer only at the end."""
        data = self._stream.read(size)
        while len(data) < size and (more := self._stream.read(size - len(data))):
            data += more
        return data

    def skip(self, size: int) -> None:
        """Passes over padding; that an archive ends in its padding is found when the next header is asked for."""
        self.read(size)

    def copy(self, size: int) -> Slice:
        """Writes the next ``size`` bytes to the file."""
        start, left = self.written, size
        while left:
            chunk = self._stream.read(min(CHUNK, left))
            if not chunk:
                raise Refusal("truncated", self._stream.origin, "the archive ends early")
            self._write(chunk)
            left -= len(chunk)
        return Slice(start, size)

    def copy_all(self) -> None:
        """Writes what is left of the stream to the file."""
        while chunk := self._stream.read():
            self._write(chunk)
        self.flush()

    def flush(self) -> None:
        """What was written can be read from the file."""
        self._told(self.file.flush)

    def drain(self) -> None:
        """Reads what follows the end of the archive, so that the whole source has been looked at."""
        while self._stream.read():
            pass

    def _write(self, chunk: bytes) -> None:
        if self.written >= self._asked:
            self._asked = self.written + ASKED_EVERY
            require_room(self._spool, self._stream.origin)
        self._told(lambda: self.file.write(chunk))
        self.written += len(chunk)

    def _told(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError as error:
            message = f"cannot be unpacked into the data directory: {error.strerror}"
            raise Refusal("no_space", self._stream.origin, message) from error


# --- the two kinds ----------------------------------------------------------------------------------------------------


def _read_zip(file: BinaryIO, origin: str) -> Tree:
    return zip_tree(file, origin, most_entries=MOST_ENTRIES)


def _tar(unpacking: _Unpacking, origin: str) -> Tree:
    slices: dict[str, Slice] = {}
    for member in read_members(unpacking.read, unpacking.skip, origin):
        path = safe_path(member.name, origin)
        if not member.name.endswith("/"):
            _keep(slices, path, unpacking.copy(member.size), origin)
    unpacking.drain()
    unpacking.flush()
    return _sliced(unpacking.file, slices, origin)


def _tar_in_place(file: BinaryIO, origin: str) -> Tree:
    slices: dict[str, Slice] = {}
    end = os.fstat(file.fileno()).st_size

    def skip(size: int) -> None:
        file.seek(size, os.SEEK_CUR)

    for member in read_members(file.read, skip, origin):
        path = safe_path(member.name, origin)
        if member.name.endswith("/"):
            continue
        start = file.tell()
        if start + member.size > end:
            raise Refusal("truncated", origin, "the archive ends early")
        _keep(slices, path, Slice(start, member.size), origin)
        skip(member.size)
    return _sliced(file, slices, origin)


def _keep(slices: dict[str, Slice], path: str, part: Slice, origin: str) -> None:
    if path in slices:
        raise Refusal("unsafe_path", origin, f"{path} occurs twice")
    if len(slices) >= MOST_ENTRIES:
        raise Refusal("too_large", origin, f"the archive holds more than {MOST_ENTRIES:,} files")
    slices[path] = part


def _sliced(file: BinaryIO, slices: dict[str, Slice], origin: str) -> Tree:
    refuse_collisions(slices, origin)
    return SliceTree(origin, file, find_root(slices, origin))
