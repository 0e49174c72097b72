"""Runs a queued import: from the folder of its job to the outcome, which is in a file before it is in the database."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal
from uuid import UUID

from django.db.utils import DatabaseError

from kb.catalog import queries
from kb.catalog.jobs import finish_job, requeue_job, running_jobs, start_job
from kb.catalog.work_answers import ImportJobView
from kb.imports.jobs.folders import JobFolder, JobProgress
from kb.imports.jobs.registered import options_for, update_dataset
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.outcomes import INTERRUPTED
from kb.imports.pipeline import run_import
from kb.imports.running import WatchedProgress

__all__ = ["CHOICES", "RunEnd", "reconcile", "run_job"]

log = logging.getLogger(__name__)
# What a client may choose, in its own words, and the option that it is.
CHOICES: Mapping[str, str] = {
    "complete": "complete",
    "dryRun": "dry_run",
    "strict": "strict",
    "confirm": "confirm",
    "allowOlder": "allow_older",
    "force": "force",
}
RunEnd = Literal["ended", "locked", "interrupted"]
_DONE = {"published", "unchanged", "dry-run"}
_LOST = "the worker was killed while the import ran; nothing of it was published"


def run_job(job_id: UUID) -> RunEnd:
    """Runs the job unless it was canceled. It waits again when another import has the lock (``locked``), or when this
    one was interrupted by a signal.

    Raises ``DatabaseError`` where the database cannot be reached or written.
    """
    folder = JobFolder(job_id)
    if folder.is_cancel_asked():
        finish_job(job_id, state="canceled", report={})
        folder.drop_upload()
        return "ended"
    job = start_job(job_id)
    if job is None:
        return "ended"
    try:
        report = _imported(job, folder)
    except KeyboardInterrupt:
        report = ImportReport(error=INTERRUPTED)
    if report.code == "locked":
        folder.log(f"Waits: {report.error}")
        requeue_job(job_id)
        return "locked"
    if report.outcome == "failed" and report.error == INTERRUPTED:
        folder.log("Interrupted: the worker stops. The import starts over with the next worker.")
        requeue_job(job_id)
        return "interrupted"
    _keep(folder, report)
    with suppress(DatabaseError):  # the outcome is kept, and stored by the next look at it
        _store(job_id, folder)
    return "ended"


def reconcile() -> None:
    """Stores outcomes that could not be stored, and fails the jobs of this node that a killed worker left running.

    Only the one worker of a node may call this, while it runs no job. Raises ``DatabaseError``.
    """
    for job in running_jobs():
        folder = JobFolder(job.id)
        if not folder.exists():  # another node's
            continue
        if not folder.read("outcome"):
            folder.log(f"Failed: {_LOST}")
            _keep(folder, ImportReport(dataset=job.dataset, error=_LOST))
        _store(job.id, folder)


def _imported(job: ImportJobView, folder: JobFolder) -> ImportReport:
    chosen: dict[str, Any] = {CHOICES[name]: value for name, value in job.options.items() if name in CHOICES}
    progress = WatchedProgress(JobProgress(folder), what=f"Import of dataset {job.dataset}, asked for over HTTP")
    if job.source:
        uploaded = folder.path / "upload" / job.source
        return run_import([uploaded], ImportOptions(dataset=job.dataset, **chosen), progress=progress, shown=job.source)
    view = queries.dataset(job.dataset)
    if view is None or not view.address:
        error = f"{job.dataset} is not registered with an address any more"
        return ImportReport(outcome="refused", dataset=job.dataset, error=error, code="not_registered")
    return update_dataset(view, options_for(view, **chosen), progress=progress)


def _keep(folder: JobFolder, report: ImportReport) -> None:
    """Writes the outcome into the folder; the upload has served."""
    for text in (*report.notices, *report.warnings_told):
        folder.log(text)
    folder.log(f"{report.outcome.capitalize()}{f': {report.error}' if report.error else ''}")
    with suppress(OSError):  # the disk is full: then the database alone keeps it
        folder.write("outcome", report.as_json())
    folder.drop_upload()


def _store(job_id: UUID, folder: JobFolder) -> None:
    report = folder.read("outcome")
    outcome = report.get("outcome")
    state = "done" if outcome in _DONE else "canceled" if outcome == "canceled" else "failed"
    finish_job(job_id, state=state, report=report)
