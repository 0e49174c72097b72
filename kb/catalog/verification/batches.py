"""Records with all that belongs to them, by ranges of ids: a range holds what stands between two ids, so that lines
without a record are met as well.

Rows come as the database has them. A damaged one may hold anything: making a record of it can fail, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import zstandard
from django.db import DatabaseError, connection

from kb.catalog.contents import unpack
from kb.catalog.fetching import fetch_keys, fetch_rows
from kb.catalog.rows import RECORD_COLUMNS, record_of
from kb.records.record import Record

__all__ = ["COLUMNS", "JSON_LISTS", "Batch", "Row", "batches", "copy_of", "id_batches"]

_BATCH = 500
_PLACED = (
    "dataset_id", "first_revision", "changed_revision", "retired_revision", "retired_reason", "canonical_id",
)  # fmt: skip
COLUMNS = (*RECORD_COLUMNS, *_PLACED)
JSON_LISTS = ("solutions", "prevention_tips", "tags", "absent")
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM catalog_record"  # noqa: S608 - own names
_IDS = "SELECT id FROM catalog_record WHERE id > %s ORDER BY id LIMIT %s"
_CURRENT_IDS = "SELECT id FROM catalog_record WHERE retired_revision IS NULL AND id > %s ORDER BY id LIMIT %s"
_UNREADABLE = (ValueError, TypeError, KeyError, msgspec.MsgspecError)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A record as the database has it. ``record`` is ``None`` when the row makes none; ``problem`` says why."""

    columns: dict[str, Any]
    record: Record | None
    problem: str = ""

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.columns["id"])

    @property
    def retired(self) -> bool:
        """Whether the record is retired."""
        return self.columns.get("retired_revision") is not None


@dataclass(frozen=True, kw_only=True)
class Batch:
    """The records of one range of ids, above ``after`` and up to ``upto``, which is ``None`` for the last range.

    ``damaged`` are those whose content is not what it should be, and cannot be mended here.
    """

    after: str
    upto: str | None
    rows: dict[str, Row]
    damaged: set[str] = field(default_factory=set)

    def select(self, statement: str, column: str) -> list[tuple[Any, ...]]:
        """The rows of ``statement``, a constant of ours that ends in a condition, whose ``column`` is in the range."""
        if self.upto is None:
            return fetch_rows(f"{statement} {column} > %s", (self.after,))
        return fetch_rows(f"{statement} {column} > %s AND {column} <= %s", (self.after, self.upto))


def batches() -> Iterator[Batch]:
    """Every range of ids, in order. Two queries each; none is left open."""
    after = ""
    while True:
        ids = fetch_keys(_IDS, (after, _BATCH))
        last = len(ids) < _BATCH
        upto = None if last else ids[-1]
        yield Batch(after=after, upto=upto, rows=dict(_rows(ids)))
        if last:
            return
        after = ids[-1]


def id_batches(*, current: bool, batch: int = 1000) -> Iterator[list[str]]:
    """The ids of every record in order, some at a time, or of those that are not retired. One query a batch."""
    after = ""
    while True:
        ids = fetch_keys(_CURRENT_IDS if current else _IDS, (after, batch))
        if ids:
            yield ids
        if len(ids) < batch:
            return
        after = ids[-1]


def _rows(ids: list[str]) -> Iterator[tuple[str, Row]]:
    if not ids:
        return
    marks = ", ".join(["%s"] * len(ids))
    try:
        found = fetch_rows(f"{_SELECT} WHERE id IN ({marks}) ORDER BY id", ids)
    except DatabaseError:
        if connection.vendor != "sqlite":
            raise  # its transaction is over
        for record_id in ids:
            yield record_id, _single(record_id)
        return
    for values in found:
        row = _row(dict(zip(COLUMNS, values, strict=True)))
        yield row.id, row


def _single(record_id: str) -> Row:
    """One record of a batch of which some cannot be read."""
    try:
        values = fetch_rows(f"{_SELECT} WHERE id = %s", (record_id,))[0]
    except (DatabaseError, IndexError) as error:
        return Row(columns={"id": record_id}, record=None, problem=f"the row cannot be read: {error}")
    return _row(dict(zip(COLUMNS, values, strict=True)))


def _row(columns: dict[str, Any]) -> Row:
    try:
        return Row(columns=columns, record=_record(columns))
    except _UNREADABLE as error:
        return Row(columns=columns, record=None, problem=f"the row is no record: {' '.join(str(error).split())[:200]}")


def copy_of(content: bytes | memoryview) -> Record | None:
    """The record of a compressed copy, ``None`` when that is damaged."""
    try:
        return unpack(content)
    except (*_UNREADABLE, zstandard.ZstdError):
        return None


def _record(columns: dict[str, Any]) -> Record:
    """The record that these columns hold. Raises one of ``_UNREADABLE`` when they hold none."""
    decoded: dict[str, Any] = {name: _strings(columns[name]) for name in JSON_LISTS}
    extra = msgspec.json.decode(columns["extra"], type=dict[str, Any])
    row = SimpleNamespace(**{**columns, **decoded, "extra": extra, "repository_id": columns["repo"]})
    return record_of(cast("Any", row))


def _strings(text: Any) -> list[str]:
    return msgspec.json.decode(text, type=list[str])
