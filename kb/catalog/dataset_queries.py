"""The registered datasets: what each is, and how its last release ended."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, OuterRef, QuerySet, Subquery

from kb.catalog.models import Dataset, Holding, Record, Release
from kb.catalog.work_answers import DatasetView

__all__ = ["dataset", "dataset_names", "dataset_repositories", "datasets", "registered_datasets", "slugs_beside"]


def datasets() -> tuple[DatasetView, ...]:
    """All datasets, those that were removed too, in the order in which their copies are shown. Two queries, of which
    one counts every copy.
    """
    return _views(Dataset.objects.order_by("-trusted", "-priority", "name"))


def registered_datasets() -> tuple[DatasetView, ...]:
    """The datasets that have an address to be read from and were not removed, in the order of rank. Two queries."""
    chosen = Dataset.objects.exclude(address="").filter(removed_at__isnull=True)
    return _views(chosen.order_by("-trusted", "-priority", "name"))


def dataset(name: str) -> DatasetView | None:
    """The dataset of this name. Two queries."""
    found = _views(Dataset.objects.filter(name=name))
    return found[0] if found else None


def dataset_names() -> tuple[str, ...]:
    """The names of all datasets. One query."""
    return tuple(Dataset.objects.order_by("name").values_list("name", flat=True))


def dataset_repositories(name: str) -> tuple[str, ...]:
    """The repositories of which the dataset of this name holds records. One query."""
    held = Holding.objects.filter(dataset__name=name).order_by("repo").values_list("repo", flat=True)
    return tuple(held.distinct())


def slugs_beside(name: str, repository: str) -> dict[str, str]:
    """The slugs and ids of a repository's records that are shown from other datasets than this one. One query."""
    shown = Record.objects.filter(repository__full_name=repository).exclude(dataset__name=name)
    return dict(shown.values_list("slug", "id"))


def _views(chosen: QuerySet[Dataset]) -> tuple[DatasetView, ...]:
    last = Release.objects.filter(dataset=OuterRef("pk")).order_by("-pk")
    rows = list(
        chosen.annotate(
            last_id=Subquery(last.values("pk")[:1]),
            last_state=Subquery(last.values("state")[:1]),
            last_finished=Subquery(last.values("finished_at")[:1]),
        )
    )
    counts = _counts(row.pk for row in rows)
    return tuple(
        DatasetView(
            name=row.name,
            priority=row.priority,
            trusted=row.trusted,
            address=row.address,
            coverage=row.coverage,
            schedule=row.schedule,
            source=row.source,
            version=row.version,
            removed_at=row.removed_at,
            records=counts.get(row.pk, 0),
            release=row.last_id,
            release_state=row.last_state or "",
            release_finished_at=row.last_finished,
        )
        for row in rows
    )


def _counts(keys: Iterable[int]) -> dict[int, int]:
    """How many copies each dataset holds."""
    counted = Holding.objects.filter(dataset_id__in=list(keys)).order_by().values("dataset_id").annotate(n=Count("pk"))
    return dict(counted.values_list("dataset_id", "n"))
