"""Answers to requests that cannot be served: each says what happened and where to go, and none asks the catalog."""

from __future__ import annotations

import json
import logging
import re
from html import escape, unescape
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import get_language, get_language_bidi, gettext, gettext_lazy, gettext_noop

from kb.env import asset_root
from kb.present.language import ENGLISH, in_site_language
from kb.web.addresses import base_url
from kb.web.edge import Refusal
from kb.web.pages import Page, render_page
from kb.web.representation import Form, form_asked_for

__all__ = ["bad_request", "forbidden", "method_not_allowed", "not_found", "refused", "server_error", "unavailable"]

_RETRY_SECONDS = "5"
_REFUSALS: Final = {
    400: gettext_lazy("This request cannot be read"),
    413: gettext_lazy("This text is too long"),
    414: gettext_lazy("This address is too long"),
}
_SERVER_ERROR_WORDS: Final = (  # as they stand in the file of the page
    gettext_noop("Something failed here"),
    gettext_noop("Faultbook: front page"),
    gettext_noop(
        "The fault is on our side, and the server’s log tells of it. Nothing was lost. "  # noqa: RUF001 - as in the file
        "Trying again in a moment may help."
    ),
    gettext_noop("Try again"),
    gettext_noop("Front page"),
)
_LONGEST_WORDS: Final = 120  # characters of an address that are offered as a search
_log = logging.getLogger(__name__)


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The answer to an address or a text that is not read: a problem document below ``/api/``, a page elsewhere."""
    if request.path_info.startswith("/api/"):
        return _problem(request, refusal)
    return _failure(request, status=refusal.status, title=_REFUSALS[refusal.status], detail=refusal.detail)


@in_site_language
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Django's ``handler400``."""
    return _failure(
        request,
        status=400,
        title=gettext("This request cannot be understood"),
        detail=gettext("The address, or a header that came with it, is damaged or not meant for this site."),
    )


@in_site_language
def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Django's ``handler403``."""
    detail = gettext("This part of the site is for its staff.")
    return _failure(request, status=403, title=gettext("Not allowed"), detail=detail)


@in_site_language
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Django's ``handler404``: a page for browsers, a few lines for terminals and programs that asked for no page."""
    form = form_asked_for(request) if _answers_programs(request.path_info) else "html"
    if form == "html":
        response = _failure(
            request,
            status=404,
            title=gettext("Nothing is at this address"),
            detail=gettext(
                "The address may be mistyped, or it names a record that this catalog never held. "
                "Records that left their dataset keep their address, so a search is the best next step."
            ),
            words=_words_of(request.path_info),
        )
    else:
        response = _short_failure(request, form)
    patch_vary_headers(response, ["Accept"])
    return response


@in_site_language
def method_not_allowed(request: HttpRequest, allowed: str) -> HttpResponse:
    """The answer to a method that an address does not take; ``allowed`` are those it takes, as ``Allow`` lists them."""
    response = _failure(
        request,
        status=405,
        title=gettext("This address does not take that"),
        detail=gettext("It is read with %(methods)s, and %(method)s was sent. A form or a program may be out of date.")
        % {"methods": allowed, "method": request.method},
    )
    response["Allow"] = allowed
    return response


def unavailable(request: HttpRequest, *, title: str | Promise, reason: str | Promise) -> HttpResponse:
    """A part of the site does not work at the moment; logged in one line, without a traceback.

    A ``reason`` that is no message of ours but a sentence of the operator's is in English.
    """
    _log.warning("%s %s answered 503: %s", request.method, request.path, reason)
    language = "" if isinstance(reason, Promise) else ENGLISH
    again = request.get_full_path() if request.method in {"GET", "HEAD"} else ""
    response = _failure(request, status=503, title=title, detail=reason, again=again, detail_language=language)
    response["Retry-After"] = _RETRY_SECONDS
    return response


@in_site_language
def server_error(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Django's ``handler500``: a fixed file with its words translated, since anything else may be what failed."""
    page = Path(asset_root(), "templates", "500.html").read_text(encoding="utf-8")
    known = re.compile("|".join(map(re.escape, map(escape, _SERVER_ERROR_WORDS))))
    page = known.sub(lambda found: escape(gettext(unescape(found[0]))), page)
    direction = ' dir="rtl"' if get_language_bidi() else ""
    page = page.replace('<html lang="en">', f'<html lang="{get_language()}"{direction}>', 1)
    return HttpResponse(page, status=500, headers={"Cache-Control": "no-store"})


@in_site_language
def _failure(
    request: HttpRequest, *, status: int, title: str | Promise, detail: str | Promise, **offered: str
) -> HttpResponse:
    """``offered`` may hold ``words`` to search for, an address to try ``again``, and the ``detail_language``."""
    content = Page(
        template="failure.html",
        title=str(title),
        path="",
        indexed=False,
        status=status,
        context={"status": status, "detail": detail, "words": "", "again": "", "detail_language": "", **offered},
    )
    response = render_page(request, content, state=None)
    response["Cache-Control"] = "no-store"
    return response


def _words_of(path: str) -> str:
    """What the last part of an address says, as words to search for; empty for what says nothing, such as an id."""
    last = unquote(path).rstrip("/").rpartition("/")[2]
    words = " ".join(re.findall(r"[^\W_]+", re.sub(r"\.[a-z]{2,4}$", "", last)))
    return words if len(words) <= _LONGEST_WORDS and re.search(r"[^\W\d_]{3}", words) else ""


def _answers_programs(path: str) -> bool:
    """Whether what else is at such addresses is no page, or not always."""
    return path.startswith("/e/") or path.endswith((".md", ".json", ".txt", ".xml"))


def _short_failure(request: HttpRequest, form: Form) -> HttpResponse:
    """That there is no such record, and where to search, where a page would only fill a terminal."""
    detail = "There is no such record here."
    if form == "json":
        response = _problem(request, Refusal(status=404, code="not_found", detail=detail))
    else:
        text = f"{detail}\nSearch for it: {base_url(request)}/api/v1/search/?q=WORDS\n"
        response = HttpResponse(text, status=404, content_type="text/plain; charset=utf-8")
        response["Cache-Control"] = "no-store"
    return response


def _problem(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """A problem document (RFC 9457) in the shape of the API's own."""
    details = {
        "type": f"{base_url(request)}/docs/api/#problem-{refusal.code.replace('_', '-')}",
        "title": HTTPStatus(refusal.status).phrase,
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
    }
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(
        json.dumps(details), status=refusal.status, content_type="application/problem+json", headers=headers
    )
