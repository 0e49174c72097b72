"""The server at ``/mcp``: every revision of the protocol over streamable HTTP, without sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Final, Protocol

import msgspec
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from django_mcpz.jsonrpc import INVALID_REQUEST, error_response
from django_mcpz.server import MCPServer

from kb.mcp.tools import READABLE, make_server

__all__ = ["Allowance", "answer", "endpoint"]

_TOO_MANY: Final = -32000  # the first code that JSON-RPC leaves to servers
_HINT: Final = "This is the address of a Model Context Protocol server: give it to a client, which posts to it.\n"

View = Callable[[HttpRequest], HttpResponse]


class Allowance(Protocol):
    """What is left of a client's rate."""

    @property
    def exceeded(self) -> bool:
        """Whether the request must be refused."""

    @property
    def limit(self) -> int:
        """Requests a minute."""

    @property
    def reset_seconds(self) -> int:
        """When the next minute begins."""

    def headers(self) -> Mapping[str, str]:
        """The same as header fields."""


def endpoint(take: Callable[[HttpRequest], Allowance | None]) -> View:
    """The view. ``take`` counts a request and says what is left to its client, ``None`` without a limit."""

    @csrf_exempt  # it is no browser that asks, and nothing here writes
    def mcp(request: HttpRequest) -> HttpResponse:
        allowance = take(request)
        response = _too_many(allowance) if allowance and allowance.exceeded else answer(request)
        for name, value in (allowance.headers() if allowance else {}).items():
            response[name] = value
        response["Cache-Control"] = "no-store"
        return response

    return mcp


def answer(request: HttpRequest) -> HttpResponse:
    """The answer to one message, in JSON; nothing for a notification."""
    try:
        response = _server()(request)
    except RequestDataTooBig:
        return error_response(
            None,
            INVALID_REQUEST,
            "The message is over 2 MiB. Of a long log send the end.",
            status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        )
    except UnreadablePostError:
        return error_response(None, INVALID_REQUEST, "The message broke off.", status=HTTPStatus.BAD_REQUEST)
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.content = _HINT.encode()
        response["Content-Type"] = "text/plain; charset=utf-8"
    text = request.META.pop(READABLE, None)
    if text is not None:
        response.content = _with_text(response.content, text)
    return response


@cache
def _server() -> MCPServer:
    return make_server()


def _with_text(body: bytes, text: str) -> bytes:
    """The answer to a call with ``text`` as its content, where the library has the structured content once more."""
    message: dict[str, Any] = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    result: dict[str, Any] = msgspec.json.decode(message["result"], type=dict[str, msgspec.Raw])
    result["content"] = [{"type": "text", "text": text}]
    return msgspec.json.encode({**message, "result": result})


def _too_many(allowance: Allowance) -> HttpResponse:
    wait = allowance.reset_seconds
    response = error_response(
        None,
        _TOO_MANY,
        f"More than {allowance.limit} requests in a minute. Try again in {wait} seconds.",
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )
    response["Retry-After"] = str(wait)
    return response
