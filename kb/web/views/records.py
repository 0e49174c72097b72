"""A record at its address: as a page, as JSON exactly as the dataset has it, and as Markdown."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpResponse, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.http.response import HttpResponseBase

from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.present import links
from kb.present.record_markdown import record_markdown
from kb.web.addresses import base_url
from kb.web.pages import Page, Visit, document, page
from kb.web.record_answers import address_of, record_content

__all__ = ["record", "record_json", "record_markdown_file"]


@page
def record(visit: Visit, owner: str, name: str, slug: str) -> Page | HttpResponseBase:
    """``/errors/{owner}/{name}/{slug}/``. At most six queries.

    Shows who owns the slug now and names who had it before; when nobody owns it, leads to the one who had it last. An
    address in a repository that was renamed leads on to the same error under the new name.
    """
    answer = queries.record_by_slug(owner, name, slug)
    if answer.current is not None:
        renamed = _under_another_name(answer.current)
        if renamed is not None:
            return HttpResponseRedirect(address_of(renamed))
        return record_content(answer.current, base_url(visit.request), former=answer.former)
    if answer.former:
        return HttpResponseRedirect(address_of(answer.former[0]))
    return _in_its_own_case(owner, name, slug, links.record_path)


@document
def record_json(_visit: Visit, owner: str, name: str, slug: str) -> HttpResponse:
    """``/errors/{owner}/{name}/{slug}.json``: the record in the dataset's own fields. At most five queries."""
    view = _current(owner, name, slug)
    if view is None:
        return _in_its_own_case(owner, name, slug, links.record_json_path)
    return HttpResponse(view.raw, content_type="application/json", headers={"X-Robots-Tag": "noindex"})


@document
def record_markdown_file(visit: Visit, owner: str, name: str, slug: str) -> HttpResponse:
    """``/errors/{owner}/{name}/{slug}.md``. At most five queries."""
    view = _current(owner, name, slug)
    if view is None:
        return _in_its_own_case(owner, name, slug, links.record_markdown_path)
    text = record_markdown(view, base_url=base_url(visit.request))
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers={"X-Robots-Tag": "noindex"})


def _under_another_name(view: RecordView) -> RecordRow | None:
    """The living successor of a retired record, when it is in another repository: that of a renamed one."""
    found = queries.successor_of(view.record.id) if view.successor else None
    return found if found and not found.retired and found.repo != view.record.repo else None


def _current(owner: str, name: str, slug: str) -> RecordView | None:
    """The owner of a slug, else the one who had it last."""
    answer = queries.record_by_slug(owner, name, slug)
    return answer.current or (queries.record_by_id(answer.former[0].id) if answer.former else None)


def _in_its_own_case(owner: str, name: str, slug: str, path_of: Callable[[str, str], str]) -> HttpResponse:
    """To the same address of the repository that is written in another case. One query. Raises ``Http404``."""
    repo = queries.repository_of_slug(owner, name, slug)
    if repo is None or repo == f"{owner}/{name}":
        raise Http404
    return HttpResponsePermanentRedirect(path_of(repo, slug))
