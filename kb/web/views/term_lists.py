"""The lists of families, codes, classes and tags."""

from __future__ import annotations

from kb.catalog import queries
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_NAMES, cursor_of, paging, word_of
from kb.web.term_kinds import KINDS

__all__ = ["terms"]


@page
def terms(visit: Visit, kinds: str) -> Page:
    """``/families/`` and its like, by label; ``q`` is the label's beginning. Three queries."""
    words = KINDS[kinds]
    query, cursor = word_of(visit.request, "q"), cursor_of(visit.request)
    found = queries.terms(words.kind, cursor=cursor, limit=SHOWN_NAMES, prefix=query)
    largest = queries.top_terms(words.kind, 12) if not (query or cursor) and found.next else ()
    return Page(
        template="terms.html",
        title=words.many,
        path=words.path,
        section=kinds,
        description=words.explanation,
        indexed=not (query or cursor),
        context={
            "words": words,
            "page": found,
            "largest": largest,
            "query": query,
            **paging(visit.request, found.next),
        },
    )
