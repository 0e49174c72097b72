"""Which records of the index one fault is compared with: by pattern, class, code, file and whole message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kb.matching import tuning
from kb.matching.index.match_index import Facts, Found, MatchIndex
from kb.matching.joining import Joined, joined
from kb.matching.question import Question

__all__ = ["Candidate", "candidates"]

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record, and where its pattern fits in the question's text, if it does."""

    facts: Facts
    found: Found | None


def candidates(index: MatchIndex, question: Question) -> list[Candidate]:
    """The records that anything in the fault points to, those of fitting patterns first; at most ``MAX_CANDIDATES``."""
    hints = _hints(index, question)
    fits = sorted(_fits(index, question), key=lambda found: (-found.matched, found.partial, found.pattern))
    chosen: dict[int, Found | None] = {}
    for found in fits:
        for row in _some(index, question, index.rows_of(found.pattern), hints):
            known = chosen.get(row)
            if known is None or found.matched > known.matched:
                chosen[row] = found
        if len(chosen) >= tuning.MAX_CANDIDATES:
            break
    for row in hints:
        if len(chosen) >= tuning.MAX_CANDIDATES:
            break
        chosen.setdefault(row, None)
    return [Candidate(index.facts(row), found) for row, found in chosen.items()]


def _fits(index: MatchIndex, question: Question) -> list[Found]:
    """Every pattern that fits in the question's text, as it is or without the breaks that a terminal's width made."""
    found = index.find(question.text)
    if "\n" not in question.fault.message:
        return found
    fits = {one.pattern: one for one in found}
    for whole in joined(question.text, question.fault.message_column):
        for one in index.find(whole.text):
            known = fits.get(one.pattern)
            if known is None or (known.partial, -known.matched) > (one.partial, -one.matched):
                fits[one.pattern] = _placed(one, whole)
    return list(fits.values())


def _placed(found: Found, whole: Joined) -> Found:
    """What was found in a text without its breaks, at its place in the text as it was."""
    gaps = tuple((whole.place(start), whole.place(end)) for start, end in found.gaps)
    return replace(found, strict=False, start=whole.place(found.start), end=whole.place(found.end), gaps=gaps)


def _hints(index: MatchIndex, question: Question) -> dict[int, None]:
    """Rows that class, code, message or a near frame names by itself, surest first."""
    fault = question.fault
    sources: list[Rows] = [index.by_code(code) for code in fault.codes]
    if fault.message:
        sources.append(index.by_message(fault.message))
    sources += [index.by_path(frame.path) for frame in question.frames[: tuning.NEAR_FRAMES]]
    if not question.is_generic:
        sources.append(index.by_class(question.cls))
    hints: dict[int, None] = {}
    for rows in sources:
        if len(rows) <= tuning.ROWS_OF_A_HINT:
            hints.update(dict.fromkeys(int(row) for row in rows))
    return hints


def _some(index: MatchIndex, question: Question, rows: Rows, hints: Iterable[int]) -> list[int]:
    """The rows of a pattern, or of many those that something else names, some of the same class, and the first few."""
    if len(rows) <= tuning.ROWS_OF_A_PATTERN:
        return [int(row) for row in rows]
    most, few = tuning.ROWS_OF_A_PATTERN, tuning.ROWS_OF_A_PATTERN // 4
    named = np.intersect1d(rows, np.fromiter(hints, dtype=rows.dtype))
    same = np.intersect1d(rows, index.by_class(question.cls)) if question.cls else rows[:0]
    return [int(row) for row in (*named[:most], *same[:few], *rows[:few])]
