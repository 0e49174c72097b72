"""What a search answers: plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kb.search.facets import FacetValue
from kb.search.highlights import Segments
from kb.search.query import Query, QueryProblem

__all__ = ["Hit", "Relaxed", "SearchAnswer"]

Relaxed = Literal["typo", "some_words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One record found. ``highlights`` are its message and an excerpt of its documentation, by field name."""

    id: str
    score: float
    highlights: tuple[tuple[str, Segments], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SearchAnswer:
    """What was found.

    ``revision`` is the one that was searched, which may be older than the one asked for. ``count`` is the number of all
    hits, of which the first :data:`tuning.MAX_RANKED` can be paged through; ``capped`` says that there are more.
    ``relaxed`` says that nothing held all words as typed: these hits hold them in other spellings, or only most of
    them.
    ``query`` is the text as it was understood.
    """

    revision: int
    count: int = 0
    hits: tuple[Hit, ...] = ()
    facets: dict[str, tuple[FacetValue, ...]] = field(default_factory=dict)
    next: str | None = None
    did_you_mean: str | None = None
    problems: tuple[QueryProblem, ...] = ()
    capped: bool = False
    relaxed: Relaxed | None = None
    query: Query = field(default_factory=Query)
