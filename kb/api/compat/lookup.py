"""A text to the records that it is about, as the err-lookup API lists them.

The explanation comes first: what it is sure of is all that is listed. Otherwise records whose code stands in the text
come first, then the guesses of the explanation, then what a search for the words of the text finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from kb.catalog import queries
from kb.catalog.answers import CatalogView, RecordRow
from kb.matching import engine as matching
from kb.matching.answers import Context, Explanation, Match
from kb.search import engine as searching

__all__ = ["MOST", "Hit", "look_up"]

MOST = 25
_SURE = frozenset({"exact", "strong"})
_HAS_THE_CODE, _HAS_THE_WORDS = 1.0, 0.4  # scores of records that only a search found; the second one at most
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}", re.ASCII)


class Hit(msgspec.Struct, rename="camel"):
    """One record, in the words of that API. ``score`` is 0 to 1."""

    id: str
    repo: str
    code: str | None
    message: str
    score: float
    match_type: str
    url: str


def look_up(text: str, *, repo: str | None, limit: int, state: CatalogView, base: str) -> list[Hit]:
    """At most ``limit`` records, of ``repo`` alone where one is given; none for a text without words. Five queries.

    Raises :class:`kb.search.errors.SearchUnavailable`.
    """
    if not text.strip() or not state.revision:
        return []
    context = Context(repositories=(repo,) if repo else ())
    explanation = matching.explain(text, limit=MOST if repo else limit, context=context)
    hits = [hit for hit in _explained(explanation, text, base) if repo in {None, hit.repo}][:limit]
    if not _is_sure(explanation, hits):
        known = {hit.id for hit in hits}
        least = min([_HAS_THE_WORDS, *(hit.score for hit in hits)])
        found = _searched(text, repo, limit, state)
        hits += [hit for hit in _rated(found, text, least, base) if hit.id not in known]
        hits.sort(key=lambda hit: hit.score, reverse=True)
    return hits[:limit]


def _is_sure(explanation: Explanation, hits: Sequence[Hit]) -> bool:
    best = explanation.best
    return best is not None and best.confidence in _SURE and bool(hits)


# --- what the explanation says ----------------------------------------------------------------------------------------


def _explained(explanation: Explanation, text: str, base: str) -> Iterator[Hit]:
    """The best match, the others of its error, then those of other errors; each record once."""
    seen: set[str] = set()
    matches = list(_in_order(explanation))
    alike = [record_id for match in matches for record_id in match.alike]
    rows = {row.id: row for row in queries.record_rows(alike)} if alike else {}
    codes = set(_CODE.findall(text))
    for match in matches:
        kind = _kind(match, codes)
        group = (match.row, *(rows[record_id] for record_id in match.alike if record_id in rows))
        for row in group:
            if row.id not in seen:
                seen.add(row.id)
                yield _hit(row, round(match.score, 3), kind, base)


def _in_order(explanation: Explanation) -> Iterator[Match]:
    if explanation.best is not None:
        yield explanation.best
    if explanation.best_fault is not None:
        yield from explanation.faults[explanation.best_fault].matches
    for fault in explanation.faults:
        yield from fault.matches


def _kind(match: Match, codes: set[str]) -> str:
    kinds = {evidence.kind for evidence in match.evidence}
    if match.row.error_code in codes or "code" in kinds:
        return "exact-code"
    return "pattern" if match.strict or "message" in kinds else "fuzzy"


# --- what a search finds ----------------------------------------------------------------------------------------------


def _searched(text: str, repo: str | None, limit: int, state: CatalogView) -> list[tuple[RecordRow, float]]:
    """The records with the words of the text, and how well they have them, from 0 to 1."""
    filters = {"repo": (repo,)} if repo else {}
    found = searching.search(text, filters=filters, facets=(), limit=limit, revision=state.revision)
    if not found.query.plain:  # no words: this would list anything
        return []
    rows = {row.id: row for row in queries.record_rows([hit.id for hit in found.hits])}
    most = max((hit.score for hit in found.hits), default=0.0) or 1.0
    shown = [(rows[hit.id], hit.score / most) for hit in found.hits if hit.id in rows]
    return [(row, share) for row, share in shown if repo in {None, row.repo}]


def _rated(found: Sequence[tuple[RecordRow, float]], text: str, most: float, base: str) -> Iterator[Hit]:
    codes = set(_CODE.findall(text))
    for row, share in found:
        if row.error_code in codes:
            yield _hit(row, _HAS_THE_CODE, "exact-code", base)
        else:
            yield _hit(row, round(most * share, 3), "fuzzy", base)


def _hit(row: RecordRow, score: float, kind: str, base: str) -> Hit:
    return Hit(
        id=row.id,
        repo=row.repo,
        code=row.error_code,
        message=row.error_message,
        score=score,
        match_type=kind,
        url=f"{base}/{row.repo}/{row.slug}/",
    )
