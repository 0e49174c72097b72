"""The list of repositories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext, gettext_lazy, ngettext

from kb.catalog import queries
from kb.catalog.answers import RepositorySort
from kb.present import links
from kb.present.numbers import grouped
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_NAMES, cursor_of, paging, word_of
from kb.web.sorting import Column, headings, is_default, order_of, widths

__all__ = ["repositories"]

_COLUMNS: Final[Sequence[Column[RepositorySort]]] = (
    Column(by="name", label=gettext_lazy("Repository")),
    Column(by="language", label=gettext_lazy("Language")),
    Column(by="records", label=gettext_lazy("Records"), down=True, number=True, first=True),
    Column(by="stars", label=gettext_lazy("Stars"), down=True, number=True),
    Column(by="analyzed", label=gettext_lazy("Analyzed"), down=True),
)


@page
def repositories(visit: Visit) -> Page:
    """``/repositories/``, sorted by ``sort``; ``q`` is a part of the name. At most four queries."""
    query, cursor = word_of(visit.request, "q"), cursor_of(visit.request)
    order = order_of(visit.request, _COLUMNS)
    found = queries.repositories(cursor=cursor, limit=SHOWN_NAMES, query=query, order=order)
    drawn = widths([view.record_count for view in found.items], drawn=order.by == "records")
    count = visit.state.repositories
    return Page(
        template="repositories.html",
        title=gettext("Repositories"),
        path=links.REPOSITORIES,
        section="repositories",
        description=ngettext(
            "The %(number)s repository whose errors are documented here.",
            "The %(number)s repositories whose errors are documented here.",
            count,
        )
        % {"number": grouped(count)},
        indexed=not (query or cursor) and is_default(order, _COLUMNS),
        context={
            "rows": tuple(zip(found.items, drawn, strict=True)),
            "columns": headings(visit.request, _COLUMNS, order),
            "sort": word_of(visit.request, "sort"),
            "query": query,
            **paging(visit.request, found.next),
        },
    )
