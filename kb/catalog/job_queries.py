"""Imports that were asked for over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from kb.catalog.answers import BadCursor, Page
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.models import ImportJob
from kb.catalog.work_answers import ImportJobView

__all__ = ["import_job", "import_jobs", "job_view"]


def import_jobs(*, cursor: str | None = None, limit: int = 20) -> Page[ImportJobView]:
    """Jobs, the newest first. One query. Raises ``BadCursor``."""
    mark = signature("import-jobs")
    chosen = ImportJob.objects.select_related("key").order_by("-created_at", "id")
    if cursor:
        moment, last = decode_cursor(mark, cursor, (int, str))
        created = _time(int(moment))
        chosen = chosen.filter(created_at__lte=created).exclude(created_at=created, id__lte=_uuid(str(last)))
    found = list(chosen[: limit + 1])
    more = len(found) > limit
    return Page(
        items=tuple(map(job_view, found[:limit])),
        next=encode_cursor(mark, _place(found[limit - 1])) if more else None,
    )


def import_job(job_id: UUID) -> ImportJobView | None:
    """The job with this id. One query."""
    row = ImportJob.objects.select_related("key").filter(pk=job_id).first()
    return job_view(row) if row else None


def job_view(row: ImportJob) -> ImportJobView:
    """A job as an answer; ``row`` has its key selected."""
    names = ("id", "dataset", "source", "options", "state", "created_at", "started_at", "finished_at", "report")
    return ImportJobView(
        key=row.key.name if row.key else "", release=row.release_id, **{name: getattr(row, name) for name in names}
    )


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _place(row: ImportJob) -> tuple[int, str]:
    return (row.created_at - _EPOCH) // timedelta(microseconds=1), str(row.pk)


def _time(microseconds: int) -> datetime:
    """The time of a cursor. Raises ``BadCursor``."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError as error:
        raise BadCursor("this is not a cursor of this site") from error


def _uuid(text: str) -> UUID:
    """The id of a cursor. Raises ``BadCursor``."""
    try:
        return UUID(text)
    except ValueError as error:
        raise BadCursor("this is not a cursor of this site") from error
