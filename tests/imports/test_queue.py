"""The worker: what it does with what waits, with what killed workers left, and when it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError
from django_tasks_db.models import DBTaskResult

from kb.catalog import queries
from kb.catalog.jobs import finish_job, start_job
from kb.catalog.registrations import Registration
from kb.imports.jobs import queue as jobs
from kb.imports.jobs.folders import JobFolder, file_name
from kb.imports.jobs.registered import register_dataset
from kb.imports.jobs.worker import Worker, worker_lock
from kb.imports.lock import import_lock
from kb.imports.outcomes import INTERRUPTED
from kb.imports.refusals import Refusal


class Slept(Exception):
    """The worker would have waited."""


@pytest.fixture(autouse=True)
def _own_data(settings: Any, tmp_path: Path) -> None:
    settings.KB_DATA_DIR = tmp_path / "data"


@pytest.fixture
def worker() -> Worker:
    """A worker that never sleeps."""

    def sleep(_seconds: float) -> None:
        raise Slept

    return Worker(sleep=sleep)


@pytest.fixture
def queued(db: None, tmp_path: Path, record: Any) -> Callable[..., Any]:
    """Queues the import of a registered dataset."""
    source = tmp_path / "mine.jsonl"
    source.write_text(json.dumps(record(1)))
    register_dataset(Registration(name="mine", address=str(source)))
    return lambda **options: jobs.queue_registered("mine", options, key_id=None)


def state(job: Any) -> str:
    found = queries.import_job(job.id)
    assert found is not None
    return found.state


def statuses() -> list[str]:
    return list(DBTaskResult.objects.order_by("enqueued_at").values_list("status", flat=True))


def test_jobs_run_in_the_order_in_which_they_came(queued: Any, worker: Worker) -> None:
    made = [queued() for _ in range(3)]
    assert worker.run(batch=True) == 3
    found = [queries.import_job(job.id) for job in made]
    assert [job.report["outcome"] for job in found if job] == ["published", "unchanged", "unchanged"]
    releases = [job.release for job in found if job]
    assert releases == sorted(releases)
    assert set(statuses()) == {"SUCCESSFUL"}


@pytest.mark.usefixtures("db")
def test_where_an_upload_lies_is_told_to_nobody(worker: Worker, settings: Any, record: Any) -> None:
    folder = jobs.new_folder()
    upload = folder.upload("rows.json")
    upload.parent.mkdir()
    upload.write_text(json.dumps([record(1, errorType="io"), record(2, severity="awful")]))
    job = jobs.queue_upload(folder, upload, dataset="mine", options={}, key_id=None)
    assert worker.run(batch=True) == 1
    found = queries.import_job(job.id)
    assert found is not None
    told = json.dumps(found.report) + "".join(entry.text for entry in JobFolder(job.id).entries())
    assert "$.severity" in told
    assert "$.errorType" in told
    assert str(settings.KB_DATA_DIR) not in told


def test_a_job_waits_for_another_import(queued: Any, worker: Worker, settings: Any) -> None:
    job = queued()
    settings.KB_DATA_DIR.mkdir(exist_ok=True)
    with import_lock():
        assert worker.run(batch=True) == 0
        assert (state(job), statuses()) == ("queued", ["READY"])
    assert any(entry.text.startswith("Waits: another import") for entry in JobFolder(job.id).entries())
    DBTaskResult.objects.update(run_after=datetime.now(UTC) - timedelta(seconds=1))
    assert worker.run(batch=True) == 1
    assert state(job) == "done"


def test_a_second_worker_is_refused(settings: Any) -> None:
    with worker_lock(), pytest.raises(Refusal, match=rf"process {os.getpid()} on"), worker_lock():
        pass


def test_what_a_killed_worker_left_running_has_failed(queued: Any, worker: Worker) -> None:
    job, waiting = queued(), queued()
    assert start_job(job.id) is not None
    DBTaskResult.objects.filter(args_kwargs__args=[str(job.id)]).update(status="RUNNING")
    assert worker.run(batch=True) == 1
    assert (state(job), state(waiting)) == ("failed", "done")
    assert statuses() == ["FAILED", "SUCCESSFUL"]
    found = queries.import_job(job.id)
    assert "killed" in found.report["error"]  # type: ignore[union-attr]


def test_a_task_that_was_taken_but_never_begun_runs(queued: Any, worker: Worker) -> None:
    job = queued()
    DBTaskResult.objects.update(status="RUNNING")
    assert worker.run(batch=True) == 1
    assert state(job) == "done"


def test_an_outcome_that_could_not_be_stored_is_stored_later(
    queued: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, calls = queued(), []

    def flaky(*given: Any, **named: Any) -> None:
        calls.append(given)
        if len(calls) == 1:
            raise OperationalError("gone")
        finish_job(*given, **named)

    monkeypatch.setattr("kb.imports.jobs.runs.finish_job", flaky)
    assert worker.run(batch=True) == 1
    assert (state(job), len(calls)) == ("done", 2)


def test_an_interruption_puts_the_job_back(queued: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.imports.options import ImportReport

    job = queued()
    with monkeypatch.context() as patch:
        patch.setattr("kb.imports.jobs.runs.update_dataset", lambda *_a, **_k: ImportReport(error=INTERRUPTED))
        with pytest.raises(KeyboardInterrupt):
            worker.run(batch=True)
    assert (state(job), statuses()) == ("queued", ["READY"])
    assert worker.run(batch=True) == 1
    assert state(job) == "done"


def test_an_unforeseen_failure_does_not_end_the_worker(
    queued: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = queued()

    def fail(*_given: Any, **_named: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kb.imports.jobs.runs.update_dataset", fail)
    assert worker.run(batch=True) == 1
    assert (state(job), statuses()) == ("failed", ["FAILED"])


def test_a_database_that_is_away_is_waited_for(queued: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("kb.imports.jobs.worker.reconcile", away)
    monkeypatch.setattr("kb.imports.jobs.worker.connection.close", lambda: None)
    with pytest.raises(Slept):
        worker.run()


def test_jobs_of_another_node_are_left_alone(queued: Any, worker: Worker) -> None:
    job = queued()
    JobFolder(job.id).remove()
    assert worker.run(batch=True) == 0
    assert state(job) == "queued"


def test_old_jobs_and_stray_folders_go(queued: Any, worker: Worker, settings: Any) -> None:
    from django.apps import apps

    old, kept = queued(), queued()
    worker.run(batch=True)
    long_ago = datetime.now(UTC) - timedelta(days=31)
    apps.get_model("catalog", "ImportJob").objects.filter(pk=old.id).update(finished_at=long_ago)
    stray, fresh = JobFolder(uuid4()), JobFolder(uuid4())
    for folder in (stray, fresh):
        folder.make()
    os.utime(stray.path, (long_ago.timestamp(), long_ago.timestamp()))
    Worker().run(batch=True)
    assert queries.import_job(old.id) is None
    left = {path.name for path in (settings.KB_DATA_DIR / "spool" / "jobs").iterdir()}
    assert left == {str(kept.id), str(fresh.id)}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a.jsonl.gz", "a.jsonl.gz"), ("../../x.json", "x.json"), (r"C:\data\y.tar", "y.tar"), ("", "upload"),
        ("...", "upload"), (".hidden", "hidden"), ("naïve name\x00.zip", "na_ve_name_.zip"), ("-rf", "rf"),
        ("x" * 300 + ".tar.zst", "x" * 92 + ".tar.zst"),
    ],
)  # fmt: skip
def test_names_of_uploads_are_harmless(given: str, kept: str) -> None:
    assert file_name(given) == kept


def test_a_log_survives_what_it_is_told() -> None:
    folder = JobFolder(uuid4())
    folder.log("first\nline \x00 \ud83d")
    log = folder.path / "log.jsonl"
    log.write_bytes(log.read_bytes() + b"{broken\n[]\n")
    folder.log("x" * 5_000)
    log.write_bytes(log.read_bytes() + b'{"at": "now", "text": "half')
    first, last = folder.entries()
    assert (first.number, "\n" in first.text, last.number, len(last.text)) == (1, False, 4, 2_000)
    assert folder.entries(after=1) == [last]


# --- the program ------------------------------------------------------------------------------------------------------


@pytest.fixture
def program(transactional_db: None, settings: Any, project_root: Path) -> Iterator[Callable[..., Any]]:
    """Starts ``manage.py`` on the database of the test."""
    from django.db import connection

    values = connection.settings_dict
    url = f"sqlite:///{values['NAME']}"
    if connection.vendor == "postgresql":
        host = str(values["HOST"]).replace("/", "%2F")
        login = values["USER"] + (f":{values['PASSWORD']}" if values["PASSWORD"] else "")
        url = f"postgresql://{login}@{host}:{values['PORT'] or 5432}/{values['NAME']}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    environment |= {
        "KB_DATABASE_URL": url,
        "KB_DATA_DIR": str(settings.KB_DATA_DIR),
        "KB_INDEX_DIR": str(settings.KB_INDEX_DIR),
        "KB_SECRET_KEY": "a key for tests only, long enough to pass the check of its length",
    }
    running = []

    def start(*words: str) -> Any:
        running.append(
            subprocess.Popen(
                [sys.executable, "manage.py", *words],
                cwd=project_root,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_sigterm_ends_a_running_import_and_the_next_worker_does_it(
    program: Any, queued: Any, tmp_path: Path, record: Any
) -> None:
    pipe = tmp_path / "slow.jsonl"  # an import that reads from it waits for the writer
    os.mkfifo(pipe)
    register_dataset(Registration(name="mine", address=str(pipe)))
    job = queued()
    worker = program("worker")
    with pipe.open("w") as writer:
        _until(lambda: state(job) == "running")
        second = program("worker")
        text, _ = second.communicate(timeout=60)
        assert (second.returncode, "another worker is running" in text) == (4, True), text
        worker.send_signal(signal.SIGTERM)
        text, _ = worker.communicate(timeout=60)
        writer.close()
    assert (worker.returncode, "has stopped" in text) == (0, True), text
    assert (state(job), queries.state().revision) == ("queued", 0)
    pipe.unlink()
    pipe.write_text(json.dumps(record(1)))
    again = program("worker", "--batch")
    text, _ = again.communicate(timeout=60)
    assert again.returncode == 0, text
    assert (state(job), queries.state().revision) == ("done", 1)
