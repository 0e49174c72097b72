"""Pages of lists: the address of the next one, and the views of repositories and terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from kb.api import answers, shapes
from kb.api.links import with_parameters
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made
from kb.catalog import queries
from kb.catalog.answers import Page, TermKind

__all__ = [
    "RepositoryListView",
    "RepositoryView",
    "TermListView",
    "TermView",
    "bad_cursor",
    "item",
    "next_url",
    "page_of",
]

T = TypeVar("T")


def bad_cursor() -> Problem:
    """The problem of a cursor that a list did not make."""
    return Problem("bad_cursor", "This cursor belongs to no list with these filters; start again without it.")


def next_url(call: Call, cursor: str | None) -> str | None:
    """The address of the page that ``cursor`` begins: this request's, with that cursor."""
    if cursor is None:
        return None
    sent = call.request.GET
    kept: dict[str, str | list[str]] = {name: sent.getlist(name) for name in sent if name != "cursor"}
    return call.base + with_parameters(call.request.path, {**kept, "cursor": cursor})


def page_of(read: Callable[..., Page[T]], call: Call, *given: Any, **more: Any) -> tuple[tuple[T, ...], str | None]:
    """The items of a page and the address of the next one. Raises :class:`Problem` for a foreign cursor."""
    try:
        page = read(*given, cursor=call.values["cursor"], limit=call.values["limit"], **more)
    except queries.BadCursor as error:
        raise bad_cursor() from error
    return page.items, next_url(call, page.next)


def stamp(call: Call) -> dict[str, Any]:
    """The members that every answer has."""
    return {"dataset_version": call.state.version, "revision": call.state.revision}


def item(found: T | None, what: str) -> T:
    """``found``; raises :class:`Problem` when it is nothing."""
    if found is None:
        raise Problem("not_found", f"This catalog has no such {what}.")
    return found


class RepositoryListView(EndpointView):
    """Repositories by name."""

    def make(self, call: Call) -> Made:
        """One page."""
        found, following = page_of(queries.repositories, call, query=call.values["q"] or "")
        results = [shapes.repository(view, call.base) for view in found]
        answer = answers.RepositoryList(results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class RepositoryView(EndpointView):
    """One repository."""

    def make(self, call: Call) -> Made:
        """The repository, whatever the case of its name."""
        view = item(queries.repository(call.parts["owner"], call.parts["name"]), "repository")
        answer = answers.RepositoryAnswer(repository=shapes.repository(view, call.base), **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag())


class TermListView(EndpointView):
    """Families, codes, classes or tags."""

    kind: TermKind = "family"  # each URL pattern gives its own

    def make(self, call: Call) -> Made:
        """One page."""
        found, following = page_of(queries.terms, call, self.kind, prefix=call.values["prefix"] or "")
        results = [shapes.term(view, call.base) for view in found]
        answer = answers.TermList(results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class TermView(EndpointView):
    """One family, code, class or tag."""

    kind: TermKind = "family"  # each URL pattern gives its own

    def make(self, call: Call) -> Made:
        """The term, with its article."""
        key = next(iter(call.parts.values()))
        view = item(queries.term(self.kind, key), self.kind)
        article = queries.article_for(self.kind, view.label)
        answer = answers.TermAnswer(
            term=shapes.term(view, call.base), article=shapes.article(article) if article else None, **stamp(call)
        )
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag())
