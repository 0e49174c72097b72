"""Where the patterns of an index stand in a text of many lines: each place of each pattern, line by line.

The index names places where a pattern may stand; here it is tried around them, in the folded text. A gap takes what is
on one line, and may be empty; literals may run over line breaks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from kb.matching import tuning
from kb.matching.index.packing import Array
from kb.matching.index.segments import Compiled
from kb.matching.reading.folding import fold

__all__ = ["LONGEST", "Hit", "PatternIndex", "Searcher"]

LONGEST: Final = 4 * 1024
"""Bytes that a gap takes at most."""

_SPANNED: Final = 2
"""Lines that a place may go on over; more where the pattern has line breaks itself."""
_SPANNED_MOST: Final = 12
_KEPT_PATTERNS: Final = 100_000
_BREAK: Final = " \0 "


class PatternIndex(Protocol):
    """What of the match index is needed here."""

    @property
    def patterns(self) -> int:
        """How many patterns there are."""

    def anchors(self, folded: bytes, starts: Sequence[int]) -> tuple[Array, Array]:
        """Places in a folded text where a pattern may stand, and the patterns; its rows begin at ``starts``."""

    def compiled(self, pattern: int) -> Compiled:
        """A pattern, ready to be tried."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a pattern: the line that it begins on, from 0, and its bytes of the folded text."""

    pattern: int
    literals: int
    line: int
    start: int
    end: int


class _Folded:
    """A text folded line by line and joined by blanks, as :func:`fold` gives it, in UTF-8, with its lines' places."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        folded = fold(text.replace("\0", "\ufffd").replace("\n", _BREAK))  # at once, which is much quicker
        rows = [(number, row) for number, line in enumerate(folded.split("\0")) if (row := line.strip(" "))]
        self.numbers = [number for number, _ in rows]
        encoded = [row.encode() for _, row in rows]
        self.text = b" ".join(encoded)
        lengths = [len(data) + 1 for data in encoded]
        self.starts: list[int] = np.cumsum([0, *lengths]).tolist()

    def row(self, place: int) -> int:
        """Which of the lines that are not empty holds a byte; a line break belongs to the line before it."""
        return bisect_right(self.starts, place, hi=len(self.numbers)) - 1

    def end(self, text: str, *, lines: int | None, length: int | None) -> int:
        """Where the first so many lines, or so many characters, of the text end here."""
        if length is not None:
            return len(fold(text[:length]).encode())
        return self.starts[-1 if lines is None else bisect_right(self.numbers, lines - 1)]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A pattern to be tried: its literal parts around the longest, or an expression for a whole line."""

    before: tuple[bytes, ...]
    longest: bytes
    after: tuple[bytes, ...]
    others: tuple[bytes, ...]
    literals: int
    spanned: int
    expression: Any


def _wanted(compiled: Compiled) -> _Wanted:
    parts = tuple(segment.text.encode("utf-8", "surrogatepass") for segment in compiled.segments)
    longest = max(range(len(parts)), key=lambda number: len(parts[number]))
    return _Wanted(
        before=parts[:longest],
        longest=parts[longest],
        after=parts[longest + 1 :],
        others=parts[:longest] + parts[longest + 1 :],
        literals=compiled.literals,
        spanned=min(_SPANNED + sum(part.count("\n") for part in compiled.parts), _SPANNED_MOST),
        expression=compiled.expression,
    )


class Searcher:
    """Finds the patterns of one index; those whose text is too short to say anything by itself are left out."""

    def __init__(self, index: PatternIndex) -> None:
        self._index = index
        self._known: dict[int, _Wanted] = {}
        self._short = np.zeros(index.patterns, dtype=np.bool_)

    def find(self, text: str, *, lines: int | None = None, length: int | None = None) -> list[Hit]:
        """The places that begin in the first so many lines, or so many characters, of the text; all of them without.

        In order. Of places on one line that overlap the one with the most literal characters is told.
        """
        folded = _Folded(text)
        end = folded.end(text, lines=lines, length=length)
        hits: dict[tuple[int, int], Hit] = {}
        known = self._known
        for pattern, first, last in self._proposed(folded):
            wanted = known.get(pattern) or self._wanted(pattern)
            if wanted is None:
                continue
            for start, stop in _tried(folded, wanted, first, last):
                if start < end and (pattern, start) not in hits:
                    line = folded.numbers[folded.row(start)]
                    hits[pattern, start] = Hit(pattern, wanted.literals, line, start, stop)
        return _best(hits.values())

    def _proposed(self, folded: _Folded) -> list[tuple[int, int, int]]:
        """Patterns with the first and last row of stretches that have their anchors."""
        places, patterns = self._index.anchors(folded.text, folded.starts)
        long = ~self._short[patterns]
        places, patterns = places[long], patterns[long]
        if not len(places):
            return []
        count = len(folded.starts)
        rows = np.searchsorted(np.array(folded.starts[:-1]), places, side="right") - 1
        pairs = np.unique(patterns * count + rows)
        patterns, rows = pairs // count, pairs % count
        apart = (np.diff(patterns) != 0) | (np.diff(rows) > 2 * _SPANNED + 1)
        first = np.flatnonzero(np.append(True, apart))
        last = np.append(first[1:], len(pairs)) - 1
        return list(zip(patterns[first].tolist(), rows[first].tolist(), rows[last].tolist(), strict=True))

    def _wanted(self, pattern: int) -> _Wanted | None:
        wanted = self._known.get(pattern)
        if wanted is not None or self._short[pattern]:
            return wanted
        compiled = self._index.compiled(pattern)
        if compiled.literals < tuning.SCAN_LITERALS:
            self._short[pattern] = True
            return None
        if len(self._known) >= _KEPT_PATTERNS:
            self._known.clear()
        self._known[pattern] = wanted = _wanted(compiled)
        return wanted


def _tried(folded: _Folded, wanted: _Wanted, first: int, last: int) -> Iterable[tuple[int, int]]:
    """Where a pattern stands on rows and their neighbors."""
    if wanted.expression is not None:
        return _expressed(folded, wanted, first, last)
    starts, spanned = folded.starts, wanted.spanned
    begin = starts[first - spanned if first > spanned else 0]
    stop = starts[min(len(starts) - 1, last + 1 + spanned)]
    text = folded.text
    place = text.find(wanted.longest, begin, stop)
    if place < 0:
        return ()
    for part in wanted.others:  # most that fail do so here, at little cost
        if text.find(part, begin, stop) < 0:
            return ()
    return _occurrences(folded, wanted, place, stop)


def _expressed(folded: _Folded, wanted: _Wanted, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The rows in which an expression finds something."""
    for row in range(first, last + 1):
        if wanted.expression.search(folded.raw[folded.numbers[row]]):
            yield folded.starts[row], folded.starts[row + 1] - 1


def _occurrences(folded: _Folded, wanted: _Wanted, place: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where all parts stand in order, each gap within a line or ended by one; found from the longest part outwards.

    The longest part stands at ``place``, and is looked for up to ``stop``.
    """
    longest, floor = wanted.longest, 0
    while place >= 0:
        start = _start(folded, wanted.before, place, floor)
        end = _end(folded, wanted.after, place + len(longest)) if start >= 0 else -1
        if end >= 0:
            if folded.row(end - 1) - folded.row(start) <= wanted.spanned:
                yield start, end
            floor = end
        place = folded.text.find(longest, max(end, place + len(longest)), stop)


def _start(folded: _Folded, parts: Sequence[bytes], start: int, floor: int) -> int:
    """Where the first of ``parts`` begins when they stand before ``start`` and not before ``floor``; -1 if they do not.

    A part ends on the line where the next one begins, or on the line before when the next one begins its line.
    """
    for part in reversed(parts):
        row = folded.row(start)
        line = folded.starts[row - 1 if row and start == folded.starts[row] else row]
        start = folded.text.rfind(part, max(line - len(part), start - LONGEST, floor), start)
        if start < 0:
            break
    return start


def _end(folded: _Folded, parts: Sequence[bytes], end: int) -> int:
    """Where the last of ``parts`` ends when they stand after ``end``; -1 if they do not.

    A part begins on the line where the one before it ends, or begins the next.
    """
    for part in parts:
        line = folded.starts[folded.row(end - 1) + 1]
        found = folded.text.find(part, end, min(line, end + LONGEST) + len(part))
        if found < 0:
            return -1
        end = found + len(part)
    return end


def _best(hits: Iterable[Hit]) -> list[Hit]:
    """Of the hits that begin on one line those with the most literal characters, none over another; in order."""
    lines: dict[int, list[Hit]] = {}
    for hit in hits:
        lines.setdefault(hit.line, []).append(hit)
    return [hit for _, group in sorted(lines.items()) for hit in (_settle(group) if len(group) > 1 else group)]


def _settle(group: list[Hit]) -> list[Hit]:
    kept: list[Hit] = []
    for hit in sorted(group, key=lambda hit: (-hit.literals, hit.start, hit.end, hit.pattern)):
        place = bisect_right(kept, hit.start, key=lambda other: other.start)
        before_ends = place == 0 or kept[place - 1].end <= hit.start
        next_begins = place == len(kept) or hit.end <= kept[place].start
        if before_ends and next_begins:
            kept.insert(place, hit)
    return kept
