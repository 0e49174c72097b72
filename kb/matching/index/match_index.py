"""An open index: every pattern that fits a text, and the records of a class, code, path, message or id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from kb.matching.index.grams import Neighborhood, Windows
from kb.matching.index.packing import Array, number_at, numbers_at
from kb.matching.index.patterns import word_key
from kb.matching.index.segments import Compiled, compile_pattern
from kb.matching.index.strict import Fit, find_strict
from kb.matching.index.strings import PART, Texts, packed
from kb.matching.index.tables import CLASS_PARTS, PATH_PARTS, Facts, Rows, message_key
from kb.matching.index.wide import Reading, find_beginning, find_wide

__all__ = ["Facts", "Found", "MatchIndex"]

_KEPT_PATTERNS: Final = 4_096  # compiled patterns that a process keeps
_KEPT_WORDS: Final = 32_768  # counts of words that a process keeps
_KEPT_FACTS: Final = 4_096  # facts of records
_MOST_OF_A_PATH: Final = 500  # rows that two parts of a path are enough for
_ROWS: Final = 13  # that two segments of a pattern in a log are apart at most
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_NONE: Final = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern that fits a text.

    ``start`` and ``end`` are offsets in the text of what the pattern covers, from its first to its last literal, or to
    the end of the line when it ends in a gap. ``matched`` of its ``literals`` folded characters fit. ``gaps`` are the
    offsets of what each gap took, as many as the fit reached. A ``strict`` fit is one of the regular expression; a
    ``partial`` one is of the pattern's beginning only.
    """

    pattern: int
    strict: bool
    partial: bool
    start: int
    end: int
    matched: int
    literals: int
    gaps: tuple[tuple[int, int], ...]


class MatchIndex:
    """The patterns and facts of one revision. Safe to share between threads; nothing in it changes."""

    def __init__(self, revision: int, arrays: Mapping[str, Array]) -> None:
        self.revision = revision
        self._arrays = arrays
        self._rows = Rows(arrays)
        self.records = len(self._rows)
        self.patterns = len(self._rows.starts) - 1
        self._texts = Texts(arrays["pattern.blob"], arrays["pattern.offsets"])
        self._compiled = lru_cache(maxsize=_KEPT_PATTERNS)(self._compile)
        self._counted = lru_cache(maxsize=_KEPT_WORDS)(self._count)
        self._told = lru_cache(maxsize=_KEPT_FACTS)(self._facts)
        self.bytes = sum(array.nbytes for array in arrays.values())
        self.refused = int(arrays["refused"][0])
        self._always = arrays["always"].tolist()

    # -- finding ----------------------------------------------------------------------------------------------------

    def find(self, text: str) -> list[Found]:
        """Every pattern that fits the text, by number: all strict fits, wide ones and long beginnings."""
        reading = Reading(text)
        main, heads = self._candidates(reading)
        found = []
        for pattern in sorted(main | heads):
            compiled = self._compiled(pattern)
            fit = self._fit(compiled, reading, whole=pattern in main)
            if fit is not None:
                found.append(_found(pattern, compiled, fit))
        return found

    def strict(self, text: str) -> set[int]:
        """The patterns whose regular expression finds something in the text."""
        main, _ = self._candidates(Reading(text))
        return {pattern for pattern in main if _strict(self._compiled(pattern), text) is not None}

    def _candidates(self, reading: Reading) -> tuple[set[int], set[int]]:
        """Patterns that may fit as a whole, and patterns whose beginning may fit."""
        data = reading.bare.encode("utf-8", "surrogatepass")
        arrays = self._arrays
        main, heads = set(self._always), set()
        for kind, width in (("wide", 8), ("narrow", 4)):
            keys, checks = arrays[f"{kind}.keys"], arrays[f"{kind}.checks"]
            if not keys.size:
                continue
            found = Windows(data, width)
            entries = np.unique(found.entries(keys, arrays[f"{kind}.bitmap"], checks)[1])
            filed = numbers_at(arrays[f"{kind}.patterns"], entries[found.present(checks[entries])])
            main.update((filed[filed & 1 == 0] >> 1).tolist())
            heads.update((filed >> 1).tolist())
        return main, heads

    def anchors(self, folded: bytes, starts: Sequence[int]) -> tuple[Array, Array]:
        """Where in a folded text, as UTF-8, a pattern may stand that is counted in logs: places and pattern numbers.

        ``starts`` are the places at which the rows of the text begin, and its end. Each pattern that fits as a whole,
        on at most thirteen rows, is told with the place of its anchor, a part of one of its segments. Patterns whose
        every segment is shorter than four bytes are left out.
        """
        found: list[tuple[Array, Array]] = []
        for kind, width in (("wide", 8), ("narrow", 4)):
            keys, checks = self._arrays[f"{kind}.keys"], self._arrays[f"{kind}.checks"]
            data = Windows(folded, width)
            at, entries = data.entries(keys, self._arrays[f"{kind}.bitmap"], checks)
            filed = numbers_at(self._arrays[f"{kind}.patterns"], entries)
            whole = filed & 1 == 0
            at, entries, filed = at[whole], entries[whole], filed[whole]
            if len(at):
                near = Neighborhood(data, starts, _ROWS).near(at, checks[entries])
                at, filed = at[near], filed[near]
            found.append((at, filed >> 1))
        return np.concatenate([at for at, _ in found]), np.concatenate([patterns for _, patterns in found])

    def compiled(self, pattern: int) -> Compiled:
        """A pattern, ready to be tried."""
        return self._compiled(pattern)

    @staticmethod
    def _fit(compiled: Compiled, reading: Reading, *, whole: bool) -> Fit | None:
        if whole:
            if (fit := _strict(compiled, reading.text)) is not None:
                return fit
            if compiled.kind == "expression":
                return None
            if (fit := find_wide(compiled, reading)) is not None:
                return fit
        return find_beginning(compiled, reading)

    def _compile(self, pattern: int) -> Compiled:
        return compile_pattern(self._texts[pattern])

    # -- patterns ---------------------------------------------------------------------------------------------------

    def pattern_text(self, pattern: int) -> str:
        """The pattern as the records have it."""
        return self._texts[pattern]

    def pattern_parts(self, pattern: int) -> tuple[str, ...]:
        """The folded literal segments of a pattern."""
        return tuple(segment.text for segment in self._compiled(pattern).segments)

    def rows_of(self, pattern: int) -> Array:
        """The rows of the records with a pattern."""
        return np.arange(*numbers_at(self._rows.starts, slice(pattern, pattern + 2)))

    def commonness(self, word: str) -> int:
        """How many patterns hold a word, given folded and in lower case."""
        return self._counted(word)

    def _count(self, word: str) -> int:
        keys = self._arrays["word.keys"]
        key = word_key(word)
        place = int(np.searchsorted(keys, np.uint32(key)))
        return number_at(self._arrays["word.counts"], place) if place < len(keys) and keys[place] == key else 0

    # -- records ----------------------------------------------------------------------------------------------------

    def facts(self, row: int) -> Facts:
        """The facts of a record."""
        return self._told(row)

    def _facts(self, row: int) -> Facts:
        return self._rows.facts(row)

    def by_class(self, name: str) -> Array:
        """Rows of records whose class has the same last part, whatever the case."""
        last = packed(name, CLASS_PARTS).partition(PART)[0]
        return self._rows.named("cls", last + PART) if last else _NONE

    def by_code(self, code: str) -> Array:
        """Rows of records with an error code, whatever its case."""
        key = packed(code, "")
        return self._rows.named("code", key, whole=True) if key else _NONE

    def by_path(self, path: str) -> Array:
        """Rows of records whose file path ends as a frame's path does, in at least two parts where both have two."""
        parts = packed(path, PATH_PARTS).split(PART)[:-1]
        rows = _NONE
        for count in range(min(2, len(parts)), len(parts) + 1) if parts else ():
            nearer = self._rows.named("path", PART.join(parts[:count]) + PART)
            if not len(nearer):
                break
            rows = nearer
            if len(rows) <= _MOST_OF_A_PATH:
                break
        if not len(rows) and parts:  # a record of a file at the root
            rows = self._rows.named("path", parts[0] + PART, whole=True)
        return rows

    def by_message(self, text: str) -> Array:
        """Rows of records whose message equals the text in comparison form."""
        return self._rows.with_message(message_key(text))

    def by_id(self, record_id: str) -> Array:
        """The row of a record; none when it is unknown or retired."""
        return self._rows.with_ids([record_id])

    def alike(self, ids: Iterable[str]) -> set[str]:
        """The ids of all records in the duplicate groups of the records with these ids."""
        return set(self._rows.ids(self._rows.groups(self._rows.with_ids(ids))))


def _strict(compiled: Compiled, text: str) -> Fit | None:
    if compiled.kind != "expression":
        return find_strict(compiled, text)
    found = compiled.expression.search(_SURROGATES.sub("\ufffd", text))
    return Fit(found.start(), found.end(), (), compiled.literals, strict=True) if found else None


def _found(pattern: int, compiled: Compiled, fit: Fit) -> Found:
    return Found(pattern, fit.strict, fit.partial, fit.start, fit.end, fit.matched, compiled.literals, fit.gaps)
