"""The search page: words and facets, all of it plain links and one form; and its results alone, for who types."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext

from kb.catalog import queries
from kb.present import links
from kb.search.engine import search as search_index
from kb.web.error_texts import looks_like_an_error
from kb.web.highlights import found_rows
from kb.web.nothing_found import NothingFound, nothing_found
from kb.web.pages import Page, Visit, late_page
from kb.web.search_request import SearchRequest, example_links, facet_groups

__all__ = ["search", "search_results"]

_SHOWN = 20


@late_page
def search(visit: Visit) -> Page:
    """``/search/``. Two queries. Raises ``SearchUnavailable``, which is answered 503, and ``BadSearchCursor``.

    The list goes on in the revision of the index it began in, so the index's revision counts for the entity tag.
    """
    return _found(visit)


@late_page
def search_results(visit: Visit) -> Page:
    """``/search/results/``: what :func:`search` shows below its box, for a page that is there already.

    An address of its own, so that no answer differs by who asked.
    """
    return replace(_found(visit), template="parts/search_fragment.html")


def _found(visit: Visit) -> Page:
    asked = SearchRequest.of(visit.request)
    revision = visit.state.revision
    answer = search_index(
        asked.text,
        filters=asked.filters,
        cursor=asked.cursor,
        limit=1 if asked.is_empty else _SHOWN,
        unfinished=True,
        revision=revision,
    )
    start = asked.is_empty and bool(revision)
    rows = () if start else queries.record_rows([hit.id for hit in answer.hits])
    words = asked.text.strip()
    return Page(
        template="search.html",
        title=gettext("%(words)s · Search") % {"words": words} if words else gettext("Search"),
        path=links.SEARCH,
        section="search",
        description=gettext(
            "Search documented errors by message, code, class, repository or words of their documentation."
        ),
        indexed=False,
        context={
            "asked": asked,
            "answer": answer,
            "start": start,
            "examples": example_links(answer.facets) if start else (),
            "found": found_rows(answer.hits, rows),
            "nothing": nothing_found(asked, revision=revision) if revision and not answer.count else NothingFound(),
            "facets": facet_groups(asked, answer.facets),
            "next": asked.address(cursor=answer.next) if answer.next else "",
            "first": asked.address() if asked.cursor else "",
            "instead": asked.address(text=answer.did_you_mean) if answer.did_you_mean else "",
            "unfiltered": asked.address(filters={}),
            "error": words if looks_like_an_error(words) else "",
            "explain": links.explain_url(words),
            "explain_page": links.explain_url(words) or links.EXPLAIN,
        },
        depends_on=(answer.revision,),
    )
