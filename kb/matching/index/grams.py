"""Substrings of folded UTF-8 as numbers: a hash table of them, and the windows of a text that are in it.

All of it works on whole arrays; nothing loops over the bytes of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kb.matching.index.packing import Array

__all__ = [
    "SEPARATOR",
    "Neighborhood",
    "Stretches",
    "Windows",
    "bitmap_of",
    "checks_of",
    "count_windows",
    "keys_of",
    "packed_sketch",
    "sketch_for",
    "unpacked_sketch",
    "windows",
]

SEPARATOR: Final = 0xFF
"""A byte that no UTF-8 text holds: it ends a segment."""
_SKETCH_BITS: Final = (10, 22)  # fewest and most
_AREA_BITS: Final = (12, 24)
_KEPT_SKETCH_BITS: Final = 18
_STEPS: Final = 8  # of a doubling that a kept count tells apart
_BITMAP_BITS: Final = (12, 22)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_NEVER: Final = np.iinfo(np.int64).max
_PLACE_BITS: Final = 32
_WIDTH: Final = 8  # bytes of a window
_SHORT: Final = 4  # bytes of a window that only checks


def windows(data: bytes, width: int) -> Array:
    """All substrings of ``width`` (4 or 8) bytes as numbers, in order."""
    count = len(data) - width + 1
    kind = "<u8" if width == 8 else "<u4"  # noqa: PLR2004  the two widths there are
    if count <= 0:
        return np.empty(0, dtype=kind)
    return np.ndarray((count,), dtype=kind, buffer=data, strides=(1,)).copy()


def keys_of(found: Array) -> Array:
    """The keys that windows are filed under: 32 bits of a hash. Where two share one, one is tried in vain."""
    keys: Array = ((found.astype(np.uint64, copy=False) * _FACTOR) >> np.uint64(32)).astype(np.uint32)
    return keys


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


def check_of(keys: Array) -> Array:
    """Sixteen bits of keys, to tell whether a window is there."""
    bits: Array = keys & np.uint32(0xFFFF)
    return bits


def checks_of(keys: Array, offsets: Array, others: Array) -> Array:
    """What an entry is checked by before its pattern is tried: the window ``offsets`` (-8 to 8) further in the same
    segment, in eleven bits, and the key of another window that the pattern needs anywhere.
    """
    turned = (offsets + _WIDTH).astype(np.uint32) << np.uint32(16)
    checks: Array = check_of(others) | turned | keys << np.uint32(21)
    return checks


class Windows:
    """The windows of a folded text, in UTF-8, and the entries of a table that they lead to."""

    def __init__(self, data: bytes, width: int) -> None:
        self.keys = keys_of(windows(data, width))
        self.short = keys_of(windows(data, _SHORT))

    def entries(self, keys: Array, bitmap: Array, checks: Array) -> tuple[Array, Array]:
        """Places of windows, and positions in the sorted ``keys`` that they are filed under and whose neighboring
        window is right.
        """
        likely = _in_bitmap(self.keys, bitmap)
        wanted = self.keys[likely]
        first = np.searchsorted(keys, wanted, side="left")
        counts = np.searchsorted(keys, wanted, side="right") - first
        ends = np.cumsum(counts)
        filed = np.arange(int(counts.sum())) + np.repeat(first - ends + counts, counts)
        places = np.repeat(likely, counts)
        known = checks[filed]
        beside = places + (known >> np.uint32(16) & np.uint32(31)).astype(np.int64) - _WIDTH
        inside = (beside >= 0) & (beside < self.keys.size)
        found = self.keys[np.where(inside, beside, 0)]
        right = inside & (found << np.uint32(21) == known >> np.uint32(21) << np.uint32(21))
        return places[right], filed[right]

    def present(self, checks: Array) -> Array:
        """Whether the other windows of checks are there; at times also when they are not."""
        flags = np.zeros(1 << 16, dtype=bool)
        flags[check_of(self.keys)] = flags[check_of(self.short)] = True
        found: Array = flags[check_of(checks)]
        return found


class Neighborhood:
    """Which checks stand near which place of a text of many rows: at most ``reach`` rows away, at times more."""

    def __init__(self, found: Windows, starts: Sequence[int], reach: int) -> None:
        begins = np.zeros(found.short.size + _SHORT, dtype=np.int64)
        begins[np.array(starts[:-1:reach], dtype=np.int64)] = 1
        self._areas = np.cumsum(begins)
        self._bits = _bits(found.keys.size, _AREA_BITS)
        self._flags = np.zeros(1 << self._bits, dtype=bool)
        for keys in (found.keys, found.short):
            self._flags[self._slots(check_of(keys), self._areas[: keys.size])] = True

    def _slots(self, checks: Array, areas: Array) -> Array:
        mixed = (checks.astype(np.uint64) << np.uint64(32) | areas.astype(np.uint64)) * _FACTOR
        return (mixed >> np.uint64(64 - self._bits)).astype(np.int64)

    def near(self, places: Array, checks: Array) -> Array:
        """Whether each check stands near its place."""
        areas, checks = self._areas[places], check_of(checks)
        near: Array = np.zeros(len(places), dtype=bool)
        for step in (-1, 0, 1):
            near |= self._flags[self._slots(checks, areas + step)]
        return near


def _without(found: Array, width: int) -> Array:
    """Which windows of so many bytes hold no separator."""
    kind = found.dtype.type
    flipped = ~found  # the separator becomes a zero byte
    low, high = kind(int.from_bytes(b"\x01" * width, "little")), kind(int.from_bytes(b"\x80" * width, "little"))
    whole: Array = ((flipped - low) & found & high) == 0
    return whole


def count_windows(data: bytes, sketch: Array) -> None:
    """Add the windows of ``data`` that hold no separator to the counts of a sketch."""
    found = windows(data, 8)
    sketch += np.bincount(_slots(keys_of(found[_without(found, _WIDTH)]), sketch.size), minlength=sketch.size)


class Stretches:
    """The windows of some patterns: ``data`` is their segments, each ended by a separator, ``starts`` where each
    pattern begins in it; with the counts that a sketch has of them.
    """

    def __init__(self, data: bytes, starts: Array, sketch: Array) -> None:
        self._starts = starts
        self._sizes = np.diff(np.append(starts, len(data)))
        self._ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == SEPARATOR)
        found = windows(data + bytes([SEPARATOR]) * 8, 8)[: len(data)]
        self._keys = keys_of(found)
        short = windows(data + bytes([SEPARATOR]) * _SHORT, _SHORT)[: len(data)]
        self._short, self._has_short = keys_of(short), _without(short, _SHORT)
        self._places = np.arange(found.size, dtype=np.int64)
        counts = sketch[_slots(self._keys, sketch.size)]
        self._rank = np.where(_without(found, _WIDTH), counts << _PLACE_BITS | self._places, _NEVER)

    def rarest(self, *, within: Array | None = None) -> tuple[Array, Array, Array]:
        """For each pattern the key of its rarest window, its check by :func:`checks_of`, and whether it has a window.
        With ``within`` only so many first bytes of each are looked at.
        """
        rank, limit = self._rank, self._starts + self._sizes
        if within is not None:
            limit = self._starts + within
            rank = np.where(self._places + _WIDTH <= np.repeat(limit, self._sizes), rank, _NEVER)
        first, has = self._best(rank)
        at = np.searchsorted(self._ends, first)
        begin, end = np.append(0, self._ends + 1)[at], np.minimum(self._ends[at], limit)
        after, before = np.minimum(end - first - _WIDTH, _WIDTH), np.minimum(first - begin, _WIDTH)
        offset = np.where(has, np.where(after >= before, after, -before), 0)
        return self._keys[first], self._checks(first, offset, (begin, end), (rank, limit)), has

    def _checks(self, first: Array, offset: Array, segment: tuple[Array, Array], seen: tuple[Array, Array]) -> Array:
        """With the rarest window of another segment, or four bytes of one, or the rarest that does not overlap."""
        rank, (begin, end, limit) = seen[0], (np.repeat(bound, self._sizes) for bound in (*segment, seen[1]))
        elsewhere = (self._places < begin) | (self._places >= end)
        other, has_other = self._best(np.where(elsewhere, rank, _NEVER))
        fits = elsewhere & self._has_short & (self._places + _SHORT <= limit)
        short, has_short = self._best(np.where(fits, self._places, _NEVER))
        apart = np.abs(self._places - np.repeat(first, self._sizes)) >= _WIDTH
        second, has_second = self._best(np.where(apart, rank, _NEVER))
        key = self._keys[np.where(has_other, other, np.where(has_second, second, first))]
        key = np.where(has_short & ~has_other, self._short[short], key)
        return checks_of(self._keys[first + offset], offset, key)

    def _best(self, rank: Array) -> tuple[Array, Array]:
        best = np.minimum.reduceat(rank, self._starts)
        has = best != _NEVER
        return np.where(has, best & ((1 << _PLACE_BITS) - 1), self._starts), has
