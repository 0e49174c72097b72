"""The list of repositories."""

from __future__ import annotations

from kb.catalog import queries
from kb.present import links
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_NAMES, cursor_of, paging, word_of

__all__ = ["repositories"]


@page
def repositories(visit: Visit) -> Page:
    """``/repositories/``, by name; ``q`` is a part of the name. Three queries."""
    query = word_of(visit.request, "q")
    cursor = cursor_of(visit.request)
    found = queries.repositories(cursor=cursor, limit=SHOWN_NAMES, query=query)
    largest = queries.top_repositories(6) if not (query or cursor) and found.next else ()
    return Page(
        template="repositories.html",
        title="Repositories",
        path=links.REPOSITORIES,
        section="repositories",
        description=f"The {visit.state.repositories:,} repositories whose errors are documented here.",
        indexed=not (query or cursor),
        context={"page": found, "largest": largest, "query": query, **paging(visit.request, found.next)},
    )
