"""What stands before the views.

Answers to HEAD lose their body, probes are answered, cookies count below ``/admin/`` only, and at the edge unreadable
addresses and failing parts are answered.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from django.db import InterfaceError, OperationalError
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, gettext_lazy

from kb.catalog.answers import BadCursor
from kb.present.language import site_language
from kb.search.errors import BadSearchCursor, SearchUnavailable
from kb.web import failures
from kb.web.edge import Refusal, refusal_of
from kb.web.health import readiness

__all__ = ["AnonymousMiddleware", "EdgeMiddleware", "HeadMiddleware", "HealthMiddleware"]

_STAFF = "/admin/"
_GetResponse = Callable[[HttpRequest], HttpResponseBase]


_WITHOUT_LENGTH = frozenset({204, 304})


class HeadMiddleware:
    """Leaves the body out of every answer to HEAD, whoever made it: servers complain about such bodies.

    Stands first, so that no answer passes by. The answer says how long the body would be.
    """

    def __init__(self, get_response: _GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass ``request`` on."""
        response = self._get_response(request)
        if request.method == "HEAD":
            _leave_out_body(response)
        return response


def _leave_out_body(response: HttpResponseBase) -> None:
    if isinstance(response, HttpResponse):
        if response.status_code not in _WITHOUT_LENGTH:
            response.headers.setdefault("Content-Length", str(len(response.content)))
        response.content = b""
    elif isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
        response.streaming_content = ()


class HealthMiddleware:
    """Answers ``/healthz`` (the process lives; nothing else is asked) and ``/readyz`` (it can serve).

    Stands before the host check: probes come by address, so no host is checked, and no cookie or database is touched
    for ``/healthz``.
    """

    def __init__(self, get_response: _GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a probe, pass everything else on."""
        if request.path_info in {"/healthz", "/healthz/"}:
            return HttpResponse("ok\n", content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
        if request.path_info in {"/readyz", "/readyz/"}:
            return _ready()
        return self._get_response(request)


def _ready() -> HttpResponse:
    found = readiness()
    content = {
        "status": "ready" if found.ready else "not ready",
        "database": found.database,
        "migrations": found.migrations,
        "revision": found.revision,
        "index": found.index,
        "matching": found.matching,
        "reasons": list(found.reasons),
    }
    return JsonResponse(content, status=200 if found.ready else 503, headers={"Cache-Control": "no-store"})


class EdgeMiddleware:
    """Refuses addresses that hold no text, and answers for what is away (503) and for methods not taken (405)."""

    def __init__(self, get_response: _GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse ``request`` or pass it on."""
        query = request.META.get("QUERY_STRING", "").encode("latin-1", "replace")
        with nullcontext() if request.path_info.startswith("/api/") else site_language():
            refusal = refusal_of(request.path_info, query)
        if refusal:
            return failures.refused(request, refusal)
        response = self._get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            return failures.method_not_allowed(request, response["Allow"])
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer what a view met: a cursor that is not ours, or a part that does not work."""
        match exception:
            case BadCursor() | BadSearchCursor():
                with site_language():
                    detail = gettext(
                        "This link into a long list is damaged, or the list has changed since. "
                        "Start from its first page."
                    )
                return failures.refused(request, Refusal(status=400, code="bad_cursor", detail=detail))
            case SearchUnavailable():
                title = gettext_lazy("Search is not available at the moment")
                return failures.unavailable(request, title=title, reason=str(exception.reason))
            case OperationalError() | InterfaceError():
                return failures.unavailable(
                    request,
                    title=gettext_lazy("The catalog is not available at the moment"),
                    reason=gettext_lazy("The database does not answer. This page will work again when it does."),
                )
            case _:
                return None


class AnonymousMiddleware:
    """Takes the cookies out of every request that is not for ``/admin/``: readers are anonymous.

    So whatever a browser sends, sessions, users and tokens are never looked at outside, no answer sets or varies on a
    cookie, and what caches keep is the same for all. Stands before the middleware of sessions.
    """

    def __init__(self, get_response: _GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass ``request`` on, perhaps without its cookies."""
        if not request.path_info.startswith(_STAFF):
            request.META.pop("HTTP_COOKIE", None)
        return self._get_response(request)
