"""Answers in the shapes of the err-lookup API: plain JSON for scripts of any site, an error as ``{"error": …}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

import msgspec
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from kb.search.errors import SearchUnavailable

__all__ = ["JSON", "answer", "failure", "reading", "unavailable"]

JSON = "application/json; charset=utf-8"
RETRY_SECONDS = 5
_METHODS = "GET, HEAD, OPTIONS"
_CROSS_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": _METHODS,
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match",
    "Access-Control-Expose-Headers": "ETag, Faultbook-Dataset-Version, Faultbook-Revision, Retry-After",
}
_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, _P], HttpResponseBase]


def answer(content: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """``content`` as JSON."""
    return HttpResponse(msgspec.json.encode(content), status=status, content_type=JSON, headers=dict(headers or {}))


def failure(status: int, error: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> HttpResponse:
    """An error in the shape of that API, which nobody keeps."""
    response = answer({"error": error, **more}, status=status, headers=headers)
    response["Cache-Control"] = "no-store"
    response.keeps_shape = True  # type: ignore[attr-defined]  # no problem document takes its place
    return response


def unavailable() -> HttpResponse:
    """What is asked for cannot be answered now, but soon. This is no error of the server, so none is logged."""
    response = failure(503, "dataset unavailable", headers={"Retry-After": str(RETRY_SECONDS)})
    response._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001 - Django knows no other way
    return response


def reading(view: _View[_P]) -> _View[_P]:
    """A view that only reads: other methods are refused, preflights answered, failures told in the same shape."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponseBase:
        response = _answered(view, request, *args, **kwargs)
        for name, value in _CROSS_ORIGIN.items():
            response.headers.setdefault(name, value)
        return response

    return cast("_View[_P]", csrf_exempt(wrapped))


def _answered(view: _View[_P], request: HttpRequest, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponseBase:
    if request.method == "OPTIONS":
        return HttpResponse(status=204, headers={"Access-Control-Max-Age": "86400", "Allow": _METHODS})
    if request.method not in {"GET", "HEAD"}:
        return failure(405, "method not allowed", headers={"Allow": _METHODS})
    try:
        return view(request, *args, **kwargs)
    except (OperationalError, InterfaceError, SearchUnavailable):
        return unavailable()
