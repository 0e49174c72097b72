"""Opens files and unpacks gzip and zstd as a stream, within bounds.

Compression is told by the first bytes, not by the name. Both an absolute size and a ratio bound what a file may unpack
to, so that a small file cannot fill the machine.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from kb.imports.refusals import Refusal
from kb.records.text import clean_text

__all__ = [
    "CHUNK",
    "MOST_RATIO",
    "MOST_UNPACKED",
    "RATIO_FROM",
    "ByteStream",
    "HashingReader",
    "Readable",
    "open_file",
    "open_regular",
    "open_stream",
    "shown_name",
    "wrap_stream",
]

CHUNK = 256 * 1024
MOST_UNPACKED = 256 * 1024**3
MOST_RATIO = 400
RATIO_FROM = 64 * 1024**2  # below this a ratio means nothing: small repetitive files pack very well
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_MAGIC = 4
# Four packed bytes can be a block of 128 KiB, and a slice is unpacked as a whole: this much bounds that to some MiB.
_SLICE = 256


def shown_name(name: str | Path) -> str:
    """The name of a file as text that can be stored and printed: bytes that are not UTF-8 become U+FFFD."""
    text = str(name)
    with contextlib.suppress(UnicodeEncodeError):  # then no file can have the name, and the next line cleans it
        text = os.fsencode(text).decode("utf-8", "replace")
    return clean_text(text)[0]


class Readable(Protocol):
    """All that is asked of a file."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, empty at the end."""


class ByteStream:
    """Reads chunks of a source, unpacked, and turns every fault of the file into a :class:`Refusal`."""

    def __init__(self, plain: Readable, packed: _Counted | None, origin: str) -> None:
        self._plain = plain
        self._packed = packed
        self._ahead = b""
        self.origin = origin
        self.bytes_out = 0

    @property
    def is_packed(self) -> bool:
        """Whether the bytes of the file are not those that come out."""
        return self._packed is not None

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes, fewer at the end; the next read gives them again. Raises as :meth:`read` does."""
        while len(self._ahead) < size and (chunk := self._next(size - len(self._ahead))):
            self._ahead += chunk
        return self._ahead[:size]

    def read(self, size: int = CHUNK) -> bytes:
        """At most ``size`` bytes, empty at the end. Raises ``Refusal``: truncated, too_large or vanished."""
        if self._ahead:
            chunk, self._ahead = self._ahead[:size], self._ahead[size:]
            return chunk
        return self._next(size)

    def _next(self, size: int) -> bytes:
        try:
            chunk = self._plain.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile, zstandard.ZstdError) as error:
            message = f"the compressed data is damaged or ends early: {error}"
            raise Refusal("truncated", self.origin, message) from error
        except OSError as error:
            raise Refusal("vanished", self.origin, f"the file cannot be read to its end: {error}") from error
        self.bytes_out += len(chunk)
        self._check_bounds()
        if not chunk and self._packed is not None and self._packed.ends_early():
            raise Refusal("truncated", self.origin, "the compressed data ends early")
        return chunk

    def _check_bounds(self) -> None:
        if self.bytes_out > MOST_UNPACKED:
            raise Refusal("too_large", self.origin, f"unpacks to more than {MOST_UNPACKED:,} bytes")
        packed = self._packed.count if self._packed else 0
        if self._packed and self.bytes_out > RATIO_FROM and self.bytes_out > MOST_RATIO * max(packed, 1):
            raise Refusal("too_large", self.origin, f"unpacks to more than {MOST_RATIO} times its size")

    def read_all(self, most: int) -> bytes:
        """Everything, if it is at most ``most`` bytes. Raises ``Refusal`` ``too_large`` otherwise."""
        parts = []
        while chunk := self.read():
            parts.append(chunk)
            if self.bytes_out > most:
                raise Refusal("too_large", self.origin, f"is larger than {most:,} bytes")
        return b"".join(parts)


class _Counted(io.RawIOBase):
    """Gives the first bytes again that were looked at, then the rest; counts the bytes that a decompressor reads, and
    knows whether a zstd frame was left open.
    """

    def __init__(self, head: bytes, inner: Readable) -> None:
        super().__init__()
        self._head = head
        self._inner = inner
        self.count = 0
        self.zstd: zstandard.ZstdDecompressionObj | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data, self._head = self._head[: len(view)], self._head[len(view) :]
        data = data or self._inner.read(len(view))
        view[: len(data)] = data
        self.count += len(data)
        return len(data)

    def ends_early(self) -> bool:
        """Whether a zstd frame has begun and not ended."""
        return self.zstd is not None and not self.zstd.eof


class _ZstdReader(io.RawIOBase):
    """zstd frames one after the other, told apart from frames that stop early."""

    def __init__(self, packed: _Counted) -> None:
        super().__init__()
        self._packed = packed
        self._ready = b""
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready:
            self._waiting = self._waiting or self._packed.read(16 * 1024)
            if not self._waiting:
                return 0
            if self._packed.zstd is None or self._packed.zstd.eof:
                self._packed.zstd = zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
            data, self._waiting = self._waiting[:_SLICE], self._waiting[_SLICE:]
            self._ready = self._packed.zstd.decompress(data)
            self._waiting = self._packed.zstd.unused_data + self._waiting
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


class HashingReader:
    """Gives the bytes of a file, and knows the hash and the size of all of them at the end."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._hash = hashlib.sha256()
        self._size = 0

    def read(self, size: int, /) -> bytes:
        """As of the file."""
        data = self._raw.read(size)
        self._hash.update(data)
        self._size += len(data)
        return data

    def finish(self) -> tuple[int, str]:
        """Reads what is left; the size and the SHA-256 of the whole file."""
        while self.read(CHUNK):
            pass
        return self._size, self._hash.hexdigest()


def wrap_stream(raw: Readable, origin: str) -> ByteStream:
    """A stream over an open binary file, unpacked if its first bytes say that it is packed. Raises ``Refusal``."""
    head = b""
    try:
        while len(head) < _MAGIC and (more := raw.read(_MAGIC - len(head))):  # a pipe may give one byte at a time
            head += more
    except (OSError, ValueError) as error:
        raise Refusal("unreadable", origin, f"cannot be read: {error}") from error
    packed = _Counted(head, raw)
    buffered = io.BufferedReader(packed, CHUNK)
    if head.startswith(_GZIP):
        return ByteStream(gzip.GzipFile(fileobj=buffered), packed, origin)
    if head.startswith(_ZSTD):
        return ByteStream(io.BufferedReader(_ZstdReader(packed), CHUNK), packed, origin)
    return ByteStream(buffered, None, origin)


@contextlib.contextmanager
def open_file(path: Path, origin: str) -> Iterator[BinaryIO]:
    """A file as its bytes are, which may be a pipe. Raises ``Refusal``: missing_file or unreadable."""
    with _refusing(origin):
        raw = path.open("rb")
    with raw:
        yield raw


@contextlib.contextmanager
def open_stream(path: Path, origin: str) -> Iterator[ByteStream]:
    """A stream over a file, which may be a pipe. Raises ``Refusal``: missing_file or unreadable."""
    with open_file(path, origin) as raw:
        yield wrap_stream(raw, origin)


@contextlib.contextmanager
def open_regular(path: Path, origin: str) -> Iterator[BinaryIO]:
    """A file of a dataset, as its bytes are. Raises ``Refusal``: missing_file, or unreadable, also for what is no
    regular file: a pipe would be waited for without end.
    """
    with _refusing(origin):
        raw = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # noqa: SIM115, PTH123 - closed below
    with raw:
        if not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
            raise Refusal("unreadable", origin, "is not a regular file")
        yield raw


@contextlib.contextmanager
def _refusing(origin: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise Refusal("missing_file", origin, "there is no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Refusal("unreadable", origin, f"cannot be opened: {reason or error}") from error
