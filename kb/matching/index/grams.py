"""Substrings of folded UTF-8 as numbers: a hash table of them, and the windows of a text that are in it.

All of it works on whole arrays; nothing loops over the bytes of a text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kb.matching.index.packing import Array

__all__ = [
    "SEPARATOR",
    "bitmap_of",
    "choose",
    "count_windows",
    "hits",
    "keys_of",
    "placed_hits",
    "sketch_for",
    "windows",
]

SEPARATOR: Final = 0xFF
"""A byte that no UTF-8 text holds: it ends a segment."""
_SKETCH_BITS: Final = (10, 20)  # fewest and most
_BITMAP_BITS: Final = (12, 23)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_LOW: Final = np.uint64(0x0101010101010101)
_HIGH: Final = np.uint64(0x8080808080808080)
_NEVER: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


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
    return np.zeros(1 << _bits(patterns, _SKETCH_BITS), dtype=np.uint8)


def _in_bitmap(keys: Array, bitmap: Array) -> Array:
    slots = _slots(keys, bitmap.size << 3)
    flags: Array = (bitmap[slots >> 3] >> (slots & 7).astype(np.uint8)) & np.uint8(1)
    return np.flatnonzero(flags)


def hits(found: Array, keys: Array, bitmap: Array) -> Array:
    """Positions in the sorted ``keys`` of all that windows are filed under, each once."""
    hashed = keys_of(found)
    return positions(hashed[_in_bitmap(hashed, bitmap)], keys)


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
    slots = _slots(keys_of(found[_whole(found)]), sketch.size)
    counted = np.minimum(sketch + np.bincount(slots, minlength=sketch.size), np.iinfo(sketch.dtype).max)
    sketch[:] = counted.astype(sketch.dtype)


def choose(data: bytes, starts: Array, sketch: Array, *, within: Array | None = None) -> tuple[Array, Array]:
    """For each stretch of ``data`` that begins at ``starts``, its rarest window by the sketch, and whether it has one.

    With ``within`` only the first so many bytes of each stretch are looked at.
    """
    found = windows(data + bytes([SEPARATOR]) * 8, 8)[: len(data)]
    places = np.arange(found.size, dtype=np.int64)
    good = _whole(found)
    if within is not None:
        good &= places + 8 <= np.repeat(starts + within, np.diff(np.append(starts, len(data))))
    rank = np.full(found.size, _NEVER, dtype=np.uint64)
    counts = sketch[_slots(keys_of(found[good]), sketch.size)].astype(np.uint64)
    rank[good] = (counts << np.uint64(40)) | places[good].astype(np.uint64)
    best = np.minimum.reduceat(rank, starts)
    has = best != _NEVER
    chosen = np.where(has, best & np.uint64((1 << 40) - 1), np.uint64(0)).astype(np.int64)
    return found[chosen], has
