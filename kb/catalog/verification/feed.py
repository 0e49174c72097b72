"""The last change of each record against the record: replaying the feed gives what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import zstandard
from django.db.models import Min

from kb.catalog.contents import pack
from kb.catalog.models import Change, Record
from kb.catalog.verification.batches import Batch, Row, copy_of
from kb.catalog.verification.faults import Fault, Scope
from kb.records.encode import encode_json
from kb.records.hashing import content_hash

__all__ = ["Feed", "check_feed"]

_SELECT = "SELECT record_id, id, revision, kind, content FROM catalog_change WHERE"
_MOST = 16 * 1024 * 1024


@dataclass(frozen=True)
class Feed:
    """From which revision on changes are kept; ``None`` when there are none."""

    start: int | None

    @classmethod
    def read(cls) -> Feed:
        """The feed as it is now. One query."""
        return cls(Change.objects.aggregate(first=Min("revision"))["first"])


@dataclass(frozen=True)
class _Last:
    pk: int
    revision: int
    kind: str
    content: bytes | memoryview


def check_feed(batch: Batch, scope: Scope, feed: Feed) -> Iterator[Fault]:
    """The last changes of the records of a batch. One query."""
    last: dict[str, _Last] = {}
    for record_id, *values in batch.select(_SELECT, "record_id"):
        change = _Last(*values)
        known = last.get(record_id)
        if known is None or (known.revision, known.pk) < (change.revision, change.pk):
            last[record_id] = change
    for record_id in sorted(last.keys() | batch.rows.keys()):
        row = batch.rows.get(record_id)
        if row is None:
            yield scope.fault("feed", record_id, "the feed of changes names a record that is not there", curable=False)
        else:
            sound = record_id not in batch.damaged
            yield from _check(row, last.get(record_id), scope, feed, sound=sound)


def _check(row: Row, change: _Last | None, scope: Scope, feed: Feed, *, sound: bool) -> Iterator[Fault]:
    changed = row.columns["changed_revision"]
    if change is None:
        if feed.start is not None and changed >= feed.start:
            yield scope.fault("feed", row.id, f"its change of revision {changed} is missing", curable=False)
        return
    if (change.kind == "retired") != row.retired:
        found = "retired" if row.retired else "current"
        message = f"it is {found}, but its last change is “{change.kind}”; import its dataset again with --force"
        yield scope.fault("feed", row.id, message, curable=False)
    if change.revision != changed:
        message = f"it changed last in revision {change.revision}, and says {changed}"
        yield scope.fault("feed", row.id, message)
        if scope.mend:
            Record.objects.filter(pk=row.id).update(changed_revision=change.revision)
            scope.shown = True
    if sound and not _tells(change, row):
        yield scope.fault("feed", row.id, f"its change of revision {change.revision} tells another content")
        if scope.mend and row.record is not None:
            Change.objects.filter(pk=change.pk).update(content=pack(row.record))


def _tells(change: _Last, row: Row) -> bool:
    """Whether a change holds the content of a record. Equal bytes need no decoding."""
    if row.record is None:
        return False
    try:
        raw = zstandard.ZstdDecompressor().decompress(bytes(change.content), max_output_size=_MOST)
    except zstandard.ZstdError:
        return False
    if raw == encode_json(row.record):
        return True
    told = copy_of(change.content)
    return told is not None and content_hash(told) == content_hash(row.record)
