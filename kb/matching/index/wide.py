"""Whether a pattern of literals fits a text in comparison form: as a whole, or by a long beginning; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from kb.matching.index.packing import Array
from kb.matching.index.segments import Compiled
from kb.matching.index.strict import Fit, Span
from kb.matching.reading.folding import fold, fold_map

__all__ = ["Reading", "find_beginning", "find_wide", "least_cut", "least_whole", "leasts"]

WIDE_GAP: Final = 600
"""Folded characters that a gap may take when it runs over line breaks or quotes are left out."""
WIDE_TRIES: Final = 24
"""Places of the first segment that are tried."""
LITERALS: Final = 24
"""Folded literal characters of a beginning that are always enough."""
FEWEST: Final = 12
"""Those that are needed at least."""
WHOLE_SHARE: Final = 0.6
"""Share of the literals that is enough when whole segments fit."""
CUT_SHARE: Final = 0.8
"""Share of the literals that is enough when a line ends inside of a segment: less would fit too many patterns."""
REWORDED: Final = 48
"""Folded characters of a beginning after which the message may go on in other words, as other versions have it."""
_TRIES: Final = 8
_LEAST_CUT: Final = 3  # characters of a further segment that tell it
_MOST_CUT: Final = 200  # characters of a further segment in which a line may end
_NEAR: Final = 200  # characters of white space that a last gap may begin with


class Reading:
    """A text and its comparison form, with a blank at either end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [line for line in map(fold, text.split("\n")) if line]
        self.bare = " ".join(self._lines)
        self.folded = f" {self.bare} "

    @cached_property
    def line_ends(self) -> list[int]:
        """Where the lines with any text end in ``folded``, before an ellipsis, in order."""
        ends, column = [], 0
        for line in self._lines:
            ends.append(column + 1 + len(line.removesuffix("...").rstrip()))
            column += len(line) + 1
        return ends

    @cached_property
    def _offsets(self) -> Sequence[int]:
        return fold_map(self.text)[1]

    def place(self, column: int) -> int:
        """The offset in the text of a character of ``folded``; the text's length behind its end."""
        column = max(0, column - 1)
        return self._offsets[column] if column < len(self._offsets) else len(self.text)

    def end(self, column: int) -> int:
        """The offset behind the character before ``column`` of ``folded``."""
        column = min(column - 2, len(self._offsets) - 1)
        return self._offsets[column] + 1 if column >= 0 else 0

    def line_end(self, place: int) -> int:
        """Where the line that holds an offset ends."""
        found = self.text.find("\n", place)
        return len(self.text) if found < 0 else found


def find_wide(compiled: Compiled, reading: Reading) -> Fit | None:
    """The earliest fit of a pattern of literals in comparison form: gaps may be empty and run over line breaks."""
    padded = [segment.padded for segment in compiled.segments]
    folded = reading.folded
    if not padded:
        return None
    place = folded.find(padded[0])
    for _ in range(WIDE_TRIES):
        if place < 0:
            return None
        spans = _chain(padded, place, folded)
        if len(spans) == len(padded):
            return _folded_fit(compiled, reading, spans)
        place = folded.find(padded[0], place + 1)
    return None


def _chain(padded: Sequence[str], place: int, folded: str) -> list[Span]:
    """The places of as many segments as follow each other, the first at ``place``."""
    spans = [(place, place + len(padded[0]))]
    for text in padded[1:]:
        end = spans[-1][1]
        shared = 1 if folded[end - 1] == " " and text[0] == " " else 0  # an empty gap between two blanks
        place = folded.find(text, end - shared, end + WIDE_GAP + len(text))
        if place < 0:
            break
        spans.append((place, place + len(text)))
    return spans


def _folded_fit(compiled: Compiled, reading: Reading, spans: list[Span]) -> Fit:
    """The fit of the first ``len(spans)`` segments."""
    bare = [
        (start + segment.before, end - segment.after)
        for (start, end), segment in zip(spans, compiled.segments, strict=False)
    ]
    matched = sum(end - start for start, end in bare)
    start, end = reading.place(bare[0][0]), reading.end(bare[-1][1])
    partial = len(spans) < len(compiled.segments)
    gaps = _folded_gaps(compiled, reading, bare, start)
    trailing = len(compiled.parts) - 1 - compiled.segments[-1].part
    if trailing and not partial:
        gaps.extend([(end, end)] * (trailing - 1))
        begin = _next_text(reading.text, end)
        end = max(end, reading.line_end(begin))
        gaps.append(_strip(reading.text, begin, end))
    return Fit(start, end, tuple(gaps), matched, partial=partial)


def _folded_gaps(compiled: Compiled, reading: Reading, bare: list[Span], start: int) -> list[Span]:
    """One gap for each of the pattern up to the last segment that fits; the first begins with its line."""
    first = compiled.segments[0].part
    gaps = [(start, start)] * max(0, first - 1)
    if first:
        gaps.append((reading.text.rfind("\n", 0, start) + 1, start))
    for (before, after), (segment, following) in zip(pairwise(bare), pairwise(compiled.segments), strict=False):
        taken = (reading.end(before[1]),) * 2
        if reading.folded[before[1] : after[0]].strip():  # else nothing but a quote that belongs to a literal
            taken = _strip(reading.text, taken[0], reading.place(after[0]))
        gaps.append(taken)
        gaps.extend([(taken[1], taken[1])] * (following.part - segment.part - 1))
    return gaps


def _next_text(text: str, place: int) -> int:
    """Where the text goes on after white space; the place itself when nothing follows near."""
    nearby = text[place : place + _NEAR]
    rest = nearby.lstrip()
    return place + len(nearby) - len(rest) if rest else place


def _strip(text: str, start: int, end: int) -> Span:
    end = max(start, end)
    taken = text[start:end]
    begin = start + len(taken) - len(taken.lstrip())
    return begin, max(begin, start + len(taken.rstrip()))


def least_whole(compiled: Compiled) -> int:
    """How many folded literal characters whole segments must have to fit without the rest."""
    return _least(compiled, WHOLE_SHARE)


def least_cut(compiled: Compiled) -> int:
    """How many folded literal characters must fit when a line ends inside of a segment."""
    return _least(compiled, CUT_SHARE)


def leasts(literals: Array) -> tuple[Array, Array]:
    """What :func:`least_whole` and :func:`least_cut` say of patterns with so many folded literal characters."""
    whole, cut = ((literals * share).astype(np.int64) + 1 for share in (WHOLE_SHARE, CUT_SHARE))
    return np.clip(whole, FEWEST, LITERALS), np.clip(cut, FEWEST, LITERALS)


def _least(compiled: Compiled, share: float) -> int:
    return min(LITERALS, max(int(compiled.literals * share) + 1, FEWEST))


def find_beginning(compiled: Compiled, reading: Reading) -> Fit | None:
    """The best fit of a beginning of the pattern: whole segments, or up to the inside of one where a line ends."""
    if not compiled.segments or compiled.kind == "expression":
        return None
    first, folded = compiled.segments[0].text, reading.folded
    best: Fit | None = None
    place = folded.find(first)
    if place < 0:
        return _cut_first(compiled, reading)
    least = least_whole(compiled)
    padded = [segment.padded for segment in compiled.segments]
    for _ in range(_TRIES):
        if place < 0:
            break
        found = _whole(compiled, reading, padded, place)
        if found.matched >= least and (best is None or found.matched > best.matched):
            best = found
        place = folded.find(first, place + 1)
    return best


def _cut_first(compiled: Compiled, reading: Reading) -> Fit | None:
    """The fit of a beginning of the first segment that ends with a line, or is long."""
    first, least, folded = compiled.segments[0].text, least_cut(compiled), reading.folded
    if len(first) < least:
        return None
    place = folded.find(first[:least])
    for _ in range(_TRIES):
        if place < 0:
            return None
        length = len(first[: _common(first, folded, place)].rstrip())
        if length >= REWORDED or _ends_line(reading, place, place + length):
            return Fit(reading.place(place), reading.end(place + length), (), length, partial=True)
        place = folded.find(first[:least], place + 1)
    return None


def _ends_line(reading: Reading, place: int, column: int) -> bool:
    """Whether the line that begins before ``column`` ends there, but for the mark that ends a sentence."""
    ends = reading.line_ends
    index = bisect_left(ends, max(column, place + 1))
    return index < len(ends) and not reading.folded[column : ends[index]].strip(" .!…")


def _common(text: str, folded: str, place: int) -> int:
    """How many characters of ``text`` stand at a place of the folded text."""
    low, high = 0, min(len(text), len(folded) - place)
    while low < high:
        middle = (low + high + 1) // 2
        if folded.startswith(text[:middle], place):
            low = middle
        else:
            high = middle - 1
    return low


def _whole(compiled: Compiled, reading: Reading, padded: Sequence[str], place: int) -> Fit:
    """The fit of as many segments as follow each other, the first of which stands at ``place`` of the folded text."""
    first = compiled.segments[0]
    begin = place - first.before
    if reading.folded.startswith(padded[0], begin):
        spans = _chain(padded, begin, reading.folded)
    else:
        spans = [(begin, place + len(first.text) + first.after)]
    return _with_cut(compiled, reading, _folded_fit(compiled, reading, spans), len(spans))


def _with_cut(compiled: Compiled, reading: Reading, fit: Fit, count: int) -> Fit:
    """The fit of ``count`` segments, and of the beginning of the next one where the line ends inside of it."""
    if count == len(compiled.segments):
        return fit
    line_end = reading.line_end(fit.end)
    rest = fold(reading.text[max(fit.end, line_end - 2 * _MOST_CUT) : line_end])
    length = _cut_length(rest, compiled.segments[count].text[:_MOST_CUT])
    if not length:
        return fit
    gap = _strip(reading.text, fit.end, max(fit.end, line_end - length))
    return replace(fit, end=line_end, matched=fit.matched + length, gaps=(*fit.gaps, gap))


def _cut_length(rest: str, segment: str) -> int:
    """The length of the longest end of ``rest`` that the segment begins with; 0 when it is too short to tell."""
    place = rest.find(segment[:_LEAST_CUT], max(0, len(rest) - len(segment)))
    while place >= 0 and not segment.startswith(rest[place:]):
        place = rest.find(segment[:_LEAST_CUT], place + 1)
    return len(rest) - place if place >= 0 and len(segment) >= _LEAST_CUT else 0
