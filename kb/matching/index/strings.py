"""Sorted tables of strings: one array of bytes and one of offsets, found in by halving."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from kb.matching.index.grams import Array

__all__ = ["PART", "Strings", "narrow", "pack", "packed", "unpack"]

PART: Final = "\x01"
"""Between the parts of a packed name. Sorts before anything that a name holds."""
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
        return self.blob[self.offsets[place] : self.offsets[place + 1]].tobytes()

    def __getitem__(self, place: int) -> str:
        return self.data(place).decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        """Every string, in order."""
        data, ends = self.blob.tobytes(), self.offsets.tolist()
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends)]

    def first(self, text: str) -> int:
        """The place of the first string that is not before ``text``."""
        return halve(len(self), lambda place: self.data(place) < wanted) if (wanted := text.encode()) else 0

    def starting(self, text: str) -> tuple[int, int]:
        """The range of strings that begin with ``text``."""
        wanted = text.encode("utf-8", "surrogatepass")
        size = len(wanted)
        begin = halve(len(self), lambda place: self.data(place)[:size] < wanted)
        end = halve(len(self), lambda place: self.data(place)[:size] <= wanted)
        return begin, end


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


def narrow(values: Array) -> Array:
    """The same numbers, none negative, in the narrowest type that holds them."""
    most = int(values.max()) if values.size else 0
    for kind in (np.uint8, np.uint16, np.uint32):
        if most <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.uint64)


def pack(name: str, separators: str) -> str:
    """A name as it is filed: in lower case, its parts last first, with the name as written when that differs.

    So all names with the same last parts stand together, and a name with more parts near them.
    """
    key = packed(name, separators)
    return f"{key}{_WRITTEN}{name}"


def packed(name: str, separators: str) -> str:
    """The key that a name is filed under: each of its parts ended by :data:`PART`, the last part first."""
    folded = name.lower().replace(PART, "").replace(_WRITTEN, "")
    for separator in separators:
        folded = folded.replace(separator, PART)
    return "".join(part + PART for part in reversed(folded.split(PART)) if part)


def unpack(filed: str) -> str:
    """The name as written."""
    return filed.partition(_WRITTEN)[2]


def sort_strings(texts: Iterable[str]) -> list[str]:
    """Different texts in the order of their UTF-8, which is that of their code points."""
    return sorted(set(texts))
