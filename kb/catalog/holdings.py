"""Copies of records by dataset: which there are, in which order, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kb.catalog.bulk import upsert_rows
from kb.catalog.contents import pack, unpack
from kb.catalog.models import Dataset, Holding
from kb.records.record import Record

__all__ = [
    "Copy",
    "Ranks",
    "copies_behind",
    "delete_copies",
    "held_copies",
    "ids_held_elsewhere",
    "keep_behind",
    "rank_datasets",
    "show_copies",
]

Ranks = Mapping[int, tuple[bool, int, str]]
_COLUMNS = ("dataset_id", "record_id", "repo", "content_hash", "content")
_BATCH = 2000


@dataclass(frozen=True)
class Copy:
    """A record as one dataset has it."""

    record: Record
    dataset_id: int
    content_hash: str

    @property
    def claim(self) -> tuple[str, str]:
        """The repository and slug that it would have."""
        return self.record.repo, self.record.slug


def rank_datasets() -> Ranks:
    """The order of datasets: the smallest value is shown first (decisions 1), those that are not trusted come last."""
    return {row.pk: (not row.trusted, -row.priority, row.name) for row in Dataset.objects.all()}


def copies_behind(ids: Sequence[str], ranks: Ranks) -> dict[str, list[Copy]]:
    """The copies of these records that are kept but not shown, the best first."""
    rows = Holding.objects.filter(record_id__in=ids, content__isnull=False)
    found: dict[str, list[Copy]] = {}
    for row in sorted(rows, key=lambda row: ranks[row.dataset_id]):
        if row.content is not None:
            found.setdefault(row.record_id, []).append(Copy(unpack(row.content), row.dataset_id, row.content_hash))
    return found


def keep_behind(copies: Sequence[Copy]) -> None:
    """Keeps these copies whole, since another one is shown."""
    _put([(copy, pack(copy.record)) for copy in copies])


def show_copies(copies: Sequence[Copy]) -> None:
    """Notes that these copies are the ones shown; their content is that of the record."""
    _put([(copy, None) for copy in copies])


def _put(copies: Sequence[tuple[Copy, bytes | None]]) -> None:
    rows = [(copy.dataset_id, copy.record.id, copy.record.repo, copy.content_hash, content) for copy, content in copies]
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
