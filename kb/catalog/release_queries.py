"""Releases, their rejections, and the datasets they belong to."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import QuerySet

from kb.catalog.answers import Page, RejectionView, ReleaseView
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.models import Rejection, Release
from kb.catalog.rows import release_view

__all__ = ["iter_rejections", "rejections", "release", "releases"]

_BATCH = 500


def releases(*, cursor: str | None = None, limit: int = 25) -> Page[ReleaseView]:
    """Releases, the newest first. One query. Raises ``BadCursor``."""
    mark = signature("releases")
    chosen = Release.objects.select_related("dataset").order_by("-pk")
    if cursor:
        (before,) = decode_cursor(mark, cursor, (int,))
        chosen = chosen.filter(pk__lt=before)
    found = list(chosen[: limit + 1])
    more = len(found) > limit
    return Page(
        items=tuple(map(release_view, found[:limit])),
        next=encode_cursor(mark, (found[limit - 1].pk,)) if more else None,
    )


def release(release_id: int) -> ReleaseView | None:
    """The release with this number. One query."""
    if not 0 < release_id < 2**63:
        return None
    row = Release.objects.select_related("dataset").filter(pk=release_id).first()
    return release_view(row) if row else None


def rejections(release_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[RejectionView]:
    """Problems of rejected records of a release, in the order met. One query. Raises ``BadCursor``."""
    mark = signature("rejections", release_id)
    after = 0
    if cursor:
        after = int(decode_cursor(mark, cursor, (int,))[0])
    found = list(_after(release_id, after)[: limit + 1])
    more = len(found) > limit
    return Page(
        items=tuple(map(_view, found[:limit])), next=encode_cursor(mark, (found[limit - 1].pk,)) if more else None
    )


def iter_rejections(release_id: int) -> Iterator[RejectionView]:
    """All problems of rejected records of a release; one query a batch, none is left open."""
    after = 0
    while True:
        found = list(_after(release_id, after)[:_BATCH])
        yield from map(_view, found)
        if len(found) < _BATCH:
            return
        after = found[-1].pk


def _after(release_id: int, after: int) -> QuerySet[Rejection]:
    return Rejection.objects.filter(release_id=release_id, pk__gt=after).order_by("pk")


def _view(row: Rejection) -> RejectionView:
    return RejectionView(
        id=row.pk,
        release_id=row.release_id,
        origin=row.origin,
        position=row.position,
        record_id=row.record_id,
        repo=row.repo,
        path=row.path,
        rule=row.rule,
        message=row.message,
        value=row.value,
        raw=bytes(row.raw).decode("utf-8", "replace"),
    )
