"""Every error of the API, as problem details of RFC 9457, from one place.

Views raise :class:`Problem`; :func:`exception_handler` answers it and whatever else went wrong below a view;
:func:`problem_response` serves those who answer outside of a view.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path
from rest_framework import exceptions

from kb.api.answers import ParameterProblem, ProblemDetails
from kb.api.links import problem_anchor, problem_type
from kb.search.errors import SearchUnavailable

__all__ = ["KINDS", "MEDIA_TYPE", "Kind", "Problem", "exception_handler", "kind_of_status", "problem_response"]

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of problem: its stable code, its status, a short title, and what it means to a client."""

    code: str
    status: int
    title: str
    meaning: str

    @property
    def anchor(self) -> str:
        """Its id on the reference page."""
        return problem_anchor(self.code)


KINDS: Mapping[str, Kind] = {
    kind.code: kind
    for kind in (
        Kind(
            code="invalid_parameter",
            status=400,
            title="Invalid parameter",
            meaning="A parameter, or a member of the body, is unknown, missing, repeated, empty or has a value that it "
            "does not take. "
            "The member errors has an entry for each of them, with the valid names or values and the nearest one.",
        ),
        Kind(
            code="invalid_character",
            status=400,
            title="Invalid character",
            meaning="The address holds a NUL character, or the address or the body bytes that are no UTF-8.",
        ),
        Kind(
            code="invalid_json",
            status=400,
            title="Invalid JSON",
            meaning="The body is no JSON object, or is nested too deep.",
        ),
        Kind(
            code="bad_cursor",
            status=400,
            title="Bad cursor",
            meaning="The cursor is none of this list, or was made under other filters. Start again without a cursor.",
        ),
        Kind(
            code="bad_request",
            status=400,
            title="Bad request",
            meaning="The request cannot be understood, or names a host that this site does not answer to.",
        ),
        Kind(
            code="key_required",
            status=401,
            title="Key required",
            meaning="The endpoint needs a key that is valid, in the header Authorization as `Bearer KEY`. "
            "The operator of the site makes keys.",
        ),
        Kind(code="forbidden", status=403, title="Forbidden", meaning="This client may not do that."),
        Kind(
            code="not_found",
            status=404,
            title="Not found",
            meaning="Nothing is at this address. A record that left its dataset is no such case: it stays, as retired.",
        ),
        Kind(
            code="method_not_allowed",
            status=405,
            title="Method not allowed",
            meaning="The endpoint does not take this method. The header Allow names those that it takes.",
        ),
        Kind(
            code="not_acceptable",
            status=406,
            title="Not acceptable",
            meaning="None of the media types in the header Accept can be made here. The detail names those that can.",
        ),
        Kind(
            code="resync_required",
            status=410,
            title="Resync required",
            meaning="Changes that the client lacks are no longer kept, or the catalog is another one. Get an export, "
            "and follow the changes after its revision. The error of `after` names the oldest value that works.",
        ),
        Kind(
            code="body_too_large", status=413, title="Body too large", meaning="The request's body is over the limit."
        ),
        Kind(
            code="text_too_large",
            status=413,
            title="Text too large",
            meaning="The text is over the limit that the detail names. Send its part around the error.",
        ),
        Kind(
            code="query_too_long",
            status=414,
            title="Query too long",
            meaning="The query string, or q alone, is longer than the limit that the detail names.",
        ),
        Kind(
            code="unsupported_media_type",
            status=415,
            title="Unsupported media type",
            meaning="The endpoint does not read bodies of this type.",
        ),
        Kind(
            code="too_many_requests",
            status=429,
            title="Too many requests",
            meaning="The client asked more than its rate allows. The header Retry-After says when to come back.",
        ),
        Kind(
            code="internal_error",
            status=500,
            title="Internal error",
            meaning="The server failed. The cause is in its log, and is not shown.",
        ),
        Kind(
            code="catalog_unavailable",
            status=503,
            title="Catalog unavailable",
            meaning="The database does not answer at the moment. The header Retry-After says when to try again.",
        ),
        Kind(
            code="imports_busy",
            status=503,
            title="Imports busy",
            meaning="No import can be queued at the moment: one is being written to the database, the queue is full, "
            "or the disk is. The header Retry-After says when to try again.",
        ),
        Kind(
            code="export_busy",
            status=503,
            title="Export busy",
            meaning="The server is making as many exports as it may. The header Retry-After says when to try again.",
        ),
        Kind(
            code="search_unavailable",
            status=503,
            title="Search unavailable",
            meaning="The search index is missing or damaged. Everything else works; the detail gives the reason.",
        ),
    )
}


@dataclass
class Problem(Exception):
    """A request that cannot be answered as asked. ``code`` is a key of :data:`KINDS`; ``detail`` is for the client."""

    code: str
    detail: str
    errors: Sequence[ParameterProblem] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """The answer that tells ``problem``. It is never stored by caches."""
    kind = KINDS[problem.code]
    details = ProblemDetails(
        type=problem_type(request, kind.code),
        title=kind.title,
        status=kind.status,
        detail=problem.detail,
        instance=escape_uri_path(request.path),
        code=kind.code,
        errors=list(problem.errors) or msgspec.UNSET,
    )
    headers = {"Cache-Control": "no-store", **problem.headers}
    return HttpResponse(msgspec.json.encode(details), status=kind.status, content_type=MEDIA_TYPE, headers=headers)


def kind_of_status(status: int) -> Kind:
    """The most general kind with this status, for an answer that was made outside of the API."""
    general = {400: "bad_request", 503: "catalog_unavailable"}.get(status)
    fallback = KINDS["bad_request" if status < 500 else "internal_error"]  # noqa: PLR2004  # where server errors begin
    return KINDS[general] if general else next((kind for kind in KINDS.values() if kind.status == status), fallback)


def exception_handler(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """Answer what a view raised, as REST framework's ``EXCEPTION_HANDLER``; unforeseen errors are logged, not shown."""
    request: HttpRequest = getattr(context["request"], "_request", context["request"])
    if isinstance(error, Problem):
        return problem_response(request, error)
    problem = _translated(error)
    if KINDS[problem.code].status >= 500:  # noqa: PLR2004  # where server errors begin
        _log_failure(request, error, private=getattr(context.get("view"), "private", False))
    if problem.code == "internal_error":
        got_request_exception.send(sender=None, request=request)
    return problem_response(request, problem)


def _log_failure(request: HttpRequest, error: Exception, *, private: bool) -> None:
    """Tell the log what failed and where; when the exception's text may be the client's, without that text.

    What an index lacks is no fault of the program: one line tells it.
    """
    if isinstance(error, SearchUnavailable):
        _log.warning("%s %s answered 503: %s", request.method, request.path, error.reason)
        return
    if not private:
        _log.error("%s %s failed", request.method, request.path, exc_info=error)
        return
    places = "".join(traceback.format_tb(error.__traceback__))
    _log.error("%s %s failed: %s\n%s", request.method, request.path, type(error).__name__, places)


# What views and the frame raise, with kind and detail; what foreign exceptions say is not for strangers.
_TRANSLATIONS: tuple[tuple[tuple[type[Exception], ...], str, str], ...] = (
    ((OperationalError, InterfaceError), "catalog_unavailable", "The database does not answer at the moment."),
    ((Http404, exceptions.NotFound), "not_found", "Nothing is at this address."),
    ((exceptions.MethodNotAllowed,), "method_not_allowed", "This endpoint does not take this method."),
    ((RequestDataTooBig,), "body_too_large", "The body is over the limit."),
    ((exceptions.UnsupportedMediaType,), "unsupported_media_type", "This endpoint does not read such a body."),
    ((SuspiciousOperation, BadRequest, exceptions.ParseError), "bad_request", "The request cannot be understood."),
    ((PermissionDenied, exceptions.PermissionDenied), "forbidden", "This client may not do that."),
)


def _translated(error: Exception) -> Problem:
    if isinstance(error, SearchUnavailable):
        detail = f"Search does not work at the moment: {error.reason}"
        return Problem("search_unavailable", detail, headers={"Retry-After": _RETRY_SECONDS})
    for kinds, code, detail in _TRANSLATIONS:
        if isinstance(error, kinds):
            retry = {"Retry-After": _RETRY_SECONDS} if code == "catalog_unavailable" else {}
            return Problem(code, detail, headers=retry)
    return Problem("internal_error", "The server failed; its log tells why.")
