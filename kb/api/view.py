"""What all endpoints do alike: check the request, look whether the client's copy still holds, answer.

An endpoint's own part is one method that makes the bytes from one snapshot of the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from kb.api import caching, negotiation
from kb.api.endpoints import ENDPOINTS
from kb.api.links import base_url
from kb.api.operations import Endpoint
from kb.api.parameters import parse
from kb.api.problems import Problem
from kb.api.schema import EndpointSchema
from kb.catalog import queries
from kb.catalog.answers import CatalogView

__all__ = ["Call", "EndpointView", "Made", "check_parts"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One checked request: ``values`` of the query, ``parts`` of the path, and the catalog's state."""

    request: HttpRequest
    base: str
    media_type: str
    values: Mapping[str, Any]
    parts: Mapping[str, str]
    state: CatalogView

    def revision_tag(self, content_hash: str = "") -> str:
        """The tag of the answer that this call gets from this revision."""
        return caching.revision_tag(self.state.revision, self.shape, content_hash)

    @property
    def shape(self) -> str:
        """A digest of what shapes the answer; with the version, since a catalog made anew counts from revision 1."""
        query = self.request.META.get("QUERY_STRING", "")
        return caching.variant(self.state.version, self.base, self.request.path, query, self.media_type)


@dataclass(frozen=True, kw_only=True)
class Made:
    """The bytes of an answer. Without a ``tag`` it is tagged by the bytes. ``next`` is the address of the next page."""

    body: bytes
    tag: str = ""
    next: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class EndpointView(APIView):
    """A view of one row of the endpoint table. Raises :class:`Problem`, which the exception handler answers."""

    endpoint: Endpoint = ENDPOINTS["getRoot"]  # each URL pattern gives its own
    posting: Endpoint | None = None  # the row for POST, where the path has one
    private = False  # whether a failure's exception may repeat what the client sent
    schema = EndpointSchema()
    http_method_names = ["get", "head", "options"]
    parser_classes = []

    def get(self, request: Request, **parts: str) -> HttpResponseBase:
        """Answer the endpoint's GET, and HEAD."""
        endpoint, http = self.endpoint, request._request  # noqa: SLF001  # the plain request is half as slow
        check_parts(endpoint, parts)
        values = parse(http.META.get("QUERY_STRING", ""), endpoint.parameters)
        self.admit(http)
        with queries.snapshot() as state:
            call = Call(
                request=http,
                base=base_url(http),
                media_type=request.accepted_media_type or endpoint.media_types[0],
                values=values,
                parts=parts,
                state=state,
            )
            if http.META.get("HTTP_IF_NONE_MATCH", "*") != "*":  # a star holds for whatever is found
                tag = self.known_tag(call)
                if tag:
                    return self.stamped(HttpResponseNotModified(), call, tag)
            return self.answer(call)

    def admit(self, request: HttpRequest) -> None:
        """Raises :class:`Problem` for a client that may not ask this; everybody may read."""

    def known_tag(self, call: Call) -> str | None:
        """The client's tag when it holds, found without making the answer; ``None`` when only the answer can tell."""
        return caching.held_tag(call.request, call.state.revision, call.shape)

    def make(self, call: Call) -> Made:
        """The answer's bytes, in the call's media type."""
        raise NotImplementedError

    def answer(self, call: Call) -> HttpResponseBase:
        """The full answer, or 304 when only its bytes could tell that the client has it."""
        made = self.make(call)
        tag = made.tag or caching.body_tag(made.body)
        if caching.matches(call.request, tag):
            return self.stamped(HttpResponseNotModified(), call, tag)
        response = HttpResponse(made.body, content_type=content_type(call.media_type))
        for name, value in made.headers.items():
            response[name] = value
        if made.next:
            response["Link"] = f'<{made.next}>; rel="next"'
        return self.stamped(response, call, tag)

    def stamped(self, response: HttpResponseBase, call: Call, tag: str = "") -> HttpResponseBase:
        """``response`` with what caches and readers of headers need; without a tag it is not to be kept."""
        if tag:
            response["ETag"] = tag
        response["Cache-Control"] = caching.CACHE_CONTROL if tag else "no-store"
        response["Vary"] = caching.VARY
        response["Faultbook-Revision"] = str(call.state.revision)
        response["Faultbook-Dataset-Version"] = call.state.version
        return response

    def options(self, request: Any, *_args: Any, **_parts: Any) -> Any:  # noqa: ARG002  # REST framework's signature
        """The methods, in the header ``Allow`` that every answer has."""
        return no_content()

    # REST framework's own steps that we replace or do not need.

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:  # noqa: FBT001, FBT002
        """The media type of the answer; the renderer is none, since views make bytes."""
        offered = self.endpoint.media_types
        chosen = negotiation.choose(request.META.get("HTTP_ACCEPT", ""), offered)
        if chosen is None and not force and request.method != "OPTIONS":
            raise Problem("not_acceptable", f"This can be had as {' or '.join(offered)}.")
        return None, chosen

    def perform_authentication(self, request: Request) -> None:
        """Nobody needs to be known for reading."""


def no_content() -> HttpResponse:
    """Status 204, without the content type that Django would claim."""
    response = HttpResponse(status=204)
    del response["Content-Type"]
    return response


def content_type(media_type: str) -> str:
    """``media_type`` with the encoding where the type leaves it open: JSON is always UTF-8."""
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type


def check_parts(endpoint: Endpoint, parts: Mapping[str, str]) -> None:
    """Raises :class:`Problem` ``not_found`` for a part of the path that fits no pattern."""
    for row in endpoint.path_parameters:
        if not re.fullmatch(row.pattern, parts[row.name]):
            raise Problem(
                "not_found", f"No {row.name} looks like this; {row.description[0].lower()}{row.description[1:]}"
            )
