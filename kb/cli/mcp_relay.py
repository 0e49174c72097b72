"""Another Faultbook's tools for language models, for clients that only start programs: messages are passed on."""

from __future__ import annotations

import json
from typing import Any, Final

from kb.integrations.instance import CannotAsk, Instance
from kb.mcp.stdio import headers_of
from kb.present.invisible import without_invisible
from kb.records.text import one_line

__all__ = ["Relay"]

_PATH: Final = "/mcp"
_ANSWERED: Final = (400, 403, 404, 413, 429)  # statuses whose body answers the message
_SERVER_ERROR: Final = -32000
_LONGEST: Final = 500


class Relay(Instance):
    """Answers a message with what the instance answers. Raises ``ValueError`` for what is no address."""

    def __call__(self, message: bytes) -> bytes:
        """The answer to a message, empty for none; an error in the protocol's own form when there is none to be had."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers_of(message),
        }
        try:
            reply = self._asked(_PATH, message, headers, expected=_ANSWERED)
        except CannotAsk as problem:
            return _failure(message, str(problem))
        except (UnicodeError, ValueError):  # a header that HTTP cannot carry
            return _failure(message, "The message names something that no tool is called.")
        if reply.location:
            return _failure(message, f"{self.base_url} answers {reply.status}: it has moved to {reply.location}")
        if not reply.body or _is_answer(reply.body):
            return reply.body
        return _failure(message, f"{self.base_url} does not answer as a Faultbook server does")


def _is_answer(body: bytes) -> bool:
    decoded = _decoded(body)
    return isinstance(decoded, dict) and decoded.get("jsonrpc") == "2.0"


def _failure(message: bytes, reason: str) -> bytes:
    """An error for the request that the message is; nothing for a notification."""
    decoded = _decoded(message)
    number = decoded.get("id") if isinstance(decoded, dict) else None
    if isinstance(decoded, dict) and number is None:
        return b""
    told = one_line(without_invisible(reason), _LONGEST)
    error = {"jsonrpc": "2.0", "id": number, "error": {"code": _SERVER_ERROR, "message": told}}
    return json.dumps(error).encode()


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
