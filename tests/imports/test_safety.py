"""One import at a time, and none that is killed leaves anything torn."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site(tmp_path: Path, transactional_db: None, settings: Any) -> dict[str, str]:
    """The environment of processes that share this test's database and directories."""
    from django.conf import settings as django_settings
    from django.db import connection

    name = connection.settings_dict["NAME"]
    address = f"sqlite:///{name}"
    if connection.vendor == "postgresql":
        host = str(connection.settings_dict["HOST"]).replace("/", "%2F")
        user = connection.settings_dict["USER"]
        address = f"postgresql://{user}@{host}/{name}"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("KB_")}
    return {
        **kept,
        "KB_DATABASE_URL": address,
        "KB_DATA_DIR": str(django_settings.KB_DATA_DIR),
        "KB_INDEX_DIR": str(django_settings.KB_INDEX_DIR),
        "KB_SECRET_KEY": "another key for tests only, long enough to pass the check of it",
        "KB_LOG_LEVEL": "ERROR",
    }


def command(*words: str | Path) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), "import_dataset", *map(str, words)]


def test_a_second_import_is_refused_and_says_who_is_at_work(site: dict[str, str], tmp_path: Path, record: Any) -> None:
    from kb.imports.lock import import_lock

    path = tmp_path / "one.json"
    path.write_text(json.dumps(record()))
    with import_lock():
        done = subprocess.run(command(path, "--json"), env=site, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    report = json.loads(done.stdout)
    assert (report["outcome"], report["code"]) == ("refused", "locked")
    assert f"process {os.getpid()}" in report["error"]
    again = subprocess.run(command(path, "--json"), env=site, capture_output=True, text=True, check=False)
    assert (again.returncode, json.loads(again.stdout)["added"]) == (0, 1)


def test_exit_codes_tell_the_outcomes_apart(
    transactional_db: None, tmp_path: Path, record: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from kb.cli.program import main

    good, bad, partly = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "partly.json"
    good.write_text(json.dumps(record(1)))
    bad.write_text("{")
    partly.write_text(json.dumps([record(2), record(3, severity="awful")]))
    for words, code in (
        ((good,), 0),
        ((good, "--dataset", "a/b"), 2),
        (("--no-such-option", good), 2),
        ((good, "--max-rejects", "-1"), 2),
        ((partly,), 3),
        ((bad,), 4),
        ((tmp_path / "missing.json",), 4),
    ):
        try:
            status: object = main(["import_dataset", "--skip-checks", *map(str, words)])
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        assert (status or 0) == code, (words, printed)
        assert "Traceback" not in printed.err


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_import_leaves_nothing_torn(
    kill: signal.Signals, site: dict[str, str], record: Any, layout: Any, soak: bool, stored: Any
) -> None:
    from kb.catalog import queries
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    rows = [record(number) for number in range(1, 401)]
    first = layout(rows, version="2026-01-01T00:00:00.000Z")
    second = layout(
        [{**row, "severity": "info"} for row in rows[:300]] + [record(number) for number in range(500, 600)],
        version="2026-01-02T00:00:00.000Z",
    )
    assert run_import([first], ImportOptions()).outcome == "published"
    before, chance = stored(), random.Random(4)
    for _ in range(30 if soak else 3):
        process = subprocess.Popen(
            command(second, "--quiet", "--confirm"), env=site, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(chance.uniform(0.3, 3.0))
        process.send_signal(kill)
        process.communicate()
        if queries.state().revision == 1:
            assert stored() == before
    report = run_import([second], ImportOptions(confirm=True))
    assert report.outcome in {"published", "unchanged"}, report.error
    state = queries.state()
    assert (state.revision, state.records) == (2, 400)
    living = [view for view in queries.iter_records() if view.retired_revision is None]
    assert sum(view.record.severity == "info" for view in living) == 300
    from kb.search import index
    from kb.search.engine import search

    assert index.is_usable(2)
    assert index.verify(2) == []
    assert search("severity:info", revision=2).count == 300
    from kb.catalog.models import Release

    assert not Release.objects.filter(state="running").exists()


def test_a_failed_commit_takes_the_new_index_away(
    run: Any, record: Any, layout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db.utils import OperationalError

    from kb.catalog import queries
    from kb.imports.ledger import Ledger
    from kb.search import index

    run(layout([record(1)]))

    def failing(*_args: Any, state: str, **_options: Any) -> None:
        if state == "published":
            raise OperationalError("disk I/O error")

    monkeypatch.setattr(Ledger, "close", failing)
    report = run(layout([record(1), record(2)]))
    assert (report.outcome, "disk I/O error" in report.error) == ("failed", True)
    assert (queries.state().revision, index.status().revisions) == (1, (1,))


def test_a_missing_index_is_made_anew_by_the_next_import(run: Any, record: Any, layout: Any) -> None:
    import shutil

    from django.conf import settings

    from kb.search import index
    from kb.search.engine import search

    source = layout([record(1), record(2)])
    run(source)
    shutil.rmtree(settings.KB_INDEX_DIR)
    assert not index.is_usable(1)
    assert run(source).outcome == "unchanged"
    assert search("engine", revision=1).count == 2


def test_sync_index_makes_a_damaged_index_anew(run: Any, record: Any, layout: Any) -> None:
    from django.conf import settings
    from django.core.management import call_command

    from kb.search import index

    run(layout([record(1)]))
    victim = max((settings.KB_INDEX_DIR / "1").rglob("*.store"), key=lambda path: path.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-1])
    assert not index.is_usable(1)
    call_command("sync_index")
    assert index.is_usable(1)
    assert index.verify(1) == []
