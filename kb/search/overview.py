"""What the records of one repository, family, code, class or tag are like: counts for charts, and how many there were.

The counts are over exactly the records that the page of that thing lists; a filter of the query language such as
``class:`` would find more, since it knows neither case nor qualification.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from tantivy import Occur
from tantivy import Query as IndexQuery

from kb.records.keys import url_key
from kb.records.text import fold
from kb.search import tuning
from kb.search.documents import filter_term
from kb.search.errors import SearchUnavailable
from kb.search.facets import FACET_FILTERS, FacetValue, count_facets
from kb.search.library import guarded, hit_count
from kb.search.open import OpenIndex, open_revision

__all__ = ["OVERVIEW_FACETS", "Overview", "Scope", "overview"]

ScopeKind = Literal["repo", "family", "tag", "class_key", "code_key"]
OVERVIEW_FACETS: Final = ("severity", "type", "language", "repository", "class", "code", "family", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which records: the field and its value, a key of :func:`kb.records.keys.url_key` for codes and classes.

    ``narrowed`` holds the facets that are restricted to one value, as the records have it.
    """

    kind: ScopeKind
    value: str
    narrowed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The number of current records, and of those with each value of each facet, the most frequent first.

    A narrowed facet is counted as if it were not, so that its other values can be chosen instead. ``growth`` is
    revision and number of current records after it, oldest first, by what is known today: a record that was retired
    and came back counts all the while. ``revision`` is the one that was counted, which may be older than the one asked
    for.
    """

    revision: int
    count: int = 0
    facets: Mapping[str, tuple[FacetValue, ...]] = field(default_factory=dict)
    growth: tuple[tuple[int, int], ...] = ()


def overview(scope: Scope, *, facets: Sequence[str], revision: int, directory: Path | None = None) -> Overview:
    """Count the records of ``scope`` by some of :data:`OVERVIEW_FACETS`. Raises :class:`SearchUnavailable`.

    One pass over the records and one for each narrowed facet; answers are kept, so that large ones are dear once.
    """
    if revision == 0:
        return Overview(revision=0)
    opened = open_revision(revision, directory=directory)
    told = repr((scope.kind, scope.value, sorted(scope.narrowed.items()), tuple(facets)))
    digest = hashlib.sha256(told.encode("utf-8", "backslashreplace")).digest()

    def count() -> Overview:
        try:
            with guarded("Counting records"):
                return _counted(opened, scope, facets)
        except SearchUnavailable as problem:
            raise SearchUnavailable(opened.suspect() or problem.reason) from problem

    kept: Overview = opened.overviews.get(digest, count)
    return kept


def _counted(opened: OpenIndex, scope: Scope, facets: Sequence[str]) -> Overview:
    query = _query(opened, scope)
    others = [name for name in facets if name not in scope.narrowed]
    found = count_facets(opened.searcher, query, names=others, filters=())
    for name, chosen in scope.narrowed.items():
        if name in facets:
            around = _query(opened, scope, without=name)
            values = count_facets(opened.searcher, around, names=[name], filters=())[name]
            found[name] = tuple(replace(value, selected=value.value == chosen) for value in values)
    return Overview(
        revision=opened.revision,
        count=hit_count(opened.searcher.search(query, limit=1)),
        facets=found,
        growth=() if scope.narrowed else _growth(opened, scope),
    )


def _query(opened: OpenIndex, scope: Scope, *, without: str = "", retired: bool = False) -> IndexQuery:
    """The current records of a scope as narrowed, but for one facet; with ``retired``, those too."""

    def term(name: str, value: str) -> IndexQuery:
        return IndexQuery.term_query(opened.schema, "filter", filter_term(name, value), "basic")

    value = fold(scope.value) if scope.kind == "repo" else scope.value
    clauses = [(Occur.Must, term(scope.kind, value))]
    clauses += [(Occur.Must, term(*_narrow(name, value))) for name, value in scope.narrowed.items() if name != without]
    if not retired:
        clauses.append((Occur.MustNot, term("status", "retired")))
    return IndexQuery.boolean_query(clauses)


def _narrow(facet: str, value: str) -> tuple[str, str]:
    """The name and value of the ``filter`` term that one value of a facet goes by."""
    if facet in {"class", "code"}:
        return f"{facet}_key", url_key(value)
    return FACET_FILTERS.get(facet, facet), fold(value)


def _growth(opened: OpenIndex, scope: Scope) -> tuple[tuple[int, int], ...]:
    """Numbers of records after at most :data:`tuning.GROWTH_POINTS` revisions, evenly spaced, the last one counted."""
    every = -(-opened.revision // tuning.GROWTH_POINTS)
    wanted = {name: {"histogram": {"field": name, "interval": every}} for name in ("first", "retired")}
    answer: dict[str, Any] = opened.searcher.aggregate(_query(opened, scope, retired=True), wanted)
    changes: dict[int, int] = {}
    for name, sign in (("first", 1), ("retired", -1)):
        for bucket in answer[name]["buckets"]:
            place = int(bucket["key"]) // every
            changes[place] = changes.get(place, 0) + sign * bucket["doc_count"]
    points: list[tuple[int, int]] = []
    count = 0
    for place in range(opened.revision // every + 1):
        count += changes.get(place, 0)
        points.append((min((place + 1) * every - 1, opened.revision), count))
    return tuple(point for point in points if point[0] > 0)
