"""Substrings of folded UTF-8 as numbers: a hash table of them, and the windows of a text that are in it.

All of it works on whole arrays; nothing loops over the bytes of a text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kb.matching.index.packing import Array

__all__ = [
    "SEPARATOR",
    "Stretches",
    "bitmap_of",
    "check_of",
    "count_windows",
    "hits",
    "keys_of",
    "packed_sketch",
    "placed_hits",
    "sketch_for",
    "unpacked_sketch",
    "windows",
]

SEPARATOR: Final = 0xFF
"""A byte that no UTF-8 text holds: it ends a segment."""
_SKETCH_BITS: Final = (10, 22)  # fewest and most
_KEPT_SKETCH_BITS: Final = 19
_STEPS: Final = 8  # of a doubling that a kept count tells apart
_BITMAP_BITS: Final = (12, 23)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_LOW: Final = np.uint64(0x0101010101010101)
_HIGH: Final = np.uint64(0x8080808080808080)
_NEVER: Final = np.iinfo(np.int64).max
_PLACE_BITS: Final = 32
_WIDTH: Final = 8  # bytes of a window


def windows(data: bytes, width: int) -> Array:
    """All substrings of ``width`` (4 or 8) bytes as numbers, in order."""
    count = len(data) - width + 1
    kind = "<u8" if width == 8 else "<u4"  # noqa: PLR2004  the two widths there are
    if count <= 0:
        return np.empty(0, dtype=kind)
    return np.ndarray((count,), dtype=kind, buffer=data, strides=(1,)).copy()


def keys_of(found: Array) -> Array:
    """The keys that windows are filed under: 32 bits of a hash. Where two share one, one is tried in vain."""
    return ((found.astype(np.uint64, copy=False) * _FACTOR) >> np.uint64(32)).astype(np.uint32)


def _slots(keys: Array, size: int) -> Array:
    """The places of keys in a table of ``size``, a power of two: their first bits."""
    return (keys >> np.uint32(33 - size.bit_length())).astype(np.int64)


def _bits(size: int, bounds: tuple[int, int]) -> int:
    """Bits of a hash table that is to hold so many keys and to stay sparse."""
    return min(max(size.bit_length() + 4, bounds[0]), bounds[1])


def bitmap_of(keys: Array) -> Array:
    """One bit for each place that a key has in a table."""
    flags = np.zeros(1 << _bits(len(keys), _BITMAP_BITS), dtype=np.uint8)
    flags[_slots(keys, flags.size)] = 1
    return np.packbits(flags, bitorder="little")


def sketch_for(patterns: int) -> Array:
    """Counts of no windows, to be those of so many patterns."""
    return np.zeros(1 << _bits(patterns, _SKETCH_BITS), dtype=np.int64)


def packed_sketch(sketch: Array) -> Array:
    """A sketch to be kept: fewer places, and one byte a place for the magnitude of its count."""
    places = min(sketch.size, 1 << _KEPT_SKETCH_BITS)
    counts = sketch.reshape(places, -1).sum(axis=1)
    kept: Array = np.minimum(np.log2(counts + 1) * _STEPS, 255).astype(np.uint8)
    return kept


def unpacked_sketch(kept: Array) -> Array:
    """About the counts that were kept."""
    counts: Array = np.rint(np.exp2(kept / _STEPS) - 1).astype(np.int64)
    return counts


def _in_bitmap(keys: Array, bitmap: Array) -> Array:
    slots = _slots(keys, bitmap.size << 3)
    flags: Array = (bitmap[slots >> 3] >> (slots & 7).astype(np.uint8)) & np.uint8(1)
    return np.flatnonzero(flags)


def hits(found: Array, keys: Array, bitmap: Array, checks: Array) -> Array:
    """Positions in the sorted ``keys`` of all that windows are filed under, each once.

    ``checks`` are those of the same entries (see :func:`check_of`); what has one that no window has is left out.
    """
    hashed = keys_of(found)
    places = positions(hashed[_in_bitmap(hashed, bitmap)], keys)
    present = np.zeros(1 << 16, dtype=bool)
    present[check_of(hashed)] = True
    return places[present[checks[places]]]


def check_of(keys: Array) -> Array:
    """Sixteen bits of keys. An entry has those of a second window that its pattern needs: the first alone is in many
    texts that the pattern does not fit.
    """
    return (keys & np.uint32(0xFFFF)).astype(np.uint16)


def positions(wanted: Array, keys: Array) -> Array:
    """Positions in the sorted ``keys`` of all that are among ``wanted``, each once."""
    if not wanted.size or not keys.size:
        return np.empty(0, dtype=np.int64)
    wanted = np.unique(wanted)
    first = np.searchsorted(keys, wanted, side="left")
    counts = np.searchsorted(keys, wanted, side="right") - first
    present = counts > 0
    first, counts = first[present], counts[present]
    if not counts.size:
        return np.empty(0, dtype=np.int64)
    ends = np.cumsum(counts)
    found: Array = np.arange(ends[-1]) + np.repeat(first - ends + counts, counts)
    return found


def placed_hits(found: Array, keys: Array, bitmap: Array) -> tuple[Array, Array]:
    """Each pair of a position among the windows and a position in the sorted ``keys`` that it is filed under."""
    hashed = keys_of(found)
    likely = _in_bitmap(hashed, bitmap)
    wanted = hashed[likely]
    first = np.searchsorted(keys, wanted, side="left")
    present = np.flatnonzero(keys.take(first, mode="clip") == wanted) if keys.size else first[:0]
    likely, wanted, first = likely[present], wanted[present], first[present]
    counts = np.searchsorted(keys, wanted, side="right") - first
    total = int(counts.sum())
    ends = np.cumsum(counts)
    filed: Array = np.arange(total) + np.repeat(first - ends + counts, counts)
    return np.repeat(likely, counts), filed


def _whole(found: Array) -> Array:
    """Which windows of eight bytes hold no separator."""
    flipped = ~found  # the separator becomes a zero byte
    whole: Array = ((flipped - _LOW) & found & _HIGH) == 0
    return whole


def count_windows(data: bytes, sketch: Array) -> None:
    """Add the windows of ``data`` that hold no separator to the counts of a sketch."""
    found = windows(data, 8)
    sketch += np.bincount(_slots(keys_of(found[_whole(found)]), sketch.size), minlength=sketch.size)


class Stretches:
    """The windows of some patterns: ``data`` is their segments, each ended by a separator, ``starts`` where each
    pattern begins in it; with the counts that a sketch has of them.
    """

    def __init__(self, data: bytes, starts: Array, sketch: Array) -> None:
        self._starts = starts
        self._sizes = np.diff(np.append(starts, len(data)))
        found = windows(data + bytes([SEPARATOR]) * 8, 8)[: len(data)]
        self._keys = keys_of(found)
        self._places = np.arange(found.size, dtype=np.int64)
        counts = sketch[_slots(self._keys, sketch.size)]
        self._rank = np.where(_whole(found), counts << _PLACE_BITS | self._places, _NEVER)

    def rarest(self, *, within: Array | None = None) -> tuple[Array, Array, Array]:
        """For each pattern the key of its rarest window, the check of the rarest that does not overlap it (its own when
        there is none), and whether it has a window. With ``within`` only so many first bytes of each are looked at.
        """
        rank = self._rank
        if within is not None:
            rank = np.where(self._places + _WIDTH <= np.repeat(self._starts + within, self._sizes), rank, _NEVER)
        first, has = self._best(rank)
        apart = np.abs(self._places - np.repeat(first, self._sizes)) >= _WIDTH
        second, has_second = self._best(np.where(apart, rank, _NEVER))
        return self._keys[first], check_of(self._keys[np.where(has_second, second, first)]), has

    def _best(self, rank: Array) -> tuple[Array, Array]:
        best = np.minimum.reduceat(rank, self._starts)
        has = best != _NEVER
        return np.where(has, best & ((1 << _PLACE_BITS) - 1), self._starts), has
