"""The registration of a dataset: where it is read from, how often, and how it ranks."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from kb.catalog.models import Dataset, Holding, Release

__all__ = ["Registered", "Registration", "register", "withdraw"]


@dataclass(frozen=True, kw_only=True)
class Registration:
    """What is registered; ``None`` leaves what a known dataset has, and gives a new one the usual."""

    name: str
    address: str
    priority: int | None = None
    trusted: bool | None = None
    coverage: str | None = None
    schedule: str | None = None


@dataclass(frozen=True, kw_only=True)
class Registered:
    """What came of it. With ``rank_waits`` the dataset has records, so that its new rank needs a publication."""

    created: bool
    rank_waits: bool


def register(wanted: Registration) -> Registered:
    """Stores the registration. What was remembered of another address is forgotten.

    Priority and trust of a dataset with records are left as they are: what is shown changes with them.
    """
    with transaction.atomic():
        row, created = Dataset.objects.select_for_update().get_or_create(name=wanted.name)
        priority = row.priority if wanted.priority is None else wanted.priority
        trusted = row.trusted if wanted.trusted is None else wanted.trusted
        differs = (priority, trusted) != (row.priority, row.trusted)
        waits = differs and Holding.objects.filter(dataset=row).exists()
        if not waits:
            row.priority, row.trusted = priority, trusted
        if row.address != wanted.address:
            row.remembered = {}
        row.address = wanted.address
        if wanted.coverage is not None:
            row.coverage = Dataset.Coverage(wanted.coverage)
        if wanted.schedule is not None:
            row.schedule = wanted.schedule
        row.save()
        return Registered(created=created, rank_waits=waits)


def withdraw(name: str, *, dry_run: bool = False) -> bool:
    """Deletes the registration of a dataset that was never imported, and says whether there was such a one.

    Only the holder of the import lock may call this.
    """
    rows = Dataset.objects.filter(name=name).exclude(pk__in=Release.objects.values("dataset"))
    return rows.exists() if dry_run else bool(rows.delete()[0])
