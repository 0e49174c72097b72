"""What datasets hold against what is shown: each shown record is held by its dataset, other copies are kept whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb.catalog.bulk import upsert_rows
from kb.catalog.models import Dataset, Holding
from kb.catalog.verification.batches import Batch, Row, copy_of
from kb.catalog.verification.faults import Fault, Scope
from kb.records.hashing import content_hash

__all__ = ["check_copies", "forget_source"]

_SELECT = "SELECT id, dataset_id, record_id, repo, content_hash, content FROM catalog_holding WHERE"
_COLUMNS = ("dataset_id", "record_id", "repo", "content_hash", "content")
_AGAIN = "the next import of its dataset brings it back"


@dataclass(frozen=True)
class _Held:
    pk: int
    dataset_id: int
    record_id: str
    repo: str
    content_hash: str
    content: bytes | memoryview | None


def check_copies(batch: Batch, scope: Scope) -> Iterator[Fault]:
    """The copies of the records of a batch. One query."""
    held: dict[str, list[_Held]] = {}
    for values in batch.select(_SELECT, "record_id"):
        held.setdefault(values[2], []).append(_Held(*values))
    for record_id in sorted(held.keys() | batch.rows.keys()):
        if record_id in batch.damaged:
            continue  # told of by the check of contents
        row = batch.rows.get(record_id)
        yield from _check(record_id, row, held.get(record_id, []), scope)


def _check(record_id: str, row: Row | None, copies: list[_Held], scope: Scope) -> Iterator[Fault]:
    shown = row.columns["dataset_id"] if row is not None and not row.retired else None
    for copy in copies:
        if copy.dataset_id == shown and row is not None:
            yield from _check_shown(row, copy, scope)
        elif copy.content is None:
            yield from _drop(copy, "a dataset holds it without a copy, and another one is shown", scope)
        elif row is None:
            yield from _drop(copy, "a dataset holds a record that is not there", scope)
        elif not _is_whole(copy):
            yield from _drop(copy, "the copy of a dataset that is not shown is damaged", scope)
    if row is not None and shown is not None and shown not in {copy.dataset_id for copy in copies}:
        yield scope.fault("copies", record_id, "the dataset that it is shown from does not hold it")
        if scope.mend:
            _hold(row)


def _check_shown(row: Row, copy: _Held, scope: Scope) -> Iterator[Fault]:
    wrong = [
        name
        for name, differs in (
            ("hash", copy.content_hash != row.columns["content_hash"]),
            ("repository", copy.repo != row.columns["repo"]),
            ("content", copy.content is not None),
        )
        if differs
    ]
    if not wrong:
        return
    yield scope.fault("copies", row.id, f"what its dataset holds differs from what is shown: {', '.join(wrong)}")
    if scope.mend:
        _hold(row)


def _hold(row: Row) -> None:
    columns = row.columns
    held = (columns["dataset_id"], row.id, columns["repo"], columns["content_hash"], None)
    upsert_rows("catalog_holding", _COLUMNS, ("dataset_id", "record_id"), [held])


def _drop(copy: _Held, message: str, scope: Scope) -> Iterator[Fault]:
    """Names a copy that is of no use. Forgetting it is what makes the dataset's next import bring it again."""
    yield scope.fault("copies", copy.record_id, f"{message}; {_AGAIN}")
    if scope.mend:
        Holding.objects.filter(pk=copy.pk).delete()
        forget_source(copy.dataset_id)


def forget_source(dataset_id: int) -> None:
    """Makes the next import of a dataset read its source, whether or not that has changed."""
    Dataset.objects.filter(pk=dataset_id).update(remembered={})


def _is_whole(copy: _Held) -> bool:
    record = None if copy.content is None else copy_of(copy.content)
    return record is not None and content_hash(record) == copy.content_hash
