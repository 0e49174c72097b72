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
    "held_by",
    "held_hashes",
    "open_dataset",
    "open_release",
    "save_release",
]

# origin, position, record id, repository, path, rule, message, value, raw
RejectionValues = tuple[str, int, str | None, str | None, str, str, str, str, bytes]
_BATCH = 5000


def open_dataset(name: str) -> DatasetRow:
    """The dataset of this name, made when it is new."""
    dataset, _ = DatasetRow.objects.get_or_create(name=name)
    return dataset


def open_release(dataset: DatasetRow, *, source: str, started_at: datetime) -> ReleaseRow:
    """A release that is running."""
    return ReleaseRow.objects.create(dataset=dataset, source=source, started_at=started_at)


def save_release(release: ReleaseRow, *, state: str, revision: int | None) -> None:
    """Stores a release with its end. ``state`` is one of the model's states."""
    release.state = ReleaseRow.State(state)
    release.revision = revision
    release.save()


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
