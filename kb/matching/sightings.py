"""The known messages of a log: each pattern's count, first and last line, and the first place as an example.

The result does not depend on where the log was cut into windows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from kb.matching import tuning
from kb.matching.occurrences import Hit, PatternIndex, Searcher
from kb.matching.windows import CONTEXT, Window, windows

__all__ = ["Example", "Piece", "Tally", "count_patterns", "join"]

_COLOR: Final = re.compile("\x1b\\[[0-9;:]{0,24}[A-Za-z]")
_ABOVE: Final = 24
_BELOW: Final = 14
"""Lines of an example around the one that matched. Together they are no more than the engine looks at."""


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


def count_patterns(
    index: PatternIndex, read: Callable[[int], bytes], *, before: bytes = b"", limit: int | None = None
) -> Piece:
    """All patterns of what ``read`` gives; the arguments are those of :func:`kb.matching.windows.windows`."""
    piece = Piece()
    searcher = Searcher(index)
    examples = 0
    for window in windows(read, before=before, limit=limit):
        for hit in _hits(searcher, window):
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


def _hits(searcher: Searcher, window: Window) -> list[Hit]:
    """The occurrences that begin in the window's own part, in order."""
    text = _clean((window.owned + window.after).decode("utf-8", "replace"))
    if not window.after:
        return searcher.find(text)
    if window.owned.endswith(b"\n"):
        return searcher.find(text, lines=window.owned.count(b"\n"))
    own = _clean(window.owned.decode("utf-8", "replace"))  # a line that is longer than a window
    return searcher.find(text, length=len(own))


def _clean(text: str) -> str:
    """Without colors, and without the backslashes that JSON puts before quotes. Lines stay lines."""
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    return text.replace('\\"', '"')


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
