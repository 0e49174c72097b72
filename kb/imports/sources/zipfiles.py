"""Reads zip archives in place: stored and deflated files only, and never more than their list of entries says."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO, cast

from kb.imports.refusals import Refusal
from kb.imports.sources.streams import MOST_RATIO, MOST_UNPACKED, RATIO_FROM
from kb.imports.sources.trees import KeyedTree, Tree, find_root, refuse_collisions, safe_path

__all__ = ["zip_tree"]

_MOST_LISTING = 64 * 1024**2
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)


def zip_tree(file: BinaryIO, origin: str, *, most_entries: int) -> Tree:
    """The layout in a zip archive, a regular file. Raises ``Refusal``: unreadable, too_large, unsafe_path, no_manifest.

    The sizes that the archive's list gives are what is read at most of each entry, so their sum bounds everything.
    """
    try:
        archive = zipfile.ZipFile(cast("BinaryIO", _Bounded(file, origin)))
    except _BROKEN as error:
        raise Refusal("unreadable", origin, f"the archive is damaged: {error}") from error
    entries = archive.infolist()
    if len(entries) > most_entries:
        raise Refusal("too_large", origin, f"the archive holds more than {most_entries:,} files")
    files: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        path = safe_path(entry.orig_filename, origin)
        if entry.orig_filename.endswith("/"):
            continue
        _check(entry, origin)
        if path in files:
            raise Refusal("unsafe_path", origin, f"{path} occurs twice")
        files[path] = entry
    _check_sizes(entries, os.fstat(file.fileno()).st_size, origin)
    refuse_collisions(files, origin)
    return _ZipTree(origin, archive, find_root(files, origin))


def _check(entry: zipfile.ZipInfo, origin: str) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        what = "a symbolic link" if kind == stat.S_IFLNK else "something else than a file"
        message = f"{entry.filename[:200]!r} in the archive is {what}, which a dataset has no use for"
        raise Refusal("unsafe_path", origin, message)
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
        how = "encrypted" if entry.flag_bits & _ENCRYPTED else "packed in a way that is not read; use deflate"
        raise Refusal("unreadable", origin, f"{entry.filename[:200]!r} in the archive is {how}")


def _check_sizes(entries: list[zipfile.ZipInfo], size: int, origin: str) -> None:
    total = sum(entry.file_size for entry in entries)
    if total > MOST_UNPACKED:
        raise Refusal("too_large", origin, f"unpacks to more than {MOST_UNPACKED:,} bytes")
    if total > RATIO_FROM and total > MOST_RATIO * size:
        raise Refusal("too_large", origin, f"unpacks to more than {MOST_RATIO} times its size")


class _ZipTree(KeyedTree):
    def __init__(self, name: str, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> None:
        super().__init__(name, entries)
        self._archive = archive
        self._entries = entries

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """An entry, unpacked as it is read."""
        self.check(path)
        try:
            entry = self._archive.open(self._entries[path])
        except _BROKEN as error:
            raise Refusal("unreadable", self.origin(path), f"the archive is damaged: {error}") from error
        with entry:
            yield io.BufferedReader(_Entry(cast("BinaryIO", entry), self.origin(path)), 64 * 1024)


class _Entry(io.RawIOBase):
    """Turns what the library raises for a damaged entry into a refusal."""

    def __init__(self, entry: BinaryIO, origin: str) -> None:
        super().__init__()
        self._entry = entry
        self._origin = origin

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._entry.read(len(view))
        except _BROKEN as error:
            raise Refusal("truncated", self._origin, f"the archive is damaged here: {error}") from error
        view[: len(data)] = data
        return len(data)


class _Bounded:
    """The file as the library sees it. It reads the whole list of entries at once, however long that says it is."""

    def __init__(self, file: BinaryIO, origin: str) -> None:
        self._file = file
        self._origin = origin

    def read(self, size: int = -1) -> bytes:
        left = os.fstat(self._file.fileno()).st_size - self._file.tell()
        if min(size, left) > _MOST_LISTING or (size < 0 and left > _MOST_LISTING):
            raise Refusal("too_large", self._origin, "the list of the archive's entries is too long")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """The file is closed by who opened it."""
