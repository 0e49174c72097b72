"""Streams that are counted and hashed as they are written, arrays that are written as they come, and compression that
gives the same bytes each time.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Any, Literal, Protocol

import zstandard

__all__ = ["ArrayWriter", "CountingWriter", "Packing", "Writer", "copy_stream", "packed"]

Packing = Literal["", "gzip", "zstd"]
_CHUNK = 1024 * 1024
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 6


class Writer(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> Any:
        """Takes ``data``."""


class CountingWriter:
    """Passes bytes on and knows how many they were and what their SHA-256 is."""

    def __init__(self, stream: Writer) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """Passes ``data`` on."""
        self._stream.write(data)
        self._digest.update(data)
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back here."""

    @property
    def sha256(self) -> str:
        """The digest of what was written until now, in hexadecimal."""
        return self._digest.hexdigest()


@contextmanager
def packed(stream: CountingWriter, packing: Packing) -> Iterator[Writer]:
    """What is written to the result goes to ``stream``, compressed. No name and no time gets into it."""
    if not packing:
        yield stream
        return
    with _compressor(stream, packing) as compressor:
        yield compressor


def _compressor(stream: Any, packing: Packing) -> AbstractContextManager[Writer]:
    if packing == "gzip":
        return gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=stream, mtime=0)
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).stream_writer(stream, closefd=False)


def copy_stream(source: IO[bytes], target: Writer) -> None:
    """Copies ``source``, from its beginning, to ``target``."""
    source.seek(0)
    while chunk := source.read(_CHUNK):
        target.write(chunk)


class ArrayWriter:
    """A JSON array that is written as its elements come, one on a line."""

    def __init__(self, stream: Writer | Any, *, before: bytes = b"", after: bytes = b"") -> None:
        self._stream = stream
        self._after = after
        self.count = 0
        stream.write(before + b"[")

    def add(self, element: bytes) -> None:
        """One more element."""
        self._stream.write((b",\n" if self.count else b"\n") + element)
        self.count += 1

    def close(self) -> None:
        """Nothing more comes."""
        self._stream.write((b"\n]" if self.count else b"]") + self._after + b"\n")
