"""What holds for every answer below ``/api/``, also for those that no view of the API makes.

A request over the client's rate, or with a character that no address of ours has, goes no further. Every answer says
what is left of the rate, may be read by scripts of other sites, and is a problem document when it is an error, even if
the frame made it: an unknown path, a foreign host name, a failure in another middleware.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.api import throttle
from kb.api.links import API_ROOT
from kb.api.parameters import check_address
from kb.api.problems import KINDS, MEDIA_TYPE, Problem, kind_of_status, problem_response

__all__ = ["ApiMiddleware"]

_PREFIX = "/api/"
_METHODS = "GET, HEAD, POST, OPTIONS"  # of all endpoints; a wrong one is answered with those of its own
_EXPOSED = (
    "Allow, ETag, Faultbook-Dataset-Version, Faultbook-Revision, Link, RateLimit, RateLimit-Policy, Retry-After, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
)


class ApiMiddleware:
    """Rate limit, cross-origin reading and problem documents for the API; stands before everything that can refuse."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer ``request``; other paths pass untouched."""
        if not request.path_info.startswith(_PREFIX):
            return self._get_response(request)
        if request.path_info == API_ROOT.removesuffix("/"):
            request.path_info = API_ROOT  # the root, too, works without its slash
        allowance = throttle.take(request)
        if allowance is not None and allowance.exceeded:
            wait = str(allowance.reset_seconds)
            detail = f"More than {allowance.limit} requests in a minute. Try again in {wait} seconds."
            response: HttpResponseBase = problem_response(
                request, Problem("too_many_requests", detail, headers={"Retry-After": wait})
            )
        else:
            response = self._answer(request)
        _complete(response, allowance)
        _measure(response, head=request.method == "HEAD")
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        """The answer to a request that is within its client's rate."""
        try:
            check_address(request.path_info, request.META.get("QUERY_STRING", ""))
        except Problem as problem:
            return problem_response(request, problem)
        if request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META:
            return _preflight(request)
        return _as_problem(request, self._get_response(request))


def _preflight(request: HttpRequest) -> HttpResponse:
    """Say that scripts of other sites may read, with any harmless header."""
    response = HttpResponse(status=204)
    del response["Content-Type"]
    response["Access-Control-Allow-Methods"] = _METHODS
    asked = request.META.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    if asked:
        response["Access-Control-Allow-Headers"] = "Accept, Accept-Language, Content-Type, If-None-Match"
    response["Access-Control-Max-Age"] = "86400"
    response["Vary"] = "Access-Control-Request-Headers"
    return response


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """``response``, or a problem document in the place of an error that is none and has no other shape to keep."""
    if getattr(response, "keeps_shape", False):
        return response
    if response.status_code < 400 or response.get("Content-Type", "").startswith(MEDIA_TYPE):  # noqa: PLR2004
        return response
    kind = kind_of_status(response.status_code)
    kept = {name: response[name] for name in ("Allow", "Retry-After") if name in response}
    return problem_response(request, Problem(kind.code, KINDS[kind.code].meaning, headers=kept))


def _complete(response: HttpResponseBase, allowance: throttle.Allowance | None) -> None:
    """Add what every answer carries."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = _EXPOSED
    if allowance is not None:
        for name, value in allowance.headers().items():
            response[name] = value


def _measure(response: HttpResponseBase, *, head: bool) -> None:
    """Give the length of a body, and leave the body out where none may follow: servers complain about such bodies."""
    if not isinstance(response, HttpResponse):
        if head and isinstance(response, StreamingHttpResponse):
            response.streaming_content = ()
        return
    if response.status_code in {204, 304}:
        response.headers.pop("Content-Length", None)
        return
    if head and "Content-Length" in response.headers:  # measured already, before its body was left out
        return
    response.headers["Content-Length"] = str(len(response.content))
    if head:
        response.content = b""
