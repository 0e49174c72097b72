"""Queued imports as the queue and its worker keep them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from kb.catalog.job_queries import job_view
from kb.catalog.models import ImportJob, Release
from kb.catalog.work_answers import ImportJobView

__all__ = [
    "cancel_waiting",
    "create_job",
    "delete_jobs_before",
    "finish_job",
    "note_task",
    "requeue_job",
    "running_jobs",
    "start_job",
    "waiting_jobs",
]

_State = ImportJob.State
_ENDED = (_State.DONE, _State.FAILED, _State.CANCELED)


def create_job(
    job_id: UUID, *, dataset: str, source: str, options: Mapping[str, Any], key_id: int | None
) -> ImportJobView:
    """A job that waits."""
    row = ImportJob(id=job_id, dataset=dataset, source=source, options=dict(options), key_id=key_id)
    row.created_at = datetime.now(UTC)
    row.save(force_insert=True)
    return job_view(row)


def note_task(job_id: UUID, task: str) -> None:
    """Notes which task of the queue runs the job."""
    ImportJob.objects.filter(pk=job_id).update(task=task)


def start_job(job_id: UUID) -> ImportJobView | None:
    """The job, now running; ``None`` when it does not wait (any more)."""
    with transaction.atomic():
        row = ImportJob.objects.select_for_update(of=("self",)).select_related("key").filter(pk=job_id).first()
        if row is None or row.state != _State.QUEUED:
            return None
        row.state, row.started_at = _State.RUNNING, datetime.now(UTC)
        row.save(update_fields=["state", "started_at"])
        return job_view(row)


def requeue_job(job_id: UUID) -> None:
    """A running job waits again: its worker stops, or another import has the lock."""
    ImportJob.objects.filter(pk=job_id, state=_State.RUNNING).update(state=_State.QUEUED, started_at=None)


def finish_job(job_id: UUID, *, state: str, report: Mapping[str, Any]) -> None:
    """Stores how a job ended, unless it has ended. ``state`` is one of the model's."""
    with transaction.atomic():
        row = ImportJob.objects.select_for_update().filter(pk=job_id).exclude(state__in=_ENDED).first()
        if row is None:
            return
        row.state, row.finished_at, row.report = _State(state), datetime.now(UTC), dict(report)
        row.release = Release.objects.filter(pk=report.get("release") or 0).first()
        row.save()


def cancel_waiting(job_id: UUID) -> bool:
    """Cancels a job that waits; whether it did."""
    changed = ImportJob.objects.filter(pk=job_id, state=_State.QUEUED).update(
        state=_State.CANCELED, finished_at=datetime.now(UTC)
    )
    return bool(changed)


def running_jobs() -> tuple[ImportJobView, ...]:
    """Jobs that say they are running. One query."""
    rows = ImportJob.objects.select_related("key").filter(state=_State.RUNNING).order_by("created_at", "id")
    return tuple(map(job_view, rows))


def delete_jobs_before(moment: datetime) -> list[UUID]:
    """Deletes jobs that ended before ``moment``; their ids."""
    chosen = ImportJob.objects.filter(state__in=_ENDED, finished_at__lt=moment)
    ids = list(chosen.values_list("pk", flat=True)[:500])
    ImportJob.objects.filter(pk__in=ids).delete()
    return ids


def waiting_jobs() -> int:
    """How many jobs wait. One query."""
    return ImportJob.objects.filter(state=_State.QUEUED).count()
