"""Takes queued imports one after the other. One worker a node: it holds a lock in the data directory."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import close_old_connections, connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from kb.catalog import queries
from kb.catalog.jobs import delete_jobs_before
from kb.imports.jobs.folders import JobFolder, all_folders
from kb.imports.jobs.runs import reconcile
from kb.imports.jobs.tasks import QUEUE
from kb.imports.lock import file_lock

__all__ = ["Worker", "worker_lock"]

Task = DBTaskResult[Any, Any]

log = logging.getLogger(__name__)
_KEPT = timedelta(days=30)  # what is kept of imports that ended
_STRAY = timedelta(days=1)  # after which a folder without a job is no upload in the making
_AGAIN = timedelta(seconds=10)  # until a job is tried again that met another import
_PAUSE = 5.0  # seconds without a database until the next look


@contextmanager
def worker_lock() -> Iterator[None]:
    """Holds the lock of this node's worker. Raises ``Refusal`` ``locked`` that names the one that has it.

    The lock goes with the process, so that a killed worker leaves none behind.
    """
    with file_lock("worker.lock", "another worker is running"):
        yield


class Worker:
    """Runs what waits. Call :meth:`run` with the lock held; ``KeyboardInterrupt`` ends it, and what it runs."""

    def __init__(self, *, interval: float = 1.0, sleep: Callable[[float], None] = time.sleep) -> None:
        """``interval`` is how many seconds lie between two looks at an empty queue."""
        self._interval = interval
        self._sleep = sleep
        self._tidy_after = datetime.min.replace(tzinfo=UTC)

    def run(self, *, batch: bool = False) -> int:
        """Runs jobs, in a ``batch`` until none waits any more; how many it ran to their end.

        A database that is away, or that another import writes to, is waited for.
        """
        count = 0
        while True:
            try:
                self._settle()
                found = self._take()
                if found is not None:
                    count += self._execute(found)
                    continue
                if batch:
                    return count
            except DatabaseError as error:
                log.warning("the queue cannot be read or written: %s", " ".join(str(error).split()))
                connection.close()
                self._sleep(_PAUSE)
                continue
            close_old_connections()
            self._sleep(self._interval)

    def _settle(self) -> None:
        """What earlier runs left: outcomes to store, tasks that say they run, and what is old."""
        reconcile()
        running = DBTaskResult.objects.filter(queue_name=QUEUE, status=TaskResultStatus.RUNNING)
        for row in running.order_by("enqueued_at"):
            folder = _folder(row)
            if folder is not None and folder.exists():
                job = queries.import_job(folder.id)
                if job is not None and job.state == "queued":
                    _wait_again(row, timedelta())
                else:
                    row.set_failed(RuntimeError("the worker was killed"))
        now = datetime.now(UTC)
        if now >= self._tidy_after:
            self._tidy_after = now + _STRAY
            _tidy(now)

    def _take(self) -> Task | None:
        """The next task of this node, now running, or ``None``. Looks before it asks for the write lock."""
        ready = DBTaskResult.objects.ready().filter(queue_name=QUEUE)
        for row in ready.order_by("enqueued_at")[:100]:
            folder = _folder(row)
            if folder is None or not folder.exists():
                continue  # another node's
            with transaction.atomic():
                mine = DBTaskResult.objects.ready().filter(pk=row.pk).select_for_update(skip_locked=True).first()
                if mine is not None:
                    mine.claim(socket.gethostname()[:64])
                    return mine
        return None

    def _execute(self, row: Task) -> int:
        """Runs a task; 1 when its job has ended, 0 when it waits again."""
        try:
            end = row.task.call(*row.args_kwargs["args"], **row.args_kwargs["kwargs"])
        except DatabaseError:
            raise  # the next look settles it
        except Exception as error:
            log.exception("task %s", row.pk)
            row.set_failed(error)
            return 1
        if end == "interrupted":
            _wait_again(row, timedelta())
            raise KeyboardInterrupt
        if end == "locked":
            _wait_again(row, _AGAIN)
            return 0
        row.set_successful(end)
        return 1


def _folder(row: Task) -> JobFolder | None:
    try:
        return JobFolder(UUID(row.args_kwargs["args"][0]))
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _wait_again(row: Task, delay: timedelta) -> None:
    DBTaskResult.objects.filter(pk=row.pk).update(
        status=TaskResultStatus.READY, started_at=None, run_after=timezone.now() + delay
    )


def _tidy(now: datetime) -> None:
    """Removes what is old: tasks, jobs with their folders, and folders whose upload never became a job."""
    before = now - _KEPT
    DBTaskResult.objects.filter(queue_name=QUEUE, finished_at__lt=before).delete()
    while ids := delete_jobs_before(before):
        for job_id in ids:
            JobFolder(job_id).remove()
    for folder in all_folders():
        made = datetime.fromtimestamp(folder.path.stat().st_mtime, UTC)
        if made < now - _STRAY and queries.import_job(folder.id) is None:
            folder.remove()
