"""The search page: words and facets, all of it plain links and one form."""

from __future__ import annotations

from kb.catalog import queries
from kb.present import links
from kb.search.engine import search as search_index
from kb.web.error_texts import looks_like_an_error
from kb.web.highlights import found_rows
from kb.web.pages import Page, Visit, late_page
from kb.web.search_request import SearchRequest, facet_groups

__all__ = ["search"]

_SHOWN = 20


@late_page
def search(visit: Visit) -> Page:
    """``/search/``. Two queries. Raises ``SearchUnavailable``, which is answered 503, and ``BadSearchCursor``.

    The list goes on in the revision of the index it began in, so the index's revision counts for the entity tag.
    """
    asked = SearchRequest.of(visit.request)
    answer = search_index(
        asked.text, filters=asked.filters, cursor=asked.cursor, limit=_SHOWN, revision=visit.state.revision
    )
    rows = queries.record_rows([hit.id for hit in answer.hits])
    return Page(
        template="search.html",
        title=f"{asked.text} · Search" if asked.text else "Search",
        path=links.SEARCH,
        section="search",
        description="Search documented errors by message, code, class, repository or words of their documentation.",
        indexed=False,
        context={
            "asked": asked,
            "answer": answer,
            "found": found_rows(answer.hits, rows),
            "facets": facet_groups(asked, answer.facets),
            "next": asked.address(cursor=answer.next) if answer.next else "",
            "first": asked.address() if asked.cursor else "",
            "instead": asked.address(text=answer.did_you_mean) if answer.did_you_mean else "",
            "unfiltered": asked.address(filters={}),
            "error": asked.text if looks_like_an_error(asked.text) else "",
            "explain": links.explain_url(asked.text),
        },
        depends_on=(answer.revision,),
    )
