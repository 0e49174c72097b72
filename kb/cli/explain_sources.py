"""Where explanations come from: the catalog of this installation, or another server by its API."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Final, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec
from django.conf import settings

from kb.api.match_shapes import MOST_RECORDS, ResultShaper, found_ids
from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.cli.readiness import database_problem
from kb.cli.remote_answers import Unreadable, read_answer
from kb.matching import engine
from kb.matching.answers import Context, Explanation
from kb.matching.tuning import MAX_TEXT
from kb.present.explanation import alike_ids, record_ids, report_of
from kb.present.explanation_markdown import explanation_markdown
from kb.present.explanation_parts import Report
from kb.search.errors import SearchUnavailable

__all__ = ["Answer", "Asked", "CannotExplain", "LocalCatalog", "Server", "Source", "default_base_url"]

_TIMEOUT: Final = 30.0  # seconds
_MOST_BYTES: Final = 64 * 1024 * 1024
_SERVED_AT: Final = "http://127.0.0.1:8000"  # where ``faultbook serve`` listens unless told otherwise


class CannotExplain(Exception):
    """Why there is no answer, and what helps, on one line."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How many matches an error may have, and what the caller knows of the program."""

    limit: int = 5
    context: Context = field(default_factory=Context)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one text was found to be. ``make_json`` gives the result as the API does, on one line."""

    explanation: Explanation
    records: tuple[RecordView, ...]
    alike: tuple[RecordRow, ...]
    base_url: str
    make_json: Callable[[], bytes]

    @property
    def found(self) -> bool:
        """Whether there is a record for it."""
        return self.explanation.best is not None

    def report(self) -> Report:
        """The answer in the order and words for people."""
        return report_of(self.explanation, self.records, alike=self.alike)

    def markdown(self) -> str:
        """The answer as Markdown."""
        return explanation_markdown(self.explanation, self.records, alike=self.alike, base_url=self.base_url)


class Source(Protocol):
    """Explains texts."""

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer. Raises :class:`CannotExplain`."""


def default_base_url() -> str:
    """The address before links into this installation's own pages."""
    return str(settings.KB_BASE_URL) or _SERVED_AT


class LocalCatalog:
    """The catalog that the settings name."""

    def __init__(self) -> None:
        self._is_ready = False

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer of the engine. Raises :class:`CannotExplain`."""
        problem = "" if self._is_ready else database_problem()
        if problem:
            raise CannotExplain(problem)
        self._is_ready = True
        try:
            return self._explained(text, asked)
        except SearchUnavailable as unavailable:
            raise CannotExplain(f"{unavailable.reason} Run: faultbook sync_index") from None

    def _explained(self, text: str, asked: Asked) -> Answer:
        base = default_base_url()
        with queries.snapshot() as state:
            if not state.revision:
                raise CannotExplain("The catalog is empty. Load a dataset first: faultbook import SOURCE")
            explanation = engine.explain(text, limit=asked.limit, context=asked.context)
            found = queries.records_by_ids(found_ids([explanation])[:MOST_RECORDS])
            alike = queries.record_rows(alike_ids(explanation))
        records = {view.row.id: view for view in found}

        def make_json() -> bytes:
            return msgspec.json.encode(ResultShaper(base, "full", records).result(explanation))

        shown = tuple(records[key] for key in record_ids(explanation) if key in records)
        return Answer(explanation=explanation, records=shown, alike=alike, base_url=base, make_json=make_json)


class _NoRedirects(HTTPRedirectHandler):
    """A redirected POST would arrive as a GET without its text."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """Another Faultbook. ``url`` is its address, with or without a path below which it is served."""

    def __init__(self, url: str, *, timeout: float = _TIMEOUT) -> None:
        """Raises ``ValueError`` with what is wrong with the address."""
        self._base = _checked(url)
        self._timeout = timeout
        self._opener = build_opener(_NoRedirects)

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer of the server to the last 256 KiB of the text. Raises :class:`CannotExplain`."""
        body = {
            "text": text.encode("utf-8", "replace")[-MAX_TEXT:].decode("utf-8", "ignore"),
            "limit": asked.limit,
            "detail": "full",
            "context": {
                "packages": list(asked.context.packages),
                "repositories": list(asked.context.repositories),
                "languages": list(asked.context.languages),
            },
        }
        answered = self._post(json.dumps(body).encode())
        try:
            result, explanation, records = read_answer(answered)
        except Unreadable:
            raise CannotExplain(f"{self._base} does not answer as a Faultbook server does") from None
        return Answer(explanation=explanation, records=records, alike=(), base_url=self._base, make_json=lambda: result)

    def _post(self, body: bytes) -> bytes:
        request = Request(  # noqa: S310 - the scheme was checked
            f"{self._base}/api/v1/match/",
            data=body,
            headers={"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "faultbook"},
        )
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                answered: bytes = response.read(_MOST_BYTES + 1)
        except HTTPError as error:
            raise CannotExplain(f"{self._base} answers {error.code}: {_reason(error)}") from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            told = f"no answer in {self._timeout:g} seconds" if isinstance(reason, TimeoutError) else str(reason)
            raise CannotExplain(f"{self._base} cannot be asked: {told or type(error).__name__}") from None
        if len(answered) > _MOST_BYTES:
            raise CannotExplain(f"{self._base} answers with more than {_MOST_BYTES // 1024 // 1024} MiB")
        return answered


def _checked(url: str) -> str:
    """The address without a last slash."""
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


def _reason(error: HTTPError) -> str:
    """What a problem document says, else the words of the status."""
    if "Location" in error.headers:
        return f"it has moved to {error.headers['Location']}"
    try:
        told = json.loads(error.read(64 * 1024))
    except (ValueError, OSError, HTTPException):
        told = None
    detail = told.get("detail") if isinstance(told, dict) else None
    return detail if isinstance(detail, str) and detail else str(error.reason)
