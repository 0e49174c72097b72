"""What differs between two sequences, as runs of kept, removed and added items. Pure, and bounded in time.

Myers' algorithm with a limit on the number of differences: texts that have more in common than not are compared
exactly, and where little is common, the whole of one stands against the whole of the other, which reads better anyway.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

__all__ = ["Part", "Run", "line_parts", "runs", "word_parts"]

_MOST_DIFFERENCES: Final = 400
_MOST_ITEMS: Final = 60_000  # words or lines of one text that are compared one by one
_TOKEN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")

Kind = Literal["equal", "delete", "insert"]


class Run(NamedTuple):
    """Items that are in both sequences, only in the first, or only in the second; both ends are half open."""

    kind: Kind
    first: tuple[int, int]
    second: tuple[int, int]


class Part(NamedTuple):
    """A piece of text that was kept, removed or added."""

    kind: Kind
    text: str


def runs(first: Sequence[str], second: Sequence[str]) -> list[Run]:
    """How ``second`` comes from ``first``: kept and removed runs give the first, kept and added ones the second.

    A removed run stands before the added one that replaces it. Takes at most some hundred thousand steps.
    """
    start = 0
    shortest = min(len(first), len(second))
    while start < shortest and first[start] == second[start]:
        start += 1
    end = 0
    while end < shortest - start and first[-1 - end] == second[-1 - end]:
        end += 1
    ends = len(first) - end, len(second) - end
    kept = _kept(first[start : ends[0]], second[start : ends[1]])
    pairs = [(start + one, start + two, length) for one, two, length in kept]
    return _joined([(0, 0, start), *pairs, (*ends, end)], len(first), len(second))


def word_parts(before: str, after: str) -> tuple[Part, ...]:
    """How prose changed, word by word. A space or a comma that was kept between two changed words counts as changed."""
    first, second = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(first), len(second)) > _MOST_ITEMS:
        return line_parts(before, after)
    return tuple(_parts(_readable(runs(first, second), first), first, second))


def line_parts(before: str, after: str) -> tuple[Part, ...]:
    """How code changed, line by line; every part ends where a line does."""
    first, second = _LINE.findall(before), _LINE.findall(after)
    if max(len(first), len(second)) > _MOST_ITEMS:
        first, second = [before] if before else [], [after] if after else []
    return tuple(_parts(runs(first, second), first, second))


def _parts(found: Sequence[Run], first: Sequence[str], second: Sequence[str]) -> list[Part]:
    return [
        Part(run.kind, "".join(second[slice(*run.second)] if run.kind == "insert" else first[slice(*run.first)]))
        for run in found
    ]


def _readable(found: Sequence[Run], first: Sequence[str]) -> list[Run]:
    """Without kept runs that hold no word between two changes: they would cut what is read as one."""
    pairs: list[tuple[int, int, int]] = []
    for place, run in enumerate(found):
        if run.kind != "equal":
            continue
        inside = 0 < place < len(found) - 1
        if not inside or any(token[0].isalnum() or token[0] == "_" for token in first[slice(*run.first)]):
            pairs.append((run.first[0], run.second[0], run.first[1] - run.first[0]))
    ends = (found[-1].first[1], found[-1].second[1]) if found else (0, 0)
    return _joined(pairs, *ends)


def _joined(kept: Sequence[tuple[int, int, int]], first_end: int, second_end: int) -> list[Run]:
    """Runs from what was kept, (place in the first, place in the second, length) each, in order."""
    found: list[Run] = []
    one = two = 0
    for begin, there, length in [*kept, (first_end, second_end, 0)]:
        if begin > one:
            found.append(Run("delete", (one, begin), (two, two)))
        if there > two:
            found.append(Run("insert", (begin, begin), (two, there)))
        if length and found and found[-1].kind == "equal":
            last = found.pop()
            found.append(Run("equal", (last.first[0], begin + length), (last.second[0], there + length)))
        elif length:
            found.append(Run("equal", (begin, begin + length), (there, there + length)))
        one, two = begin + length, there + length
    return found


def _kept(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int, int]]:
    """What two sequences have in common, nothing when they differ in more than the limit."""
    if not first or not second:
        return []
    furthest = {1: 0}  # for each diagonal, how far one gets in the first sequence
    history: list[dict[int, int]] = []
    for differences in range(min(len(first) + len(second), _MOST_DIFFERENCES) + 1):
        history.append(furthest.copy())
        for diagonal in range(-differences, differences + 1, 2):
            down = diagonal == -differences or (
                diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            one = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            two = one - diagonal
            while one < len(first) and two < len(second) and first[one] == second[two]:
                one += 1
                two += 1
            furthest[diagonal] = one
            if one >= len(first) and two >= len(second):
                return _walked_back(history, len(first), len(second))
    return []


def _walked_back(history: Sequence[dict[int, int]], one: int, two: int) -> list[tuple[int, int, int]]:
    """The kept runs on the way that was found, from its end to its beginning."""
    kept: list[tuple[int, int, int]] = []
    for differences in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[differences], one - two
        down = diagonal == -differences or (diagonal != differences and furthest[diagonal - 1] < furthest[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        from_one = furthest[before] if differences else 0
        from_two = from_one - before if differences else 0
        start = (from_one if down else from_one + 1) if differences else 0
        if one > start:
            kept.append((start, start - diagonal, one - start))
        one, two = from_one, from_two
    return kept[::-1]
