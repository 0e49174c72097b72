"""A Faultbook instance, asked over HTTP: bounded, timed, and with every failure as one line of text."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

__all__ = ["CannotAsk", "Instance", "Reply", "checked_address", "problem_detail"]

_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_OF_A_PROBLEM: Final = 64 * 1024
_STEP: Final = 256 * 1024


class CannotAsk(Exception):
    """Why an instance gave no answer, on one line. The text may hold what the instance said: it is foreign."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What came back. ``location`` is where a redirect leads, empty for everything else."""

    status: int
    body: bytes
    location: str = ""


class _NoRedirects(HTTPRedirectHandler):
    """A redirected POST would arrive as a GET without its text, and a GET somewhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Instance:
    """One instance by its address, with or without a path below which it is served."""

    def __init__(self, url: str, *, timeout: float = 30.0) -> None:
        """``timeout`` is for a whole answer, in seconds. Raises ``ValueError`` with what is wrong with the address."""
        self.base_url = checked_address(url)
        self._timeout = timeout
        self._opener = build_opener(_NoRedirects)

    def get(self, path: str, parameters: dict[str, str] | None = None, *, accept: str = "application/json") -> Reply:
        """The answer to a GET; also a redirect, 404 and 400. Raises :class:`CannotAsk` for other failures."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self._asked(f"{path}{query}", None, {"Accept": accept}, expected=(400, 404))

    def post(self, path: str, body: Any) -> bytes:
        """The answer to a POST of JSON. Raises :class:`CannotAsk`."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        reply = self._asked(path, json.dumps(body).encode(), headers, expected=())
        if reply.location:
            raise CannotAsk(f"{self.base_url} answers {reply.status}: it has moved to {reply.location}")
        return reply.body

    def _asked(self, path: str, body: bytes | None, headers: dict[str, str], *, expected: tuple[int, ...]) -> Reply:
        request = Request(  # noqa: S310 - the scheme was checked
            f"{self.base_url}{path}", data=body, headers={"User-Agent": "faultbook", **headers}
        )
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return Reply(status=response.status, body=self._read(response))
        except HTTPError as error:
            with error:
                return self._failed(error, expected)
        except (URLError, HTTPException, OSError, ValueError) as error:
            raise CannotAsk(self._unanswered(error)) from None

    def _read(self, response: HTTPResponse) -> bytes:
        """The body, piece by piece, so that an answer that trickles ends as well."""
        end = time.monotonic() + self._timeout
        pieces: list[bytes] = []
        length = 0
        while piece := response.read1(_STEP):
            length += len(piece)
            if length > _MOST_BYTES:
                raise CannotAsk(f"{self.base_url} answers with more than {_MOST_BYTES // 1024 // 1024} MiB")
            if time.monotonic() > end:
                raise TimeoutError
            pieces.append(piece)
        return b"".join(pieces)

    def _failed(self, error: HTTPError, expected: tuple[int, ...]) -> Reply:
        location = error.headers.get("Location") or ""
        try:
            body = error.read(_MOST_OF_A_PROBLEM)
        except (OSError, HTTPException):
            body = b""
        if location or error.code in expected:
            return Reply(status=error.code, body=body, location=location)
        raise CannotAsk(f"{self.base_url} answers {error.code}: {problem_detail(body) or error.reason}")

    def _unanswered(self, error: Exception) -> str:
        reason = getattr(error, "reason", None) or error
        told = f"no answer in {self._timeout:g} seconds" if isinstance(reason, TimeoutError) else str(reason)
        return f"{self.base_url} cannot be asked: {told or type(error).__name__}"


def problem_detail(body: bytes) -> str:
    """What a problem document says; empty when ``body`` is none."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    detail = told.get("detail") if isinstance(told, dict) else None
    return detail if isinstance(detail, str) else ""


def checked_address(url: str) -> str:
    """The address of an instance without a last slash. Raises ``ValueError`` with what is wrong with it."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for one that is none
    except ValueError as problem:
        raise ValueError(f"{url!r} is no address: {problem}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{url!r} is no address of a server: it begins with http:// or https:// and a host")
    if parts.username is not None or parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise ValueError(f"{url!r} has more than scheme, host, port and path")
    return url.rstrip("/")
