"""What old releases leave behind, and when it goes: ``KB_KEEP_RELEASES``.

The feed of changes is kept for the newest revisions of the catalog, what a rollback needs and the rejected records for
the newest releases of each dataset. Records, also retired ones, former slugs and the row of every release stay, so that
no link is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from kb.catalog.models import Dataset, Release
from kb.catalog.snapshots import state

__all__ = ["FORGOTTEN", "Pruned", "prune"]

FORGOTTEN = "The notices and the rejected records of this release are no longer kept."
_BATCH = 2000  # rows a transaction: others can write in between, and SQLite's log stays short
_TRENDS = 1000  # revisions whose counts of findings are kept at least: a few short rows each


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """How many rows went: changes of the feed, copies for rollbacks, rejections; and of how many releases."""

    changes: int = 0
    copies: int = 0
    rejections: int = 0
    releases: int = 0


def prune(keep: int | None = None) -> Pruned:
    """Deletes what is older than the newest ``keep`` releases, by default ``KB_KEEP_RELEASES``; 0 keeps everything.

    For the holder of the import lock, outside a transaction: it deletes in many short ones, the newest last, so that it
    may be stopped anywhere and goes on the next time. What a release needs to be taken back goes
    after its ``before``, which says whether it can be.
    """
    keep = settings.KB_KEEP_RELEASES if keep is None else keep
    if keep <= 0:
        return Pruned()
    horizon = state().revision - keep
    _delete("catalog_findingtrend", "revision <= %s", [min(horizon, state().revision - _TRENDS)])
    changes = _delete("catalog_change", "revision <= %s", [horizon])
    copies = rejections = releases = 0
    for dataset in Dataset.objects.order_by("pk"):
        published = _oldest(Release.objects.filter(dataset=dataset, revision__isnull=False), keep)
        others = _oldest(Release.objects.filter(dataset=dataset, revision__isnull=True), keep)
        Release.objects.filter(pk__in=published, before__isnull=False).update(before=None)
        copies += sum(_delete("catalog_copybefore", "release_id = %s", [pk]) for pk in published)
        for pk in (*published, *others):
            rejections += _delete("catalog_rejection", "release_id = %s", [pk])
        releases += _forget([*published, *others])
    return Pruned(changes=changes, copies=copies, rejections=rejections, releases=releases)


def _oldest(releases: QuerySet[Release], keep: int) -> list[int]:
    """The releases of the set that are older than its newest ``keep`` and not yet forgotten, oldest first."""
    newest = list(releases.order_by("-pk").values_list("pk", flat=True)[:keep])
    if len(newest) < keep:
        return []
    rows = releases.filter(pk__lt=newest[-1]).order_by("pk").only("pk", "notices", "before")
    return [row.pk for row in rows if row.notices != [FORGOTTEN] or row.before is not None]


def _forget(ids: Sequence[int]) -> int:
    """Marks these releases as forgotten; comes last, so that one that is not marked is looked at again."""
    Release.objects.filter(pk__in=ids).update(notices=[FORGOTTEN], unknown_fields=[])
    return len(ids)


def _delete(table: str, condition: str, params: Sequence[int]) -> int:
    """Deletes the rows that meet a condition of ours, some at a time; how many."""
    some = f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE {condition} ORDER BY id LIMIT {_BATCH})"  # noqa: S608
    total = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(some, params)
            count = int(cursor.rowcount)
        total += count
        if count < _BATCH:
            return total
