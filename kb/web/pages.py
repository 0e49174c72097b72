"""The one way in which public pages are answered.

A view decorated with :func:`page` or its like gets a :class:`Visit`, reads inside one snapshot, and returns a
:class:`Page` or a response. The decorator answers ``304`` before the view runs, renders after the snapshot ended, and
sets the headers. Pages are rendered without the request: no template can reach a session or a CSRF token, so no reader
gets a cookie and no answer varies on one (pitfalls D7).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.present.dates import today
from kb.present.embedded_json import data_block
from kb.present.language import in_site_language, site_language
from kb.present.structured_data import breadcrumbs_data, graph
from kb.web.addresses import base_url
from kb.web.build import build_id
from kb.web.representation import form_asked_for

__all__ = ["Page", "Visit", "document", "form_page", "late_page", "negotiated_page", "page", "render_page"]

CACHE_CONTROL = "public, max-age=0, must-revalidate"
# Of the answer to a form: a browser may show it again when its reader goes back, and nobody else keeps it.
_KEPT_BY_THE_READER: Final = "private, no-cache"
HOVERED: Final = "hover.speculationrules"  # lets browsers ask for a page while the pointer rests on its link


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page to render. ``path`` is its canonical address, ``section`` the entry of the main navigation it belongs to.

    ``trail`` leads to the page, (name, path) from the outside in. ``about`` makes, from the site's address, what
    structured data says of it beside that. ``depends_on`` names what the page shows beside the catalog's revision,
    such as the state of a running import.
    """

    template: str
    title: str
    path: str
    section: str = ""
    description: str = ""
    indexed: bool = True
    trail: tuple[tuple[str, str], ...] = ()
    about: Callable[[str], dict[str, Any]] | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    depends_on: tuple[object, ...] = ()
    status: int = 200


@dataclass(frozen=True)
class Visit:
    """A request, and the state of the catalog that everything read for it agrees with."""

    request: HttpRequest
    state: CatalogView


_Reads = Callable[..., Page | HttpResponseBase]
_View = Callable[..., HttpResponseBase]


def page(view: _Reads) -> _View:
    """Make a view of ``view(visit, **path_arguments)``, which returns a :class:`Page` or a response.

    A fresh copy at the client is confirmed before ``view`` runs: what it shows follows from revision and address.
    """
    return in_site_language(_answering(view, early=True))


def document(view: _Reads) -> _View:
    """The same for what programs read. It is in English, whatever the language of the site."""
    return _answering(view, early=True)


def late_page(view: _Reads) -> _View:
    """The same for a page that shows more than the revision: it reads first, and ``depends_on`` counts."""
    return in_site_language(_answering(view, early=False))


def negotiated_page(view: _Reads) -> _View:
    """The same for an answer whose form follows ``Accept``."""
    in_english = _answering(view, early=True, negotiated=True)

    @functools.wraps(in_english)
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        with site_language() if form_asked_for(request) == "html" else nullcontext():
            return in_english(request, **arguments)

    return answer


def form_page(view: _Reads) -> _View:
    """The same for a page that takes what a reader typed, also by POST: nothing of it is kept, here or on the way.

    It changes nothing, so it needs no token against foreign forms. The answer to a POST stays with the reader's own
    browser: without it, going back from a record to the report would ask to send the form again.
    """

    @functools.wraps(view)
    @in_site_language
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        with queries.snapshot() as state:
            made = view(Visit(request, state), **arguments)
        response = render_page(request, made, state=state) if isinstance(made, Page) else made
        kept = request.method == "POST" and response.status_code == 200  # noqa: PLR2004
        response.headers["Cache-Control"] = _KEPT_BY_THE_READER if kept else "no-store"
        return response

    return csrf_exempt(answer)


def _answering(view: _Reads, *, early: bool, negotiated: bool = False) -> _View:
    @functools.wraps(view)
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        form = form_asked_for(request) if negotiated else ""
        with queries.snapshot() as state:
            tag = _entity_tag(request, state, form)
            response = _confirmed(request, tag) if early else None
            made = response or view(Visit(request, state), **arguments)
        if isinstance(made, Page):
            if made.depends_on:
                tag = _entity_tag(request, state, form, *made.depends_on)
                response = _confirmed(request, tag) if made.status == 200 else None  # noqa: PLR2004
            made = response or render_page(request, made, state=state)
        return _with_headers(made, tag=tag, negotiated=negotiated)

    return csrf_exempt(answer)  # it takes no POST, and must say so to those who come without a token


@in_site_language
def render_page(request: HttpRequest, content: Page, *, state: CatalogView | None) -> HttpResponse:
    """Render ``content``; ``state`` is ``None`` where the catalog cannot be asked."""
    site = base_url(request)
    frame = {
        "state": state,
        "site": site,
        "title": content.title,
        "description": content.description,
        "section": content.section,
        "canonical": f"{site}{content.path}" if content.path else "",
        "indexed": content.indexed,
        "kind": "article" if content.about else "website",
        "structured": _structured(content, site),
    }
    text = render_to_string(content.template, {**frame, **content.context})
    headers = {"Speculation-Rules": f'"{staticfiles_storage.url(HOVERED)}"'}
    return HttpResponse(text, status=content.status, headers=headers)


def _structured(content: Page, site: str) -> SafeString:
    """What the page is about as a data block, empty for a page that says nothing of itself."""
    things = [content.about(site)] if content.about else []
    things += [breadcrumbs_data(site, content.trail)] if content.trail else []
    return data_block(graph(*things), kind="application/ld+json") if things else SafeString("")


def _entity_tag(request: HttpRequest, state: CatalogView, form: str, *more: object) -> str:
    """A strong tag: everything that an answer follows from, with the day, since pages tell how long ago things were."""
    catalog = (state.revision, state.version)
    parts = (build_id(), today(), base_url(request), *catalog, request.get_full_path(), form, *more)
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}"'


def _confirmed(request: HttpRequest, tag: str) -> HttpResponseBase | None:
    """``304`` when the client's copy carries ``tag``. While templates are being written nothing is confirmed."""
    if settings.DEBUG or request.headers.get("If-None-Match", "*").strip() == "*":
        return None
    return get_conditional_response(request, etag=tag)


def _with_headers(response: HttpResponseBase, *, tag: str, negotiated: bool) -> HttpResponseBase:
    if negotiated:
        patch_vary_headers(response, ["Accept"])
    if response.status_code in {200, 304} and not isinstance(response, StreamingHttpResponse):
        response.headers.setdefault("ETag", tag)
        response.headers.setdefault("Cache-Control", CACHE_CONTROL)
    return response
