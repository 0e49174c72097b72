"""Records as a stream of JSON lines.

Each batch is read in a short snapshot of its own, which checks that the catalog is still at the revision that the
stream began with: what is streamed is of one revision, and a client that reads slowly holds back neither the checkpoint
of SQLite's log nor the cleaning of PostgreSQL's tables. When the revision has changed, the last line says so.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import msgspec
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.api.links import with_parameters
from kb.api.lists import bad_cursor, next_url
from kb.api.problems import Problem
from kb.api.records import record_filter
from kb.api.view import Call, EndpointView
from kb.catalog import queries
from kb.catalog.answers import RecordFilter

__all__ = ["ExportView"]

log = logging.getLogger(__name__)
_BATCH = 200
_RETRY_SECONDS = "60"


class ExportView(EndpointView):
    """Every record that passes filters."""

    def known_tag(self, call: Call) -> str | None:  # noqa: ARG002  # a stream that may end early has no tag
        """Nothing is known before the stream has ended."""
        return None

    def answer(self, call: Call) -> HttpResponseBase:
        """The stream; its first batch is read here, so that a bad request gets a problem and not a line."""
        if not settings.KB_EXPORT_STREAMS:
            raise Problem("forbidden", "The operator of this site has turned exports off.")
        filters = record_filter(call.values)
        try:
            first = _read(filters, call.values["cursor"])
        except queries.BadCursor as error:
            raise bad_cursor() from error
        head = call.request.method == "HEAD"
        response = StreamingHttpResponse(() if head else _Stream(call, filters, first), content_type=call.media_type)
        response["Content-Disposition"] = f'attachment; filename="faultbook-r{call.state.revision}.ndjson"'
        return self.stamped(response, call)


@dataclass(frozen=True)
class _Batch:
    """Some lines, and the cursor of what follows them."""

    lines: bytes
    following: str | None


def _read(filters: RecordFilter, cursor: str | None) -> _Batch:
    page = queries.list_ids(filters, cursor=cursor, limit=_BATCH)
    return _Batch(b"".join(line + b"\n" for line in queries.raw_records(page.items)), page.next)


class _Slots:
    """How many streams this process has open: each one keeps a thread of the server as long as its client reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = 0

    def take(self) -> None:
        """Raises :class:`Problem` when there are as many as there may be."""
        with self._lock:
            if self._taken >= settings.KB_EXPORT_STREAMS:
                detail = "This server is making as many exports as it may. Try again later."
                raise Problem("export_busy", detail, headers={"Retry-After": _RETRY_SECONDS})
            self._taken += 1

    def give_back(self) -> None:
        """One is free again."""
        with self._lock:
            self._taken -= 1


_slots = _Slots()


class _Stream:
    """The bytes of an export. Its slot is free again at their end, and when the server closes it because the client has
    gone.
    """

    def __init__(self, call: Call, filters: RecordFilter, first: _Batch) -> None:
        _slots.take()
        self._open = True
        self._batches = _batches(call, filters, first)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._batches
        finally:
            self.close()

    def close(self) -> None:
        """Gives the slot back, once."""
        if self._open:
            self._open = False
            self._batches.close()
            _slots.give_back()


def _batches(call: Call, filters: RecordFilter, batch: _Batch) -> Generator[bytes, None, None]:
    """The lines, a batch at a time, all of the revision that the call began in; else a last line that tells why not."""
    while True:
        if batch.lines:
            yield batch.lines
        cursor = batch.following
        if cursor is None:
            return
        following: _Batch | None = None
        code, detail = "revision_changed", "The catalog has a new revision; what follows would not belong to this one."
        try:
            with queries.snapshot() as state:
                if (state.revision, state.version) == (call.state.revision, call.state.version):
                    following = _read(filters, cursor)
        except (OperationalError, InterfaceError) as error:
            log.warning("an export ended early: %s", " ".join(str(error).split()))
            code, detail = "catalog_unavailable", "The database does not answer at the moment."
        if following is None:
            yield _last_line(call, cursor, code, detail)
            return
        batch = following


def _last_line(call: Call, cursor: str, code: str, detail: str) -> bytes:
    sent = call.request.GET
    kept: dict[str, str | list[str]] = {name: sent.getlist(name) for name in sent if name != "cursor"}
    restart = call.base + with_parameters(call.request.path, kept)
    error = {"code": code, "detail": detail, "resume": next_url(call, cursor), "restart": restart}
    return msgspec.json.encode({"error": error}) + b"\n"
