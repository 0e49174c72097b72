"""Building an index in a process of its own, so that another core makes it while this process does something else.

The process is a program of its own, not a fork: it shares no database connection and no lock with this one. It gets its
orders and then rows of :data:`kb.catalog.match_rows.MATCH_COLUMNS` through a pipe, writes the index into a folder that
this process made, and answers. When the pipe ends early, because this process ended, it ends without writing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from kb.catalog.answers import MatchFact
from kb.catalog.match_rows import match_fact
from kb.matching.index.build import build, update
from kb.matching.index.files import read_arrays, write_index
from kb.processes import end_program, receive, send, serving_pipes, start_program
from kb.search.files import Manifest

__all__ = ["Order", "Process", "serve"]

log = logging.getLogger(__name__)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Build the index of ``revision`` in ``folder``: from nothing, or from that in the folder ``base``, of which the
    records in ``changed`` go before those that are sent come.
    """

    revision: int
    folder: str
    base: str | None = None
    changed: list[str] = []


class Process:
    """Another process that builds an index. End it by :meth:`close`, whatever came of it."""

    def __init__(self, order: Order) -> None:
        """Start it. Raises ``OSError`` when it cannot be started."""
        self._process = start_program(__name__, "serve()")
        self._works = True
        self._send(msgspec.msgpack.encode(order))

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Hand over rows. Those for a process that has ended are lost: :meth:`finish` then says so."""
        self._send(msgspec.msgpack.encode(rows))

    def finish(self) -> Manifest | None:
        """Wait for the index, when all rows were added; ``None`` when the process could not make it."""
        self._send(b"")
        manifest = None
        if self._works and self._process.stdout is not None:
            answer = receive(self._process.stdout)
            with suppress(msgspec.DecodeError):
                manifest = msgspec.json.decode(answer or b"", type=Manifest)
        if manifest is None:
            log.warning("the process that made the match index has ended (%s)", self._process.poll())
        return manifest

    def close(self) -> None:
        """End the process, if it still runs, and wait until it has."""
        end_program(self._process)

    def _send(self, data: bytes) -> None:
        if not self._works or self._process.stdin is None:
            return
        try:
            send(self._process.stdin, data)
        except OSError:
            self._works = False


def serve() -> None:
    """The other process."""
    pipe, answers = serving_pipes()
    head = receive(pipe)
    if head is None:
        return
    order = msgspec.msgpack.decode(head, type=Order)
    try:
        if order.base is None:
            arrays = build(_facts(pipe))
        else:
            arrays = update(read_arrays(Path(order.base)), order.changed, _facts(pipe))
    except EOFError:
        return
    manifest = write_index(Path(order.folder), arrays, order.revision)
    with suppress(BrokenPipeError):
        send(answers, msgspec.json.encode(manifest))


def _facts(pipe: IO[bytes]) -> Iterator[MatchFact]:
    """The facts of the rows that come, up to the sign that these were all. Raises ``EOFError`` when it is missing."""
    while (data := receive(pipe)) is not None:
        if not data:
            return
        yield from map(match_fact, msgspec.msgpack.decode(data))
    raise EOFError("the rows ended early")
