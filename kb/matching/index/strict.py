"""Whether a pattern of literals fits a text strictly, as a search with its regular expression would; pure.

Each gap takes one character or more of one line. It is enough to try the earliest first segment of each line, and from
there to take the earliest next segment whose gap has no line break. For take a match with a later place of some
segment: if the segment has no line break, the stretch up to its earliest place lies on the same line, so the gap after
it only grows. If it has one, its first line break must be the first one after the gap began, so it has one place only.
By the same reason two first segments that end on one line are equally good as long as the earlier one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.matching.index.segments import Compiled

__all__ = ["Fit", "Span", "find_strict"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fit:
    """How a pattern fits: where in the text, what its gaps took, and how many folded literal characters fit."""

    start: int
    end: int
    gaps: tuple[Span, ...]
    matched: int
    strict: bool = False
    partial: bool = False


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
