"""What to offer a search that found nothing: the same without its filters, or families whose names sound like it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.catalog import queries
from kb.catalog.answers import Term
from kb.search.engine import search
from kb.web.search_request import SearchRequest

__all__ = ["NothingFound", "near_terms", "nothing_found"]

_FAMILIES = 200  # the largest ones, among which a name may sound like what was asked
_OFFERED = 6
_ASKED_WORDS = 8
_LIKE = 0.8  # of 1, see difflib: "conection" is 0.95 like "connection" and 0.78 like "condition"
_WORD = re.compile(r"[^\W_]{3,40}")


@dataclass(frozen=True, kw_only=True)
class NothingFound:
    """``unfiltered_count`` records have the words if the filters go. Else ``families``: ``near`` says whether their
    names are like the words that were asked for; if none is, they are the largest ones.
    """

    unfiltered_count: int = 0
    families: tuple[Term, ...] = ()
    near: bool = False


def nothing_found(asked: SearchRequest, *, revision: int) -> NothingFound:
    """Look further for a question without hits. One query."""
    if asked.filters:
        freed = search(asked.text, facets=(), limit=1, unfinished=True, revision=revision)
        if freed.count:
            return NothingFound(unfiltered_count=freed.count)
    largest = queries.top_terms("family", _FAMILIES)
    near = near_terms(asked.text, largest)
    return NothingFound(families=(near or largest)[:_OFFERED], near=bool(near))


def near_terms(text: str, terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms with a word in their names that is like one of the text, the likest first. Pure."""
    by_word: dict[str, list[Term]] = {}
    for term in terms:
        for word in _words(term.key):
            by_word.setdefault(word, []).append(term)
    scores: dict[str, float] = {}
    for word in _words(text)[:_ASKED_WORDS]:
        for like in difflib.get_close_matches(word, by_word, n=3, cutoff=_LIKE):
            score = difflib.SequenceMatcher(None, word, like).ratio()
            for term in by_word[like]:
                scores[term.key] = scores.get(term.key, 0.0) + score
    found = [term for term in terms if term.key in scores]
    return tuple(sorted(found, key=lambda term: -scores[term.key]))


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
