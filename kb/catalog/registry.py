"""Datasets and releases as the import pipeline keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from kb.catalog.models import Dataset as DatasetRow
from kb.catalog.models import Holding
from kb.catalog.models import Release as ReleaseRow

__all__ = [
    "DatasetRow",
    "RejectionValues",
    "ReleaseRow",
    "fail_stale_releases",
    "find_dataset",
    "held_by",
    "held_hashes",
    "is_taken_back",
    "last_release",
    "mark_undone",
    "open_dataset",
    "open_release",
    "save_release",
    "was_taken_back",
]

# origin, position, record id, repository, path, rule, message, value, raw
RejectionValues = tuple[str, int, str | None, str | None, str, str, str, str, bytes]
_BATCH = 5000


def open_dataset(name: str) -> DatasetRow:
    """The dataset of this name, made when it is new."""
    dataset, _ = DatasetRow.objects.get_or_create(name=name)
    return dataset


def find_dataset(name: str) -> DatasetRow | None:
    """The dataset of this name, unless it was removed."""
    return DatasetRow.objects.filter(name=name, removed_at__isnull=True).first()


def open_release(dataset: DatasetRow, *, kind: str, source: str, started_at: datetime) -> ReleaseRow:
    """A release that is running. ``kind`` is one of the model's kinds."""
    return ReleaseRow.objects.create(dataset=dataset, kind=ReleaseRow.Kind(kind), source=source, started_at=started_at)


def save_release(release: ReleaseRow, *, state: str, revision: int | None) -> None:
    """Stores a release with its end. ``state`` is one of the model's states."""
    release.state = ReleaseRow.State(state)
    release.revision = revision
    release.save()


def last_release() -> ReleaseRow | None:
    """The release that a rollback without a number takes back: the last published one that still stands and is no
    rollback itself.
    """
    rows = ReleaseRow.objects.filter(state=ReleaseRow.State.PUBLISHED, undone_by__isnull=True)
    return rows.exclude(kind=ReleaseRow.Kind.ROLLBACK).order_by("-pk").first()


def mark_undone(releases: Sequence[ReleaseRow], *, by: int) -> None:
    """Notes that these releases were taken back by another one; what they had taken back stands again."""
    numbers = [release.pk for release in releases]
    ReleaseRow.objects.filter(undone_by__in=numbers).exclude(pk__in=numbers).update(undone_by=None)
    ReleaseRow.objects.filter(pk__in=numbers).update(undone_by=by)


def is_taken_back(release_id: int) -> bool:
    """Whether this release stands as taken back."""
    return ReleaseRow.objects.filter(pk=release_id, undone_by__isnull=False).exists()


def was_taken_back(dataset: DatasetRow, version: str) -> int | None:
    """The number of the last release of this version, if it was taken back."""
    rows = ReleaseRow.objects.filter(
        dataset=dataset, dataset_version=version, kind=ReleaseRow.Kind.IMPORT, state=ReleaseRow.State.PUBLISHED
    )
    last = rows.order_by("-pk").first()
    return last.pk if last is not None and last.undone_by is not None else None


def fail_stale_releases() -> None:
    """Marks releases that say they are running as failed. Only the holder of the import lock may call this."""
    ReleaseRow.objects.filter(state=ReleaseRow.State.RUNNING).update(
        state=ReleaseRow.State.FAILED, error="the import was interrupted; nothing of it was published"
    )


def held_hashes(dataset: DatasetRow, ids: Sequence[str]) -> dict[str, str]:
    """The content hashes that the dataset holds for these ids. At most 500 ids."""
    return dict(Holding.objects.filter(dataset=dataset, record_id__in=ids).values_list("record_id", "content_hash"))


def held_by(dataset: DatasetRow) -> Iterator[tuple[str, str]]:
    """(id, repository) of everything that the dataset holds, in the order of ids; one query a batch."""
    after = ""
    while True:
        rows = Holding.objects.filter(dataset=dataset, record_id__gt=after).order_by("record_id")
        found = list(rows.values_list("record_id", "repo")[:_BATCH])
        yield from found
        if len(found) < _BATCH:
            return
        after = found[-1][0]
