"""The records of one family, code, class or tag."""

from __future__ import annotations

from django.http import Http404

from kb.catalog import queries
from kb.present import links
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_RECORDS, cursor_of, paging
from kb.web.term_kinds import KINDS

__all__ = ["term"]


@page
def term(visit: Visit, kinds: str, key: str) -> Page:
    """One family, code, class or tag: its article if there is one, and its records. Four queries."""
    words = KINDS[kinds]
    found = queries.term(words.kind, key)
    if found is None:
        raise Http404
    cursor = cursor_of(visit.request)
    article = queries.article_for(words.kind, found.label) if words.kind != "tag" and not cursor else None
    rows = queries.list_rows(words.filters(key), cursor=cursor, limit=SHOWN_RECORDS)
    return Page(
        template="term.html",
        title=f"{found.label} ({words.one.lower()})",
        path=words.path_of(key),
        section=kinds,
        description=f"{found.record_count:,} documented errors in {found.repository_count:,} repositories"
        f" with the {words.one.lower()} {found.label}.",
        indexed=not cursor,
        trail=((words.many, words.path), (found.label, words.path_of(key))),
        context={
            "words": words,
            "feed": links.family_feed_path(key) if words.kind == "family" else "",
            "term": found,
            "article": article,
            "page": rows,
            **paging(visit.request, rows.next),
        },
    )
