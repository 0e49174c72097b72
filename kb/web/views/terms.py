"""The records of one family, code, class or tag."""

from __future__ import annotations

from django.http import Http404
from django.utils.translation import gettext, ngettext

from kb.catalog import queries
from kb.catalog.answers import Term
from kb.present import links
from kb.present.numbers import grouped
from kb.search.overview import Scope, ScopeKind
from kb.web.narrowing import Narrowing
from kb.web.overviews import Shown, glance
from kb.web.pages import Page, Visit, late_page
from kb.web.paging import SHOWN_RECORDS, cursor_of, paging
from kb.web.search_request import SearchRequest
from kb.web.term_kinds import KINDS, TermPages

__all__ = ["term"]

# A page narrows its own list, by what exactly its records have: a search knows neither the case of classes and codes
# nor their qualification. Tags are the exception, since they can hold a large part of the catalog, which only the index
# narrows in little time; so of tags no classes and codes are shown.
_SCOPES: dict[str, ScopeKind] = {"family": "family", "tag": "tag", "class": "class_key", "code": "code_key"}
_NARROWED_HERE = {
    "family": ("severity", "type", "language", "repository", "class", "code"),
    "tag": ("repository",),
    "class": ("severity", "type", "language", "repository", "family", "code"),
    "code": ("severity", "type", "language", "repository", "family", "class"),
}
_FACETS = {
    "family": ("repository", "language", "class", "code", "severity", "type"),
    "tag": ("repository", "language", "family", "severity", "type"),
    "class": ("repository", "family", "code", "language", "severity", "type"),
    "code": ("repository", "class", "family", "language", "severity", "type"),
}


@late_page
def term(visit: Visit, kinds: str, key: str) -> Page:
    """One family, code, class or tag: its article if there is one, what its records are like, and the records.

    At most five queries. What is shown beside the catalog's revision is the index, so its revision counts.
    """
    words = KINDS[kinds]
    found = queries.term(words.kind, key)
    if found is None:
        raise Http404
    cursor = cursor_of(visit.request)
    narrowing = Narrowing.of(visit.request, words.path_of(key), *_NARROWED_HERE[words.kind])
    whole = not (cursor or narrowing)
    article = queries.article_for(words.kind, found.label) if words.kind != "tag" and whole else None
    rows = queries.list_rows(narrowing.filters(words.filters(key)), cursor=cursor, limit=SHOWN_RECORDS)
    shown = None if cursor or narrowing.retired else _shown(words, found, narrowing)
    seen = shown and glance(shown, revision=visit.state.revision, listed=bool(rows.items))
    return Page(
        template="term.html",
        title=gettext("%(label)s (%(kind)s)") % {"label": found.label, "kind": words.noun},
        path=words.path_of(key),
        section=kinds,
        description=_description(words, found),
        indexed=not visit.request.GET,
        trail=((words.many, words.path), (found.label, words.path_of(key))),
        context={
            "words": words,
            "feed": links.family_feed_path(key) if words.kind == "family" else "",
            "term": found,
            "article": article,
            "page": rows,
            "glance": seen,
            "narrowing": narrowing,
            **paging(visit.request, rows.next),
        },
        depends_on=(seen.revision if seen else None,),
    )


def _description(words: TermPages, found: Term) -> str:
    counted = ngettext(
        "%(count)s documented error of the %(kind)s %(label)s: meaning, triggers and fixes.",
        "%(count)s documented errors of the %(kind)s %(label)s: meaning, triggers and fixes.",
        found.record_count,
    )
    return counted % {"count": grouped(found.record_count), "kind": words.noun, "label": found.label}


def _shown(words: TermPages, found: Term, narrowing: Narrowing) -> Shown:
    def leads(name: str, value: str) -> str:
        if name in narrowing.filterable:
            return narrowing.toggled(name, value)
        asked = {words.kind: (found.label,), **narrowing.parameters, name: (value,)}
        return SearchRequest(text="", filters=asked, cursor=None).address()

    scope = Scope(kind=_SCOPES[words.kind], value=found.key, narrowed=narrowing.values)
    return Shown(scope=scope, facets=_FACETS[words.kind], leads=leads)
