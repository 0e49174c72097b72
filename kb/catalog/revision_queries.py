"""Revisions: the releases that changed what readers see."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import QuerySet

from kb.catalog.answers import Page
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.fetching import fetch_rows
from kb.catalog.history_answers import RevisionView
from kb.catalog.models import Release

__all__ = ["largest_parts", "record_course", "revision", "revisions", "revisions_by_number"]


def revisions(*, cursor: str | None = None, limit: int = 20) -> Page[RevisionView]:
    """Revisions, the newest first. One query. Raises ``BadCursor``."""
    mark = signature("revisions")
    chosen = _published().order_by("-revision")
    if cursor:
        (before,) = decode_cursor(mark, cursor, (int,))
        chosen = chosen.filter(revision__lt=before)
    found = [_view(row) for row in chosen[: limit + 1]]
    more = len(found) > limit
    return Page(items=tuple(found[:limit]), next=encode_cursor(mark, (found[limit - 1].revision,)) if more else None)


def revision(number: int) -> RevisionView | None:
    """One revision, ``None`` when there is none of this number or its release is no longer kept. One query."""
    if not 0 < number < 2**63:
        return None
    row = _published().filter(revision=number).first()
    return _view(row) if row else None


def revisions_by_number(numbers: Collection[int]) -> dict[int, RevisionView]:
    """Those of at most 100 revisions whose releases are kept, by number. One query."""
    return {row.revision: row for row in map(_view, _published().filter(revision__in=sorted(numbers)[:100]))}


def record_course(now: int, *, limit: int = 40) -> tuple[tuple[int, int], ...]:
    """(revision, current records after it) of the last few revisions whose releases are kept, the oldest first.

    ``now`` is how many records there are at the newest one. One query.
    """
    rows = _published().order_by("-revision").values_list("revision", "added", "retired", "restored")
    course = []
    for number, added, retired, restored in rows[:limit]:
        course.append((number or 0, now))
        now += retired - added - restored
    return tuple(reversed(course))


_PARTS = (
    "SELECT revision, repo, COUNT(*) FROM catalog_change WHERE revision IN ({marks})"
    " GROUP BY revision, repo ORDER BY revision, COUNT(*) DESC, repo"
)


def largest_parts(numbers: Collection[int]) -> dict[int, tuple[str, int]]:
    """By revision the repository in which it changed most, and in how many others it changed anything. One query.

    It reads every change of these revisions: ask it for a few of a few thousand.
    """
    found: dict[int, tuple[str, int]] = {}
    if numbers:
        statement = _PARTS.format(marks=", ".join(["%s"] * len(numbers)))
        for number, repo, _ in fetch_rows(statement, tuple(numbers)):
            largest, others = found.get(number, (repo, -1))
            found[number] = (largest, others + 1)
    return found


def _published() -> QuerySet[Release]:
    chosen = Release.objects.select_related("dataset")
    return chosen.filter(state=Release.State.PUBLISHED, revision__isnull=False)


def _view(row: Release) -> RevisionView:
    return RevisionView(
        revision=row.revision or 0,
        release=row.pk,
        kind=row.kind,
        dataset=row.dataset.name,
        dataset_version=row.dataset_version,
        at=row.finished_at or row.started_at,
        added=row.added,
        changed=row.changed,
        retired=row.retired,
        restored=row.restored,
    )
