"""What stands before the views: probes, and the edge at which unreadable addresses and failing parts are answered."""

from __future__ import annotations

from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.catalog.answers import BadCursor
from kb.search.errors import BadSearchCursor, SearchUnavailable
from kb.web import failures
from kb.web.edge import Refusal, refusal_of
from kb.web.health import readiness

__all__ = ["EdgeMiddleware", "HealthMiddleware"]

_GetResponse = Callable[[HttpRequest], HttpResponseBase]


class HealthMiddleware:
    """Answers ``/healthz`` (the process lives; nothing else is asked) and ``/readyz`` (it can serve).

    Stands first: probes come by address, so no host is checked, and no cookie or database is touched for ``/healthz``.
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
        "reasons": list(found.reasons),
    }
    return JsonResponse(content, status=200 if found.ready else 503, headers={"Cache-Control": "no-store"})


def _leave_out_body(response: HttpResponseBase) -> None:
    """An answer to HEAD says how long the body would be and has none: servers complain about such bodies."""
    if isinstance(response, HttpResponse):
        length = response.get("Content-Length", str(len(response.content)))
        response.content = b""
        response["Content-Length"] = length
    elif isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
        response.streaming_content = ()


class EdgeMiddleware:
    """Refuses addresses that hold no text, and answers 503 for a database or an index that is away."""

    def __init__(self, get_response: _GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Refuse ``request`` or pass it on."""
        query = request.META.get("QUERY_STRING", "").encode("latin-1", "replace")
        refusal = refusal_of(request.path_info, query)
        response = failures.refused(request, refusal) if refusal else self._get_response(request)
        if request.method == "HEAD":
            _leave_out_body(response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer what a view met: a cursor that is not ours, or a part that does not work."""
        match exception:
            case BadCursor() | BadSearchCursor():
                detail = (
                    "This link into a long list is damaged, or the list has changed since. Start from its first page."
                )
                return failures.refused(request, Refusal(status=400, code="bad_cursor", detail=detail))
            case SearchUnavailable():
                return failures.unavailable(
                    request, title="Search is not available at the moment", reason=str(exception.reason)
                )
            case OperationalError() | InterfaceError():
                return failures.unavailable(
                    request,
                    title="The catalog is not available at the moment",
                    reason="The database does not answer. This page will work again when it does.",
                )
            case _:
                return None
