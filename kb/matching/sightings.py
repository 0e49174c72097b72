"""Where known messages stand in a log: each pattern's count, first and last line, and the first place as an example.

The index proposes patterns for a window; here they are found line by line in the folded text, so that every occurrence
counts. Of patterns that fit the same words the one with the most literal characters counts. The result does not depend
on where the windows were cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from kb.matching import tuning
from kb.matching.reading.folding import fold
from kb.matching.windows import CONTEXT, Window, windows

__all__ = ["Example", "PatternIndex", "Piece", "Tally", "count_patterns", "join"]

_COLOR: Final = re.compile("\x1b\\[[0-9;:]{0,24}[A-Za-z]")
_ABOVE: Final = 24
_BELOW: Final = 14
"""Lines of an example around the one that matched. Together they are no more than the engine looks at."""


class _Found(Protocol):
    @property
    def pattern(self) -> int: ...
    @property
    def partial(self) -> bool: ...


class PatternIndex(Protocol):
    """What of the match index is needed here."""

    def find(self, text: str) -> Sequence[_Found]:
        """Every pattern that occurs in a text."""

    def pattern_parts(self, pattern: int) -> tuple[str, ...]:
        """The folded literal parts of a pattern, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One place of a log: the line that matched, and the text around it."""

    line: str
    text: str


@dataclass(slots=True, kw_only=True)
class Tally:
    """How often one pattern occurs, and on which lines, counted from 1."""

    count: int
    first: int
    last: int
    example: Example | None


@dataclass(slots=True, kw_only=True)
class Piece:
    """What one piece of a log holds."""

    bytes: int = 0
    lines: int = 0
    tallies: dict[int, Tally] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Hit:
    pattern: int
    literals: int
    line: int
    start: int
    end: int


class _Folded:
    """A text folded line by line and joined by blanks, as :func:`fold` gives it, with the places of its lines."""

    def __init__(self, text: str) -> None:
        self.numbers: list[int] = []
        self.starts: list[int] = []
        lines = []
        place = 0
        for number, line in enumerate(text.split("\n")):
            folded = fold(line)
            if folded:
                lines.append(folded)
                self.numbers.append(number)
                self.starts.append(place)
                place += len(folded) + 1
        self.text = " ".join(lines)
        self.starts.append(place)

    def row(self, place: int) -> int:
        """Which of the lines that are not empty holds a character; a line break belongs to the line before it."""
        return bisect_right(self.starts, place, hi=len(self.numbers)) - 1


def count_patterns(
    index: PatternIndex, read: Callable[[int], bytes], *, before: bytes = b"", limit: int | None = None
) -> Piece:
    """All patterns of what ``read`` gives; the arguments are those of :func:`kb.matching.windows.windows`."""
    piece = Piece()
    examples = 0
    for window in windows(read, before=before, limit=limit):
        for hit in _hits(index, window):
            number = window.line + hit.line + 1
            tally = piece.tallies.get(hit.pattern)
            if tally is None:
                example = _example(window, hit.line) if examples < tuning.SCAN_EXAMPLES else None
                examples += 1
                piece.tallies[hit.pattern] = Tally(count=1, first=number, last=number, example=example)
            else:
                tally.count += 1
                tally.last = number
        piece.bytes += len(window.owned)
        piece.lines += window.owned.count(b"\n")
    return piece


def join(pieces: Iterable[Piece]) -> Piece:
    """Pieces of one log, in order, as if it had been read in one go."""
    whole = Piece()
    for piece in pieces:
        for pattern, tally in piece.tallies.items():
            first, last = tally.first + whole.lines, tally.last + whole.lines
            known = whole.tallies.get(pattern)
            if known is None:
                whole.tallies[pattern] = Tally(count=tally.count, first=first, last=last, example=tally.example)
            else:
                known.count += tally.count
                known.last = last
        whole.bytes += piece.bytes
        whole.lines += piece.lines
    for tally in sorted(whole.tallies.values(), key=lambda tally: tally.first)[tuning.SCAN_EXAMPLES :]:
        tally.example = None
    return whole


def _hits(index: PatternIndex, window: Window) -> list[_Hit]:
    """The occurrences that begin in the window's own part, in order."""
    text = _clean((window.owned + window.after).decode("utf-8", "replace"))
    proposed = {found.pattern for found in index.find(text) if not found.partial}
    if not proposed:
        return []
    folded = _Folded(text)
    end = _owned_end(folded, window)
    hits = []
    for pattern in proposed:
        parts = index.pattern_parts(pattern)
        literals = sum(map(len, parts))
        if literals >= tuning.SCAN_LITERALS:
            hits += [
                _Hit(pattern, literals, folded.numbers[folded.row(start)], start, stop)
                for start, stop in _occurrences(folded, parts)
                if start < end
            ]
    return _best(hits)


def _clean(text: str) -> str:
    """Without colors, and without the backslashes that JSON puts before quotes. Lines stay lines."""
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    return text.replace('\\"', '"')


def _owned_end(folded: _Folded, window: Window) -> int:
    """Where in the folded text the window's own part ends."""
    if window.owned.endswith(b"\n") or not window.after:
        rows = bisect_right(folded.numbers, window.owned.count(b"\n") - 1)
        return folded.starts[rows] if window.after else folded.starts[-1]
    return len(fold(_clean(window.owned.decode("utf-8", "replace"))))  # a line that is longer than a window


def _occurrences(folded: _Folded, parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where all parts stand in order, each gap within a line or ended by one; found from the longest part outwards."""
    text = folded.text
    middle = max(range(len(parts)), key=lambda number: len(parts[number]))
    anchor = parts[middle]
    place, floor = text.find(anchor), 0
    while place >= 0:
        start = _start(folded, parts[:middle], place, floor)
        end = _end(folded, parts[middle + 1 :], place + len(anchor)) if start >= 0 else -1
        if end >= 0:
            yield start, end
            floor = end
        place = text.find(anchor, max(end, place + len(anchor)))


def _start(folded: _Folded, parts: Sequence[str], start: int, floor: int) -> int:
    """Where the first of ``parts`` begins when they stand before ``start`` and not before ``floor``; -1 if they do not.

    A part ends on the line where the next one begins, or on the line before when the next one begins its line.
    """
    for part in reversed(parts):
        row = folded.row(start)
        line = folded.starts[row - 1 if row and start == folded.starts[row] else row]
        start = folded.text.rfind(part, max(line - len(part), start - CONTEXT // 2, floor), start)
        if start < 0:
            break
    return start


def _end(folded: _Folded, parts: Sequence[str], end: int) -> int:
    """Where the last of ``parts`` ends when they stand after ``end``; -1 if they do not.

    A part begins on the line where the one before it ends, or begins the next.
    """
    for part in parts:
        line = folded.starts[folded.row(end - 1) + 1]
        found = folded.text.find(part, end, min(line, end + CONTEXT // 2) + len(part))
        if found < 0:
            return -1
        end = found + len(part)
    return end


def _best(hits: list[_Hit]) -> list[_Hit]:
    """Of the hits that begin on one line those with the most literal characters, none over another; in order."""
    lines: dict[int, list[_Hit]] = {}
    for hit in hits:
        lines.setdefault(hit.line, []).append(hit)
    return [hit for _, group in sorted(lines.items()) for hit in (_settle(group) if len(group) > 1 else group)]


def _settle(group: list[_Hit]) -> list[_Hit]:
    kept: list[_Hit] = []
    for hit in sorted(group, key=lambda hit: (-hit.literals, hit.start, hit.end, hit.pattern)):
        place = bisect_right(kept, hit.start, key=lambda other: other.start)
        before_ends = place == 0 or kept[place - 1].end <= hit.start
        next_begins = place == len(kept) or hit.end <= kept[place].start
        if before_ends and next_begins:
            kept.insert(place, hit)
    return kept


def _example(window: Window, line: int) -> Example:
    """The line, and what stands around it."""
    seen = window.owned + window.after
    start = 0
    for _ in range(line):
        start = seen.find(b"\n", start) + 1
    end = seen.find(b"\n", start)
    end = min(end if end >= 0 else len(seen), start + CONTEXT)
    above = (window.before + seen[:start])[-CONTEXT // 2 :]
    if len(window.before) + start > CONTEXT // 2:
        above = above[above.find(b"\n") + 1 :]
    below = seen[end : end + CONTEXT // 2]
    shown_above = b"\n".join(above.split(b"\n")[-_ABOVE - 1 :])
    shown_below = b"\n".join(below.split(b"\n")[: _BELOW + 1])
    text = shown_above + seen[start:end] + shown_below
    return Example(line=seen[start:end].decode("utf-8", "replace"), text=text.decode("utf-8", "replace"))
