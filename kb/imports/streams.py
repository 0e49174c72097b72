"""Opens files and unpacks gzip and zstd as a stream, within bounds.

Compression is told by the first bytes, not by the name. Both an absolute size and a ratio bound what a file may unpack
to, so that a small file cannot fill the machine.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from kb.imports.refusals import Refusal

__all__ = ["CHUNK", "MOST_UNPACKED", "ByteStream", "open_stream", "wrap_stream"]

CHUNK = 256 * 1024
MOST_UNPACKED = 256 * 1024**3
MOST_RATIO = 400
RATIO_FROM = 64 * 1024**2  # below this a ratio means nothing: small repetitive files pack very well
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class ByteStream:
    """Reads chunks of a source, unpacked, and turns every fault of the file into a :class:`Refusal`."""

    def __init__(self, plain: _Readable, packed: _Counted | None, origin: str) -> None:
        self._plain = plain
        self._packed = packed
        self.origin = origin
        self.bytes_out = 0

    def read(self, size: int = CHUNK) -> bytes:
        """At most ``size`` bytes, empty at the end. Raises ``Refusal``: truncated, too_large or vanished."""
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
    """Counts the packed bytes that a decompressor reads, and knows whether a zstd frame was left open."""

    def __init__(self, inner: BinaryIO) -> None:
        super().__init__()
        self._inner = inner
        self.count = 0
        self.zstd: zstandard.ZstdDecompressionObj | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._inner.read(len(view))
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
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready:
            data = self._rest or self._packed.read(16 * 1024)
            self._rest = b""
            if not data:
                return 0
            if self._packed.zstd is None or self._packed.zstd.eof:
                self._packed.zstd = zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
            self._ready = self._packed.zstd.decompress(data)
            self._rest = self._packed.zstd.unused_data
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


def wrap_stream(raw: BinaryIO, origin: str) -> ByteStream:
    """A stream over an open binary file, unpacked if its first bytes say that it is packed."""
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    try:
        head = buffered.peek(4)[:4]
    except OSError as error:
        raise Refusal("unreadable", origin, f"cannot be read: {error}") from error
    if head.startswith(_GZIP):
        packed = _Counted(buffered)
        return ByteStream(gzip.GzipFile(fileobj=io.BufferedReader(packed)), packed, origin)
    if head.startswith(_ZSTD):
        packed = _Counted(buffered)
        return ByteStream(io.BufferedReader(_ZstdReader(packed), CHUNK), packed, origin)
    return ByteStream(buffered, None, origin)


@contextmanager
def open_stream(path: Path, origin: str) -> Iterator[ByteStream]:
    """A stream over a file. Raises ``Refusal``: missing_file or unreadable."""
    try:
        raw = path.open("rb")
    except FileNotFoundError as error:
        raise Refusal("missing_file", origin, "there is no such file") from error
    except OSError as error:
        raise Refusal("unreadable", origin, f"cannot be opened: {error.strerror or error}") from error
    with raw:
        yield wrap_stream(raw, origin)
