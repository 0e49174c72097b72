"""Facets: how many of the hits there are of each language, severity and so on, and which of them is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tantivy import Query as IndexQuery
from tantivy import Searcher

from kb.records.text import fold
from kb.search import tuning
from kb.search.query import Filter
from kb.search.tokens import class_labels

__all__ = ["DEFAULT_FACETS", "FACETS", "FACET_FILTERS", "FacetValue", "count_facets"]

_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "repository": "repository",
        "language": "language",
        "severity": "severity",
        "type": "type",
        "class": "class",
        "code": "code_label",
        "strategy": "strategy",
        "family": "family",
        "tag": "tag",
        "status": "status",
        "file": "path",
    }
)
FACETS: Final = tuple(name for name in _COLUMNS if name != "file")
"""What a search can count. Files are counted within one repository only: elsewhere they are too many."""
DEFAULT_FACETS: Final = ("repository", "language", "severity", "type", "family", "tag")
FACET_FILTERS: Final[Mapping[str, str]] = MappingProxyType(
    {name: "repo" if name == "repository" else name for name in FACETS}
)
"""The field of the query language that a facet's values are given to."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet: the number of hits that have it, and whether a filter of the query asks for it."""

    value: str
    count: int
    selected: bool = False


def count_facets(
    searcher: Searcher, query: IndexQuery, *, names: Sequence[str], filters: Iterable[Filter]
) -> dict[str, tuple[FacetValue, ...]]:
    """The most frequent values of each facet over all hits, and all selected ones, by falling count, then by name."""
    if not names:
        return {}
    wanted = {name: {"field": _COLUMNS[name]} for name in names}
    counts = _aggregate(searcher, query, wanted)
    # A segment gives its most frequent values only. Where one may have kept something back, count the candidates again.
    unsure = {
        name: {"field": _COLUMNS[name], "include": [bucket["key"] for bucket in answer["buckets"]]}
        for name, answer in counts.items()
        if searcher.num_segments > 1 and answer.get("doc_count_error_upper_bound") and answer["buckets"]
    }
    if unsure:
        counts |= _aggregate(searcher, query, unsure)
    chosen = {name: _chosen(name, filters) for name in names}
    return {name: _values(name, counts[name]["buckets"], chosen[name]) for name in names}


def _aggregate(searcher: Searcher, query: IndexQuery, wanted: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    size = {"size": tuning.FACET_CANDIDATES, "segment_size": tuning.FACET_SEGMENT_VALUES}
    return searcher.aggregate(query, {name: {"terms": {**terms, **size}} for name, terms in wanted.items()})


def _chosen(name: str, filters: Iterable[Filter]) -> frozenset[str]:
    return frozenset(entry.value for entry in filters if entry.name == FACET_FILTERS.get(name) and not entry.negated)


def _values(name: str, buckets: Iterable[Mapping[str, Any]], chosen: frozenset[str]) -> tuple[FacetValue, ...]:
    ordered = sorted(buckets, key=lambda bucket: (-bucket["doc_count"], bucket["key"]))
    values = [
        FacetValue(bucket["key"], bucket["doc_count"], not chosen.isdisjoint(_names(name, bucket["key"])))
        for bucket in ordered
    ]
    return tuple(value for place, value in enumerate(values) if place < tuning.FACET_VALUES or value.selected)


def _names(facet: str, value: str) -> tuple[str, ...]:
    """The folded values of the filter that select a facet's value."""
    folded = fold(value)
    if facet == "class":
        return class_labels(value)
    if facet == "repository":
        return (folded, *folded.split("/"))
    return (folded,)
