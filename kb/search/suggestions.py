"""Other spellings and the completions of a word, from the words that the index knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tantivy import Query, Schema, Searcher

from kb.search import tuning
from kb.search.tokens import UNSPACED

__all__ = ["VOCABULARY_FIELDS", "Correction", "completions", "corrections", "distance", "is_correctable"]

VOCABULARY_FIELDS = ("message", "names", "topic", "documentation")
"""Fields whose words are good enough to be suggested. Code is not."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A known word near the one typed: how many letters differ, and in how many records it stands."""

    word: str
    distance: int
    count: int


def is_correctable(word: str) -> bool:
    """Whether a word may be corrected or suggested: plain and of some length. In codes every sign counts."""
    return (
        tuning.SHORTEST_CORRECTED <= len(word) <= tuning.LONGEST_CORRECTED
        and word.isalpha()
        and not UNSPACED.search(word)
    )


def completions(beginning: str, *, searcher: Searcher, schema: Schema) -> tuple[str, ...]:
    """Known words that begin so, the most frequent ones, by falling frequency; never the beginning itself.

    ``beginning`` is a token of the index, ``searcher`` and ``schema`` belong to the index of words.
    """
    if len(beginning) < tuning.SHORTEST_COMPLETED:
        return ()
    query = Query.regex_query(schema, "word", f"{beginning}.+")  # a token holds letters and digits alone
    found = searcher.search(query, limit=tuning.COMPLETIONS, order_by_field="count", count=False)
    return tuple(str(searcher.doc(address).to_dict()["word"][0]) for _, address in found.hits)


def corrections(word: str, *, searcher: Searcher, schema: Schema) -> tuple[Correction, ...]:
    """Known words one letter away (two for long words), nearest and most frequent first; never the word itself.

    ``searcher`` and ``schema`` belong to the index of words.
    """
    if not is_correctable(word):
        return ()
    reach = 2 if len(word) >= tuning.TWO_TYPOS_FROM else 1
    near: list[Correction] = []
    for step in range(1, reach + 1):
        query = Query.fuzzy_term_query(schema, "word", word, distance=step)
        found = searcher.search(query, limit=tuning.CORRECTION_CANDIDATES, order_by_field="count", count=False)
        near = list(_near(word, step, (searcher.doc(address).to_dict() for _, address in found.hits)))
        if near:
            break
    return tuple(sorted(near, key=lambda entry: (entry.distance, -entry.count, entry.word))[: tuning.CORRECTIONS])


def _near(word: str, reach: int, documents: Iterable[dict[str, list[object]]]) -> Iterable[Correction]:
    for entry in documents:
        candidate, count = str(entry["word"][0]), entry["count"][0]
        apart = distance(word, candidate)
        if 0 < apart <= reach and isinstance(count, int):
            yield Correction(candidate, apart, count)


def distance(left: str, right: str) -> int:
    """Letters to insert, delete, replace or swap with their neighbor to make one word of the other."""
    two_back: list[int] = []
    back = list(range(len(right) + 1))
    for row, letter in enumerate(left, start=1):
        now = [row]
        for column, other in enumerate(right, start=1):
            cost = min(back[column] + 1, now[column - 1] + 1, back[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, two_back[column - 2] + 1)
            now.append(cost)
        two_back, back = back, now
    return back[-1]
