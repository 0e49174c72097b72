"""The lists of families, codes, classes and tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext_lazy

from kb.catalog import queries
from kb.catalog.answers import TermSort
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_NAMES, cursor_of, paging, word_of
from kb.web.sorting import Column, headings, is_default, order_of, widths
from kb.web.term_kinds import KINDS

__all__ = ["terms"]

_COLUMNS: Final[Sequence[Column[TermSort]]] = (
    Column(by="name", label=gettext_lazy("Name")),
    Column(by="records", label=gettext_lazy("Records"), down=True, number=True, first=True),
    Column(by="repositories", label=gettext_lazy("Repositories"), down=True, number=True),
)


@page
def terms(visit: Visit, kinds: str) -> Page:
    """``/families/`` and its like, sorted by ``sort``; ``q`` is the label's beginning. At most three queries."""
    words = KINDS[kinds]
    query, cursor = word_of(visit.request, "q"), cursor_of(visit.request)
    order = order_of(visit.request, _COLUMNS)
    found = queries.terms(words.kind, cursor=cursor, limit=SHOWN_NAMES, prefix=query, order=order)
    drawn = widths([term.record_count for term in found.items], drawn=order.by == "records")
    return Page(
        template="terms.html",
        title=words.many,
        path=words.path,
        section=kinds,
        description=words.explanation,
        indexed=not (query or cursor) and is_default(order, _COLUMNS),
        context={
            "words": words,
            "rows": tuple(zip(found.items, drawn, strict=True)),
            "columns": headings(visit.request, _COLUMNS, order),
            "sort": word_of(visit.request, "sort"),
            "query": query,
            **paging(visit.request, found.next),
        },
    )
