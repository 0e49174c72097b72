"""The search: one question in, one answer out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from django.utils.translation import gettext
from tantivy import DocAddress, Order
from tantivy import Query as IndexQuery

from kb.records.text import one_line
from kb.search import tuning
from kb.search.answers import Hit, Relaxed, SearchAnswer
from kb.search.compose import Asked, asked, compose
from kb.search.cursors import next_cursor, query_digest, read_cursor
from kb.search.errors import SearchCursorExpired, SearchUnavailable
from kb.search.facets import DEFAULT_FACETS, FACETS, FacetValue, count_facets
from kb.search.highlights import Marks, Segments, excerpt, mark, marks
from kb.search.library import guarded, hit_count
from kb.search.open import OpenIndex, open_revision
from kb.search.query import Query, QueryProblem, parse, read_filters
from kb.search.schema import TEXT_FIELDS
from kb.search.suggestions import Correction, completions, corrections, is_correctable

__all__ = ["search"]

_NO_FILTERS: Mapping[str, Sequence[str]] = MappingProxyType({})
_Corrected = Mapping[str, tuple[Correction, ...]]


def search(  # noqa: PLR0913  the one question of this room, with its parts by name
    text: str,
    *,
    filters: Mapping[str, Sequence[str]] = _NO_FILTERS,
    facets: Sequence[str] = DEFAULT_FACETS,
    cursor: str | None = None,
    limit: int = tuning.DEFAULT_LIMIT,
    unfinished: bool = False,
    revision: int,
    directory: Path | None = None,
) -> SearchAnswer:
    """Search the catalog as of a revision.

    ``filters`` restrict beside the text: names of :data:`kb.search.query.FIELDS` to values. ``limit`` is kept within 1
    to :data:`tuning.MAX_LIMIT`. A text without words lists all that passes its filters, by repository and slug.
    ``unfinished`` takes a last word that nothing stands behind for the beginning of one as well: for people who type.
    Raises :class:`SearchUnavailable`, :class:`BadSearchCursor` and, for an unknown facet, ``ValueError``.
    """
    unknown = sorted(set(facets) - set(FACETS))
    if unknown:
        raise ValueError(f"unknown facet {unknown[0]!r}; the facets are {', '.join(FACETS)}")
    if revision == 0:
        return SearchAnswer(revision=0, query=parse(text), facets=dict.fromkeys(facets, ()))
    digest = query_digest(text, filters, unfinished=unfinished)
    opened, offset = _start(cursor, digest, revision, directory)
    query = parse(text, values=opened.values)
    beside, wrong = read_filters(filters, values=opened.values)
    slice_ = _Slice(offset=offset, limit=max(1, min(limit, tuning.MAX_LIMIT, tuning.MAX_RANKED - offset)))
    question = asked(query, beside, unfinished=unfinished)
    try:
        with guarded("Searching"):
            question = _completed(opened, question)
            found = _find(opened, question, slice_)
            counts = _facets(opened, found, question, facets, digest)
            hits = _hits(opened, found, marks(question.wanted, found.corrected, begun=question.begun))
    except SearchUnavailable as problem:
        raise SearchUnavailable(opened.suspect() or problem.reason) from problem
    return SearchAnswer(
        revision=opened.revision,
        count=found.count,
        hits=hits,
        facets=counts,
        next=next_cursor(opened.revision, offset=offset + len(hits), count=found.count, digest=digest),
        did_you_mean=found.did_you_mean,
        problems=(*query.problems, *wrong, *_silence(question, found)),
        capped=found.count > tuning.MAX_RANKED,
        relaxed=found.relaxed,
        query=query,
    )


def _start(cursor: str | None, digest: bytes, revision: int, directory: Path | None) -> tuple[OpenIndex, int]:
    """The index to search and the number of hits to pass over. A list goes on in the revision that it began in."""
    if cursor is None:
        return open_revision(revision, directory=directory), 0
    began, offset = read_cursor(cursor, digest)
    try:
        opened = open_revision(began, directory=directory)
    except SearchUnavailable:
        if began == revision:
            raise
        opened = None
    if opened is None or opened.revision != began or began > revision:
        raise SearchCursorExpired("The catalog has changed since this list began; start again at its first page.")
    return opened, offset


def _completed(opened: OpenIndex, question: Asked) -> Asked:
    """The question with what its unfinished word may become."""
    if question.begun is None:
        return question
    last = question.begun.words[-1]
    return replace(question, completions=completions(last, searcher=opened.words_searcher, schema=opened.words_schema))


def _facets(
    opened: OpenIndex, found: _Found, question: Asked, names: Sequence[str], digest: bytes
) -> dict[str, tuple[FacetValue, ...]]:
    def count() -> dict[str, tuple[FacetValue, ...]]:
        return count_facets(opened.searcher, found.query, names=names, filters=question.filters)

    if found.count < tuning.KEPT_FROM:
        return count()
    return dict(opened.facets.get(digest + ",".join(names).encode(), count))


def _silence(question: Asked, found: _Found) -> tuple[QueryProblem, ...]:
    if found.count or question.wanted or not question.query.plain:
        return ()
    message = gettext("The text holds no word that can be searched for.")
    return (QueryProblem(code="nothing_to_search", message=message),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    offset: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The query that found something, or the first one if none did, and the hits of the slice: score, id, address."""

    query: IndexQuery
    count: int
    hits: Sequence[tuple[float, str, DocAddress]]
    corrected: _Corrected = field(default_factory=dict)
    relaxed: Relaxed | None = None
    did_you_mean: str | None = None


def _find(opened: OpenIndex, question: Asked, slice_: _Slice) -> _Found:
    """All words first; only when that finds nothing, near spellings, and then most of the words."""
    exact = _run(opened, compose(question, schema=opened.schema), question, slice_)
    if exact.count >= tuning.FEW_HITS or not question.wanted:
        return exact
    corrected = _other_spellings(opened, question)
    if corrected:
        near = _run(opened, compose(question, schema=opened.schema, corrected=corrected), question, slice_)
        better = _respelled(question.query, corrected)
        if not exact.count and near.count:
            return _relaxed(near, "typo", corrected, better)
        if near.count >= exact.count * tuning.RARER_BY and exact.count:
            return _Found(query=exact.query, count=exact.count, hits=exact.hits, did_you_mean=better)
    if exact.count or len(question.wanted) == 1:
        return exact
    most = compose(question, schema=opened.schema, corrected=corrected, most_words=True)
    return _relaxed(_run(opened, most, question, slice_), "some_words", corrected, None)


def _relaxed(found: _Found, how: Relaxed, corrected: _Corrected, better: str | None) -> _Found:
    return _Found(
        query=found.query,
        count=found.count,
        hits=found.hits,
        corrected=corrected,
        relaxed=how if found.count else None,
        did_you_mean=better,
    )


def _run(opened: OpenIndex, query: IndexQuery, question: Asked, slice_: _Slice) -> _Found:
    count, hits = (_ranked if question.query.plain else _listed)(opened, query, slice_)
    return _Found(query=query, count=count, hits=hits)


def _listed(opened: OpenIndex, query: IndexQuery, slice_: _Slice) -> tuple[int, list[tuple[float, str, DocAddress]]]:
    """Without words: by repository and slug."""
    found = opened.searcher.search(
        query, limit=slice_.limit, offset=slice_.offset, order_by_field="order", order=Order.Asc
    )
    return hit_count(found), [(0.0, str(key).rpartition(" ")[2], address) for key, address in found.hits]


def _ranked(opened: OpenIndex, query: IndexQuery, slice_: _Slice) -> tuple[int, list[tuple[float, str, DocAddress]]]:
    """With words: by score, then by id. tantivy breaks ties by the order of its files, so the whole tie is fetched."""
    end = slice_.offset + slice_.limit
    wanted = end + tuning.TIE_MARGIN
    found = opened.searcher.search(query, limit=wanted)
    if len(found.hits) == wanted and _rounded(found.hits[-1][0]) == _rounded(found.hits[end - 1][0]):
        found = opened.searcher.search(query, limit=max(wanted, tuning.MAX_RANKED))
    addresses = [address for _, address in found.hits]
    keys = opened.searcher.fast_field_values("key", addresses) if addresses else []
    hits = [(_rounded(score), f"{key:016x}", address) for (score, address), key in zip(found.hits, keys, strict=True)]
    hits.sort(key=lambda hit: (-hit[0], hit[1]))
    return hit_count(found), hits[slice_.offset : end]


def _rounded(score: float) -> float:
    return float(f"{score:.{tuning.SCORE_DIGITS}g}")


def _other_spellings(opened: OpenIndex, question: Asked) -> dict[str, tuple[Correction, ...]]:
    """Other spellings of the words that the index does not know, or that it knows far better in another spelling."""
    found: dict[str, tuple[Correction, ...]] = {}
    tokens = dict.fromkeys(token for unit in question.wanted for token in unit.words if is_correctable(token))
    for token in list(tokens)[: tuning.CORRECTED_WORDS]:
        known = max(opened.searcher.doc_freq(name, token) for name in TEXT_FIELDS)
        near = corrections(token, searcher=opened.words_searcher, schema=opened.words_schema)
        near = tuple(entry for entry in near if entry.count >= known * tuning.RARER_BY)
        if near:
            found[token] = near
    return found


def _respelled(query: Query, corrected: _Corrected) -> str | None:
    """The text with the best spelling in place of each corrected word, values of filters aside."""
    text = query.text
    for word, near in corrected.items():
        text = re.sub(rf"(?<![^\W_])(?<!:){re.escape(word)}(?![^\W_])", near[0].word, text, flags=re.IGNORECASE)
    return text if text != query.text else None


def _hits(opened: OpenIndex, found: _Found, wanted: Marks) -> tuple[Hit, ...]:
    longer = wanted.without_short()
    return tuple(
        Hit(id=id, score=score, highlights=_highlights(opened, address, wanted, longer))
        for score, id, address in found.hits
    )


def _highlights(
    opened: OpenIndex, address: DocAddress, wanted: Marks, longer: Marks
) -> tuple[tuple[str, Segments], ...]:
    shown = opened.searcher.doc(address).to_dict()
    message = one_line(shown.get("show_message", [""])[0], tuning.MESSAGE_CHARACTERS)
    documentation = shown.get("show_documentation", [""])[0]
    return (("message", mark(message, wanted)), ("documentation", excerpt(documentation, longer)))
