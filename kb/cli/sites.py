"""Where the catalog is asked: this installation's own site, answered in this process, or another Faultbook over HTTP.

Both answer the same paths with the same bodies, so a command is written once.
"""

from __future__ import annotations

import io
import sys
from typing import Final, Protocol
from urllib.parse import unquote, unquote_to_bytes, urlencode, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404
from django.urls import Resolver404, resolve

from kb.catalog import queries
from kb.cli.readiness import database_problem
from kb.integrations.instance import CannotAsk, Instance, Reply, problem_detail
from kb.search.errors import SearchUnavailable

__all__ = ["SERVER_HELP", "CannotAsk", "LocalSite", "Site", "default_base_url", "site_of"]

SERVER_HELP: Final = "ask this Faultbook instead of the catalog here (default: KB_SERVER)"
_SERVED_AT: Final = "http://127.0.0.1:8000"  # where ``faultbook serve`` listens unless told otherwise


class Site(Protocol):
    """Answers GET requests. ``base_url`` is the address before its paths, without a last slash."""

    @property
    def base_url(self) -> str:
        """The address before its paths."""

    def get(self, path: str, parameters: dict[str, str] | None = None, *, accept: str = "application/json") -> Reply:
        """The answer, redirects and 404 included. Raises :class:`CannotAsk`."""


def default_base_url() -> str:
    """The address before links into this installation's own pages."""
    return str(settings.KB_BASE_URL) or _SERVED_AT


def site_of(server: str | None) -> Site:
    """The site of the option ``--server``: of that address, by default of ``KB_SERVER``, else the catalog here.

    Raises ``ValueError`` with what is wrong with the address.
    """
    address = str(settings.KB_SERVER) if server is None else server
    return Instance(address) if address else LocalSite()


class _Request(WSGIRequest):
    """A request that came by no host, so that none has to be allowed."""

    def get_host(self) -> str:
        """What links are made with."""
        return urlsplit(default_base_url()).netloc


class LocalSite:
    """The site of the catalog that the settings name, without a server."""

    def __init__(self) -> None:
        self._is_ready = False

    @property
    def base_url(self) -> str:
        """Where the pages would be served."""
        return default_base_url()

    def get(self, path: str, parameters: dict[str, str] | None = None, *, accept: str = "application/json") -> Reply:
        """The answer of the view itself. Raises :class:`CannotAsk` while the catalog cannot answer."""
        self._check()
        try:
            view, arguments, named = resolve(unquote(path))
            response = view(_request(path, parameters or {}, accept), *arguments, **named)
        except (Http404, Resolver404):
            return Reply(status=404, body=b"")
        except SearchUnavailable as unavailable:
            raise CannotAsk(f"{unavailable.reason} Run: faultbook sync_index") from None
        body = b"".join(response.streaming_content) if response.streaming else response.content
        if response.status_code == 503:  # noqa: PLR2004 - no index, in the words of the API
            raise CannotAsk(f"{problem_detail(body)} Run: faultbook sync_index")
        return Reply(status=response.status_code, body=body, location=response.headers.get("Location", ""))

    def _check(self) -> None:
        if self._is_ready:
            return
        problem = database_problem()
        if not problem and not queries.state().revision:
            problem = "The catalog is empty. Load a dataset first: faultbook import SOURCE"
        if problem:
            raise CannotAsk(problem)
        self._is_ready = True


def _request(path: str, parameters: dict[str, str], accept: str) -> WSGIRequest:
    return _Request(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),  # as servers hand it over
            "QUERY_STRING": urlencode(parameters),
            "HTTP_ACCEPT": accept,
            "REMOTE_ADDR": "127.0.0.1",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": urlsplit(default_base_url()).scheme,
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": sys.stderr,
        }
    )
