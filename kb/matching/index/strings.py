"""Sorted tables of strings: one array of bytes and one of offsets, found in by halving."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from kb.matching.index.packing import Array, narrow, numbers_at, widen

__all__ = ["PART", "Strings", "Texts", "halve", "pack", "packed", "unpack"]

PART: Final = "\x01"
"""Between the parts of a packed name. Sorts before anything that a name holds."""
_BLOCK: Final = 40  # texts that are compressed together: more take less space and more time to read one
_KEPT_BLOCKS: Final = 512
_RAW: Final = -15  # zlib without a header
_BETWEEN: Final = b"\xff"  # no UTF-8 holds it
_WRITTEN: Final = "\x00"  # before the name as written, where its key does not tell it


class Strings:
    """A table of different strings in the order of their UTF-8."""

    def __init__(self, blob: Array, offsets: Array) -> None:
        self.blob = blob
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Sequence[str]) -> Strings:
        """The table of texts that are sorted and differ."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(data) for data in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), narrow(offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def data(self, place: int) -> bytes:
        """The bytes of one string."""
        start, end = numbers_at(self.offsets, slice(place, place + 2)).tolist()
        return self.blob[start:end].tobytes()

    def __getitem__(self, place: int) -> str:
        return self.data(place).decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        """Every string, in order."""
        data, ends = self.blob.tobytes(), widen(self.offsets).tolist()
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends)]

    def equal(self, key: str) -> tuple[int, int]:
        """The range of packed names whose key is ``key``."""
        first, last = key.encode("utf-8", "surrogatepass"), (key + PART).encode("utf-8", "surrogatepass")
        return halve(len(self), lambda place: self.data(place) < first), halve(
            len(self), lambda place: self.data(place) < last
        )

    def starting(self, text: str) -> tuple[int, int]:
        """The range of strings that begin with ``text``."""
        wanted = text.encode("utf-8", "surrogatepass")
        size = len(wanted)
        begin = halve(len(self), lambda place: self.data(place)[:size] < wanted)
        end = halve(len(self), lambda place: self.data(place)[:size] <= wanted)
        return begin, end


class Texts:
    """A table of different strings, compressed by blocks: for those that are seldom read and never looked up."""

    def __init__(self, blob: Array, offsets: Array) -> None:
        self.blob, self.offsets = blob, offsets
        self._block = lru_cache(maxsize=_KEPT_BLOCKS)(self._read)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """The table of texts."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        starts = range(0, len(encoded), _BLOCK)
        blocks = [zlib.compress(_BETWEEN.join(encoded[start : start + _BLOCK]), 6, _RAW) for start in starts]
        offsets = np.cumsum([0, *map(len, blocks)])
        return cls(np.frombuffer(b"".join(blocks), dtype=np.uint8), narrow(offsets))

    def __len__(self) -> int:
        last = len(self.offsets) - 2
        return last * _BLOCK + len(self._read(last)) if last >= 0 else 0

    def __getitem__(self, place: int) -> str:
        return self._block(place // _BLOCK)[place % _BLOCK].decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        """Every string, in order."""
        found = [data for block in range(len(self.offsets) - 1) for data in self._read(block)]
        return [data.decode("utf-8", "surrogatepass") for data in found]

    def _read(self, block: int) -> list[bytes]:
        start, end = numbers_at(self.offsets, slice(block, block + 2)).tolist()
        return zlib.decompress(self.blob[start:end].tobytes(), _RAW).split(_BETWEEN)


def halve(size: int, is_before: Callable[[int], bool]) -> int:
    """The first of ``size`` places for which ``is_before``, true and then false, is false."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if is_before(middle):
            low = middle + 1
        else:
            high = middle
    return low


def pack(name: str, separators: str) -> str:
    """A name as it is filed: in lower case, its parts last first, with the name as written when that does not tell it.

    So all names with the same last parts stand together, and a name with more parts near them.
    """
    key = packed(name, separators)
    for filed in (key, f"{key}{_WRITTEN}"):
        if unpack(filed, separators) == name:
            return filed
    return f"{key}{_WRITTEN}{name}"


def packed(name: str, separators: str) -> str:
    """The key that a name is filed under: each of its parts ended by :data:`PART`, the last part first."""
    folded = name.lower().replace(PART, "").replace(_WRITTEN, "")
    for separator in separators:
        folded = folded.replace(separator, PART)
    return "".join(part + PART for part in reversed(folded.split(PART)) if part)


def unpack(filed: str, separators: str) -> str:
    """The name as written; nothing where it should stand means that it is in capitals."""
    key, written, name = filed.partition(_WRITTEN)
    if name:
        return name
    name = separators[:1].join(reversed(key.split(PART)[:-1]))
    return name.upper() if written else name
