"""Marking the words of a query in a text. The result is segments, never markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from kb.search import tuning
from kb.search.suggestions import Correction
from kb.search.tokens import HUMP, UNSPACED, Unit, words

__all__ = ["Marks", "Segments", "excerpt", "mark", "marks"]

Segments = tuple[tuple[str, bool], ...]
"""A text in pieces that join back to it; the flag says whether a piece is one of the words searched for."""

_WORD = re.compile(r"[^\W_]+")
_SHORT = 2
"""Words up to this length are marked in a message but not in prose, where every second one is such a word."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What to mark: folded words, humps of identifiers, and runs of scripts without spaces.

    ``beginning`` is the one of the words that may be unfinished: whatever begins with it is marked as well.
    """

    words: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    runs: tuple[str, ...] = ()
    beginning: str = ""

    @cached_property
    def finder(self) -> re.Pattern[str]:
        """Finds every place that may have to be marked, quickly: what is looked for, and whatever is not ASCII."""
        wanted = sorted(re.escape(word) for word in self.words | self.parts if word.isascii())
        return re.compile("|".join([*wanted, "[^\\x00-\\x7f]+"]), re.IGNORECASE | re.ASCII)

    def without_short(self) -> Marks:
        """Without the shortest words, unless there are no others."""
        longer = frozenset(word for word in self.words if len(word) > _SHORT)
        words = longer or self.words
        beginning = self.beginning if self.beginning in words else ""
        return Marks(words=words, parts=self.parts, runs=self.runs, beginning=beginning)

    def holds(self, word: str) -> bool:
        """Whether a folded word is one of them."""
        return word in self.words or bool(self.beginning and word.startswith(self.beginning))


def marks(units: Iterable[Unit], corrected: Mapping[str, Sequence[Correction]], *, begun: Unit | None = None) -> Marks:
    """What to mark for the units of a query and the spellings that stood in for them."""
    units = tuple(units)
    found = {word for unit in units for word in unit.words}
    found |= {near.word for word in tuple(found) for near in corrected.get(word, ())}
    runs = (unit.grams[0] + "".join(gram[1:] for gram in unit.grams[1:]) for unit in units if unit.grams)
    return Marks(
        words=frozenset(found),
        parts=frozenset(part for unit in units for part in unit.parts),
        runs=tuple(dict.fromkeys(runs)),
        beginning=begun.words[-1] if begun else "",
    )


def mark(text: str, marks: Marks) -> Segments:
    """The text in segments."""
    return _segments(text, 0, len(text), _spans(text, marks))


def excerpt(text: str, marks: Marks, *, limit: int = tuning.EXCERPT_CHARACTERS) -> Segments:
    """About ``limit`` characters of a text on one line, round its first marked words, with ellipses where cut."""
    line = " ".join(text.split())
    spans = list(_spans(line, marks))
    if len(line) <= limit:
        return _segments(line, 0, len(line), spans)
    first = spans[0][0] if spans else 0
    start = 0 if first < limit * 2 // 3 else _word_start(line, first - limit // 3)
    end = _word_end(line, start + limit)
    pieces = _segments(line, start, end, spans)
    before = (("… ", False),) if start else ()
    after = ((" …", False),) if end < len(line) else ()
    return (*before, *pieces, *after)


def _word_start(line: str, position: int) -> int:
    space = line.find(" ", position, position + 30)
    return position if space < 0 else space + 1


def _word_end(line: str, position: int) -> int:
    if position >= len(line):
        return len(line)
    space = line.rfind(" ", position - 30, position)
    return position if space < 0 else space


def _spans(text: str, marks: Marks) -> Iterator[tuple[int, int]]:
    """Where something is to be marked, in order and apart from each other."""
    end = 0
    for match in marks.finder.finditer(text):
        if match.start() < end:
            continue
        start = match.start()
        while start > end and _WORD.match(text[start - 1]):
            start -= 1
        token = _WORD.match(text, start)
        if token is None:
            continue
        end = token.end()
        for begin, stop in _token_spans(token[0], marks):
            yield start + begin, start + stop


def _token_spans(token: str, marks: Marks) -> Iterator[tuple[int, int]]:
    """What to mark in one token: all of it, some of its humps, or runs of characters."""
    if any(map(marks.holds, _folded(token))):
        yield 0, len(token)
    elif token.isascii():
        for hump in HUMP.finditer(token):
            if len(hump[0]) < len(token) and (hump[0].lower() in marks.parts or _begins(hump[0], marks)):
                yield hump.span()
    else:
        yield from _run_spans(token, marks.runs)


def _begins(hump: str, marks: Marks) -> bool:
    return bool(marks.beginning) and hump.lower().startswith(marks.beginning)


def _folded(token: str) -> frozenset[str]:
    return frozenset((token.lower(),)) if token.isascii() else frozenset(words(token))


def _run_spans(token: str, runs: Iterable[str]) -> Iterator[tuple[int, int]]:
    if not UNSPACED.search(token):
        return
    hit = [False] * len(token)
    for run in runs:
        begin = token.find(run)
        while begin >= 0:
            hit[begin : begin + len(run)] = [True] * len(run)
            begin = token.find(run, begin + 1)
    position = 0
    for marked, flags in groupby(hit):
        begin, position = position, position + len(list(flags))
        if marked:
            yield begin, position


def _segments(text: str, start: int, end: int, spans: Iterable[tuple[int, int]]) -> Segments:
    """The pieces of ``text[start:end]``."""
    pieces: list[tuple[str, bool]] = []
    position = start
    for first, last in spans:
        begin, stop = max(first, position), min(last, end)
        if begin >= stop:
            continue
        if begin > position:
            pieces.append((text[position:begin], False))
        pieces.append((text[begin:stop], True))
        position = stop
    if position < end:
        pieces.append((text[position:end], False))
    return tuple(pieces)
