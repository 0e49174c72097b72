"""The server for a pair of pipes: a message a line in, an answer a line out.

There is one table of tools and one server: each message is put to it as a request that came by no network.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

import msgspec
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections
from django_mcpz.server import META_PROTOCOL_VERSION

from kb.mcp.tools import BASE_URL
from kb.mcp.view import answer

__all__ = ["LocalServer", "headers_of", "serve"]

_TOO_LONG: Final = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message is over 2 MiB. Of a long log send the '
    b'end."}}'
)
_PIECE: Final = 64 * 1024  # bytes in which the rest of a line that is too long is passed over


def serve(incoming: BinaryIO, outgoing: BinaryIO, answered: Callable[[bytes], bytes]) -> None:
    """Answers messages in their order until the other side closes its pipe. ``answered`` gives nothing for none."""
    for line in _messages(incoming, int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)):
        reply = _TOO_LONG if line is None else answered(line)
        if reply:
            outgoing.write(reply.replace(b"\n", b" ") + b"\n")
            outgoing.flush()


def _messages(incoming: BinaryIO, most: int) -> Iterator[bytes | None]:
    """The lines that hold something; ``None`` for one that is too long, whose rest is passed over."""
    while line := incoming.readline(most + 1):
        if len(line) > most and not line.endswith(b"\n"):
            while (rest := incoming.readline(_PIECE)) and not rest.endswith(b"\n"):
                pass
            yield None
        elif line.strip():
            yield line.strip()


class LocalServer:
    """Answers messages from the catalog that the settings name; ``base_url`` stands before links."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def __call__(self, message: bytes) -> bytes:
        """The answer to a message, empty for none."""
        close_old_connections()  # as before every request: the database may have been restarted since
        response = answer(self._request(message))
        return bytes(response.content)

    def _request(self, message: bytes) -> WSGIRequest:
        named = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers_of(message).items()}
        return WSGIRequest(
            {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": "/mcp",
                "CONTENT_TYPE": "application/json",
                "CONTENT_LENGTH": str(len(message)),
                "REMOTE_ADDR": "127.0.0.1",
                "SERVER_NAME": "localhost",
                "SERVER_PORT": "80",
                "wsgi.url_scheme": "http",
                "wsgi.input": io.BytesIO(message),
                "wsgi.errors": sys.stderr,
                BASE_URL: self._base_url,
                **named,
            }
        )


def headers_of(message: bytes) -> dict[str, str]:
    """The header fields with which the current revision sends a message over HTTP; none for earlier revisions."""
    try:
        decoded: Any = msgspec.json.decode(message)
    except msgspec.DecodeError:
        return {}
    params = decoded.get("params") if isinstance(decoded, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(META_PROTOCOL_VERSION) if isinstance(meta, dict) else None
    if not isinstance(params, dict) or not isinstance(version, str):
        return {}
    fields = {"MCP-Protocol-Version": version, "Mcp-Method": decoded.get("method"), "Mcp-Name": params.get("name")}
    return {name: value for name, value in fields.items() if isinstance(value, str)}
