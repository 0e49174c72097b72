"""Families, codes, classes and tags: a list of each kind, and the records of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import Http404

from kb.catalog import queries
from kb.catalog.answers import RecordFilter, TermKind
from kb.present import links
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_NAMES, SHOWN_RECORDS, cursor_of, paging, word_of

__all__ = ["KINDS", "TermPages", "term", "terms"]


@dataclass(frozen=True, kw_only=True)
class TermPages:
    """How the pages of one kind are addressed and worded. ``machine`` says that its labels are set as code."""

    kind: TermKind
    one: str
    many: str
    path: str
    path_of: Callable[[str], str]
    filters: Callable[[str], RecordFilter]
    explanation: str
    machine: bool = True


KINDS: dict[str, TermPages] = {
    "families": TermPages(
        kind="family",
        one="Family",
        many="Families",
        path=links.FAMILIES,
        path_of=links.family_path,
        filters=lambda key: RecordFilter(family=key),
        explanation="Errors of one kind, whatever the repository that raises them.",
        machine=False,
    ),
    "codes": TermPages(
        kind="code",
        one="Code",
        many="Codes",
        path=links.CODES,
        path_of=links.code_path,
        filters=lambda key: RecordFilter(code_key=key),
        explanation="The codes that programs give their errors, such as those a log line begins with.",
    ),
    "classes": TermPages(
        kind="class",
        one="Class",
        many="Classes",
        path=links.CLASSES,
        path_of=links.class_path,
        filters=lambda key: RecordFilter(class_key=key),
        explanation="The exception and error classes that are raised, the last line of many a stack trace.",
    ),
    "tags": TermPages(
        kind="tag",
        one="Tag",
        many="Tags",
        path=links.TAGS,
        path_of=links.tag_path,
        filters=lambda key: RecordFilter(tag=key),
        explanation="Subjects that records were filed under.",
        machine=False,
    ),
}


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
