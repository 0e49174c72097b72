"""Asks for imports that a worker runs: queues them, and cancels them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction
from django.db.utils import OperationalError

from kb.catalog import queries
from kb.catalog.jobs import cancel_waiting, create_job, note_task, waiting_jobs
from kb.catalog.keys import note_use
from kb.catalog.work_answers import ImportJobView
from kb.imports.jobs.folders import JobFolder
from kb.imports.jobs.runs import CHOICES
from kb.imports.jobs.tasks import run_queued_import

__all__ = ["OPTION_NAMES", "CannotQueue", "cancel", "check_room", "new_folder", "queue_registered", "queue_upload"]

OPTION_NAMES = frozenset(CHOICES)
_PATIENCE_MS = 1_500  # how long a request waits for SQLite's write lock
_USUAL_MS = 20_000
_MOST_WAITING = 20
_LEFT_FREE = 512 * 1024 * 1024  # bytes of the disk that no upload takes


class CannotQueue(Exception):
    """Nothing can be queued now; the text says why. Later it may."""


def new_folder() -> JobFolder:
    """The folder of a new job, made. Raises :class:`CannotQueue`."""
    folder = JobFolder(uuid4())
    try:
        folder.make()
    except OSError as error:
        raise CannotQueue(f"the spool cannot be written: {error.strerror}") from error
    return folder


def check_room(size: int = 0) -> None:
    """Looks whether an import can be queued now, before anything is sent: the queue is not full, the database can be
    written, and the disk takes ``size`` bytes.

    Raises :class:`CannotQueue`.
    """
    data = Path(settings.KB_DATA_DIR)
    data.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(data).free < size + _LEFT_FREE:
        raise CannotQueue("the disk of the data directory is almost full")
    with _short_wait(), transaction.atomic():
        if waiting_jobs() >= _MOST_WAITING:
            raise CannotQueue(f"{_MOST_WAITING} imports wait already")


def queue_registered(dataset: str, options: Mapping[str, Any], *, key_id: int | None) -> ImportJobView | None:
    """Queues the update of a registered dataset; ``None`` when there is none of this name with an address.

    Raises :class:`CannotQueue`.
    """
    view = queries.dataset(dataset)
    if view is None or not view.address or view.removed_at is not None:
        return None
    folder = new_folder()
    return _queue(folder, dataset=dataset, source="", options=options, key_id=key_id)


def queue_upload(
    folder: JobFolder, upload: Path, *, dataset: str, options: Mapping[str, Any], key_id: int | None
) -> ImportJobView:
    """Queues the import of a file that was put into ``folder``. Raises :class:`CannotQueue`, and the folder is gone."""
    return _queue(folder, dataset=dataset, source=upload.name, options=options, key_id=key_id)


def cancel(job: ImportJobView) -> bool:
    """Cancels a job that waits; asks a running one to end, which it does with its next step. False when it has ended.

    Also works while the database cannot be written: the wish is a file, too. Raises :class:`CannotQueue` where neither
    can be written.
    """
    if job.state not in {"queued", "running"}:
        return False
    folder = JobFolder(job.id)
    here = folder.exists()
    try:
        if here:
            folder.ask_to_cancel()
        with _short_wait():
            if cancel_waiting(job.id):
                folder.log("Canceled while it waited.")
                folder.drop_upload()
    except (CannotQueue, OSError) as error:
        if not here:
            raise CannotQueue("the wish to cancel cannot be written") from error
    return True


def _queue(
    folder: JobFolder, *, dataset: str, source: str, options: Mapping[str, Any], key_id: int | None
) -> ImportJobView:
    folder.log(f"Queued for dataset {dataset}" + (f": {source}" if source else ""))
    try:
        with _short_wait(), transaction.atomic():
            job = create_job(folder.id, dataset=dataset, source=source, options=options, key_id=key_id)
            result = run_queued_import.enqueue(str(folder.id))
            note_task(folder.id, str(result.id))
            if key_id is not None:
                note_use(key_id)
    except BaseException:
        folder.remove()
        raise
    return job


@contextmanager
def _short_wait() -> Iterator[None]:
    """Writes in the block do not wait long for SQLite's one writer. Raises :class:`CannotQueue` when it is busy."""
    if connection.vendor != "sqlite":
        yield
        return
    _set_patience(_PATIENCE_MS)
    try:
        yield
    except OperationalError as error:
        if "locked" not in str(error):
            raise
        raise CannotQueue("an import is being written to the database") from error
    finally:
        _set_patience(_USUAL_MS)


def _set_patience(milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
