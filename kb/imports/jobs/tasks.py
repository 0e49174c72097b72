"""The task of the queue: django-tasks keeps it, the worker runs it."""

from __future__ import annotations

from uuid import UUID

from django_tasks import task

from kb.imports.jobs.runs import RunEnd, run_job

__all__ = ["QUEUE", "run_queued_import"]

QUEUE = "imports"


@task(queue_name=QUEUE)
def run_queued_import(job_id: str) -> RunEnd:
    """Runs the job with this id."""
    return run_job(UUID(job_id))
