"""Copies of records by dataset: which there are, in which order, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.catalog.bulk import insert_rows, upsert_rows
from kb.catalog.contents import pack, unpack
from kb.catalog.models import Dataset, Holding
from kb.catalog.prepared import Prepared, prepare
from kb.records.record import Record

__all__ = [
    "Copy",
    "Ranks",
    "copies_behind",
    "delete_copies",
    "held_copies",
    "ids_held_elsewhere",
    "keep_behind",
    "push_behind",
    "rank_datasets",
    "show_copies",
]

Ranks = Mapping[int, tuple[bool, int, str]]
_COLUMNS = ("dataset_id", "record_id", "repo", "content_hash", "content")
_BATCH = 2000


@dataclass(frozen=True)
class Copy:
    """A record as one dataset has it, ready to be shown."""

    ready: Prepared
    dataset_id: int

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.ready.id

    @property
    def claim(self) -> tuple[str, str]:
        """The repository and slug that it would have."""
        return self.ready.repo, self.ready.slug


def rank_datasets() -> Ranks:
    """The order of datasets: the smallest value is shown first (decisions 1), those that are not trusted come last."""
    return {row.pk: (not row.trusted, -row.priority, row.name) for row in Dataset.objects.all()}


def copies_behind(ids: Sequence[str], ranks: Ranks) -> dict[str, list[Copy]]:
    """The copies of these records that are kept but not shown, the best first."""
    rows = Holding.objects.filter(record_id__in=ids, content__isnull=False)
    found: dict[str, list[Copy]] = {}
    for row in sorted(rows, key=lambda row: ranks[row.dataset_id]):
        if row.content is not None:
            ready = prepare(unpack(row.content), digest=row.content_hash)
            found.setdefault(row.record_id, []).append(Copy(ready, row.dataset_id))
    return found


def keep_behind(copies: Sequence[Copy], *, new: bool = False) -> None:
    """Keeps these copies whole, since another one is shown. ``new``: their datasets had none of these records."""
    _put([_row(copy, copy.ready.packed) for copy in copies], new=new)


def push_behind(records: Sequence[tuple[Record, int, str]]) -> None:
    """The same for copies (record, dataset, content hash) that were shown until now."""
    _put([(dataset_id, row.id, row.repo, digest, pack(row)) for row, dataset_id, digest in records], new=False)


def show_copies(copies: Sequence[Copy], *, new: bool = False) -> None:
    """Notes that these copies are the ones shown; their content is that of the record. ``new`` as above."""
    _put([_row(copy, None) for copy in copies], new=new)


def _row(copy: Copy, content: bytes | None) -> tuple[Any, ...]:
    return copy.dataset_id, copy.id, copy.ready.repo, copy.ready.content_hash, content


def _put(rows: Sequence[tuple[Any, ...]], *, new: bool) -> None:
    if new:
        insert_rows("catalog_holding", _COLUMNS, rows)
    else:
        upsert_rows("catalog_holding", _COLUMNS, ("dataset_id", "record_id"), rows)


def delete_copies(dataset: Dataset, ids: Sequence[str]) -> None:
    """Forgets the copies that the dataset had of these records."""
    Holding.objects.filter(dataset=dataset, record_id__in=ids).delete()


def held_copies(dataset: Dataset, ids: Sequence[str]) -> list[tuple[str, str, bytes | None]]:
    """(id, content hash, compressed content) of the dataset's copies; no content where the copy is the one shown."""
    rows = Holding.objects.filter(dataset=dataset, record_id__in=ids)
    found = rows.values_list("record_id", "content_hash", "content")
    return [(record_id, digest, None if content is None else bytes(content)) for record_id, digest, content in found]


def ids_held_elsewhere(dataset: Dataset) -> Iterator[list[str]]:
    """The ids that the dataset holds and another one as well, in order, some at a time."""
    after = ""
    while True:
        rows = Holding.objects.raw(
            "SELECT h.id, h.record_id FROM catalog_holding h WHERE h.dataset_id = %s AND h.record_id > %s AND EXISTS"  # noqa: S608
            " (SELECT 1 FROM catalog_holding o WHERE o.record_id = h.record_id AND o.dataset_id <> h.dataset_id)"
            f" ORDER BY h.record_id LIMIT {_BATCH}",
            [dataset.pk, after],
        )
        ids = [row.record_id for row in rows]
        if ids:
            yield ids
            after = ids[-1]
        if len(ids) < _BATCH:
            return
