"""The registration of a dataset: where it is read from, how often, and how it ranks."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from kb.catalog.models import Dataset, Holding

__all__ = ["RankIsFixed", "Registration", "register"]


class RankIsFixed(Exception):
    """Priority and trust of a dataset with records change by an import only, since what is shown changes with them."""


@dataclass(frozen=True, kw_only=True)
class Registration:
    """What is registered; ``None`` leaves what a known dataset has, and gives a new one the usual."""

    name: str
    address: str
    priority: int | None = None
    trusted: bool | None = None
    coverage: str | None = None
    schedule: str | None = None


def register(wanted: Registration) -> bool:
    """Stores the registration; whether the dataset is new. What was remembered of another address is forgotten.

    Raises :class:`RankIsFixed` for another priority or trust than a dataset with records has; nothing is stored then.
    """
    with transaction.atomic():
        row, created = Dataset.objects.select_for_update().get_or_create(name=wanted.name)
        new_rank = (
            row.priority if wanted.priority is None else wanted.priority,
            row.trusted if wanted.trusted is None else wanted.trusted,
        )
        if new_rank != (row.priority, row.trusted):
            if Holding.objects.filter(dataset=row).exists():
                raise RankIsFixed(wanted.name)
            row.priority, row.trusted = new_rank
        if row.address != wanted.address:
            row.remembered = {}
        row.address = wanted.address
        if wanted.coverage is not None:
            row.coverage = Dataset.Coverage(wanted.coverage)
        if wanted.schedule is not None:
            row.schedule = wanted.schedule
        row.save()
        return created
