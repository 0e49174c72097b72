"""Whether a pattern fits a text: strictly, widely, or by its beginning; pure.

*Strict* is what a search with the regular expression finds: each gap takes one character or more of one line. It is
enough to try the earliest first segment of each line, and from there to take the earliest next segment whose gap has
no line break. For take a match with a later place of some segment: if the segment has no line break, the stretch up to
its earliest place lies on the same line, so the gap after it only grows. If it has one, its first line break must be
the first one after the gap began, so it has one place only. By the same reason two first segments that end on one line
are equally good as long as the earlier one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

from kb.matching.index.segments import Compiled
from kb.matching.reading.folding import fold, fold_map

__all__ = ["Fit", "Reading", "find_partial", "find_strict", "find_wide"]

Span = tuple[int, int]

WIDE_GAP: Final = 600
"""Folded characters that a gap may take when it runs over line breaks or quotes are left out."""
WIDE_TRIES: Final = 24
"""Places of the first segment that are tried."""
PARTIAL_LITERALS: Final = 24
"""Folded literal characters that must fit when the rest does not."""
PARTIAL_SHARE: Final = 0.6
"""Share of the literals that is enough instead, from PARTIAL_FEWEST characters on."""
PARTIAL_FEWEST: Final = 12
PARTIAL_TRIES: Final = 8
_LEAST_CUT: Final = 3
_MOST_CUT: Final = 200  # characters of a segment in which a line may end
_NEAR: Final = 200  # characters of white space that a last gap may begin with


@dataclass(frozen=True, slots=True)
class Fit:
    """How a pattern fits: where in the text, what its gaps took, and how many folded literal characters fit."""

    start: int
    end: int
    gaps: tuple[Span, ...]
    matched: int
    strict: bool = False
    partial: bool = False


class Reading:
    """A text and its comparison form, with a blank at either end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = fold(text)
        self.folded = f" {self.bare} "

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


def find_strict(compiled: Compiled, text: str) -> Fit | None:
    """The earliest strict fit of a pattern of literals."""
    parts = compiled.parts
    lead = next((index for index, part in enumerate(parts) if part), None)
    if lead is None:
        return None
    first, start = parts[lead], 0
    while (place := text.find(first, start)) >= 0:
        if lead and (place < lead or text.find("\n", place - lead, place) >= 0):
            start = place + 1
            continue
        end = place + len(first)
        spans = _follow(parts, lead + 1, end, text)
        if spans is not None:
            return _strict_fit(compiled, text, lead, [(place, end), *spans])
        line_end = text.find("\n", end)
        if line_end < 0:
            return None
        start = max(place + 1, line_end + 1 - len(first))
    return None


def _follow(parts: Sequence[str], index: int, end: int, text: str) -> list[Span] | None:
    """The places of the parts from ``index`` on, the gap before each beginning at ``end``."""
    spans = []
    for part in parts[index:]:
        line_end = text.find("\n", end)
        limit = len(text) if line_end < 0 else line_end
        first_break = part.find("\n")
        if first_break < 0:
            place = text.find(part, end + 1, limit)
        else:
            place = limit - first_break
            if line_end < 0 or place <= end or not text.startswith(part, place):
                return None
        if place < 0 or place <= end:
            return None
        end = place + len(part)
        spans.append((place, end))
    return spans


def _strict_fit(compiled: Compiled, text: str, lead: int, spans: list[Span]) -> Fit:
    start = spans[0][0]
    line_start = text.rfind("\n", 0, start) + 1
    leading = [(line_start + index, line_start + index + 1) for index in range(lead)]
    if leading:
        leading[-1] = (leading[-1][0], start)
    gaps = [(before[1], after[0]) for before, after in pairwise(spans)]
    end = spans[-1][1]
    if len(spans) > 1 and not compiled.parts[-1]:  # the last gap runs to the end of the line
        found = text.find("\n", gaps[-1][0])
        end = len(text) if found < 0 else found
        gaps[-1] = (gaps[-1][0], end)
    return Fit(start, end, (*leading, *gaps), compiled.literals, strict=True)


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


def least_partial(compiled: Compiled) -> int:
    """How many folded literal characters must fit for a partial fit; more than there are when none is allowed."""
    share = int(compiled.literals * PARTIAL_SHARE) + 1
    return min(PARTIAL_LITERALS, max(share, PARTIAL_FEWEST))


def find_partial(compiled: Compiled, reading: Reading) -> Fit | None:
    """The best fit of a beginning of the pattern: whole segments, or up to the inside of one where a line ends."""
    segments = compiled.segments
    if not segments or compiled.kind == "expression":
        return None
    least = least_partial(compiled)
    head = segments[0].text[: min(least, len(segments[0].text))]
    padded = [segment.padded for segment in segments]
    folded = reading.folded
    best: Fit | None = None
    place = folded.find(head)
    for _ in range(PARTIAL_TRIES):
        if place < 0:
            break
        found = _beginning(compiled, reading, padded, place)
        if found is not None and found.matched >= least and (best is None or found.matched > best.matched):
            best = found
        place = folded.find(head, place + 1)
    return best


def _beginning(compiled: Compiled, reading: Reading, padded: Sequence[str], place: int) -> Fit | None:
    """The fit of a beginning whose first segment stands at ``place`` of the folded text."""
    folded, segments = reading.folded, compiled.segments
    first = segments[0]
    if not folded.startswith(first.text, place):
        length = _common(first.text, folded, place)
        if not _is_cut(reading, place + length):
            return None
        start, end = reading.place(place), reading.end(place + length)
        return Fit(start, end, (), length, partial=True)
    begin = place - 1 if first.before and folded[place - 1] == " " else place
    if not folded.startswith(padded[0], begin):
        spans = [(place - first.before, place + len(first.text) + first.after)]
    else:
        spans = _chain(padded, begin, folded)
    return _with_cut(compiled, reading, _folded_fit(compiled, reading, spans), len(spans))


def _with_cut(compiled: Compiled, reading: Reading, fit: Fit, count: int) -> Fit:
    """The fit of ``count`` segments, and of the beginning of the next one where the line ends inside of it."""
    if count == len(compiled.segments):
        return fit
    line_end = reading.line_end(fit.end)
    segment = compiled.segments[count].text
    rest = fold(reading.text[max(fit.end, line_end - 2 * len(segment) - _NEAR) : line_end])
    length = next(
        (
            size
            for size in range(min(len(rest), len(segment), _MOST_CUT), _LEAST_CUT - 1, -1)
            if rest.endswith(segment[:size])
        ),
        0,
    )
    if not length:
        return fit
    gap = _strip(reading.text, fit.end, max(fit.end, line_end - length))
    return replace(fit, end=line_end, matched=fit.matched + length, gaps=(*fit.gaps, gap))


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


def _is_cut(reading: Reading, column: int) -> bool:
    """Whether a line of the text ends at a column of the folded text, up to white space, quotes and an ellipsis."""
    end = reading.end(column)
    rest = reading.text[end : min(reading.line_end(end), end + 8)]
    return not rest.strip(" \t\r'\"`.…")
