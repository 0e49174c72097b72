"""Whatever stops an import: there is a report, one object for scripts, and the catalog is what it was."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from kb.search.errors import SearchUnavailable

ROOT = Path(__file__).resolve().parents[2]
REPLACED = "\N{REPLACEMENT CHARACTER}"


def _spool() -> list[Path]:
    from django.conf import settings

    return list((settings.KB_DATA_DIR / "spool").iterdir())


# --- texts that cannot be stored or printed ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [b"caf\xe9.json", b"\xff\xfe.jsonl", "é\u202e.json".encode()])
@pytest.mark.parametrize("good", [True, False])
def test_a_file_of_any_name_is_imported_and_reported(
    name: bytes, good: bool, tmp_path: Path, command: Any, record: Any
) -> None:
    from kb.catalog import queries

    path = tmp_path / os.fsdecode(name)
    path.write_text(json.dumps(record(1)) + "\n" + json.dumps(record(2, severity="awful")) if good else "\n")
    text, _, code = command(path, json=True)
    report = json.loads(text)
    assert (report["outcome"], report["added"], code) == (("published", 1, 3) if good else ("refused", 0, 4))
    shown = name.decode("utf-8", "replace")
    release = queries.release(report["release"])
    assert release is not None
    assert release.source == shown
    assert shown in (report["rejections"][0]["origin"] if good else report["error"])
    for line in command(path)[:2]:
        line.encode()


@pytest.mark.parametrize("name", ["\ud800.json", "a\x00b.json", "x" * 5000, "", "/\udcff/\udcff"])
def test_a_name_that_no_file_can_have_is_refused(name: str, run: Any) -> None:
    report = run(name)
    assert report.outcome == "refused"
    json.dumps(report.as_json(), ensure_ascii=False).encode()


@pytest.mark.parametrize("version", ["a\ud800b", "a\x00b", "\udfff" * 100, "v" * 100])
@pytest.mark.parametrize("good", [True, False])
def test_a_version_is_stored_as_text(version: str, good: bool, tmp_path: Path, run: Any, record: Any) -> None:
    from kb.catalog import queries

    path = tmp_path / "one.json"
    row = record(1) if good else record(1, severity="awful")
    path.write_text(json.dumps({"datasetVersion": version, "record": row}))
    report = run(path)
    assert (report.added, report.rejected) == ((1, 0) if good else (0, 1)), report.error
    expected = version[:64].translate({0: REPLACED, 0xD800: REPLACED, 0xDFFF: REPLACED})
    assert report.dataset_version == expected
    release = queries.release(report.release)
    assert release is not None
    assert release.dataset_version == expected


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
@pytest.mark.parametrize("as_json", [True, False])
def test_what_is_said_fits_the_encoding_of_the_output(
    encoding: str, as_json: bool, layout: Any, record: Any, db: None
) -> None:
    raw = io.BytesIO()
    output = io.TextIOWrapper(raw, encoding=encoding)
    source = layout([record(1), record(2, severity="é\ud800\u202e語")])
    with pytest.raises(SystemExit):
        call_command("import_dataset", str(source), stdout=output, quiet=True, json=as_json)
    output.flush()
    assert "unknown_value" in raw.getvalue().decode(encoding)


def test_closed_standard_input(run: Any, command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert (run("-").outcome, run("-").code) == ("refused", "unreadable")
    closed = io.TextIOWrapper(io.BytesIO(b"[]"))
    closed.buffer.close()
    monkeypatch.setattr(sys, "stdin", closed)
    text, _, code = command("-", json=True)
    assert (json.loads(text)["code"], code) == ("unreadable", 4)


# --- failures of the machine and of the program -----------------------------------------------------------------------


def _stages() -> dict[str, tuple[str, str]]:
    return {
        "lock": ("kb.imports.lock", "_me"),
        "opening": ("kb.imports.pipeline", "open_source"),
        "reading": ("kb.imports.preparing", "decode_record"),
        "hashing": ("kb.imports.preparing", "content_hash"),
        "staging": ("kb.imports.staging.Staging", "add_all"),
        "publishing": ("kb.catalog.publish.Publication", "arrive"),
        "finishing": ("kb.catalog.publish.Publication", "finish"),
        "indexing": ("kb.search.index", "prepare"),
    }


def _patch(monkeypatch: pytest.MonkeyPatch, stage: str, replacement: Any) -> None:
    place, name = _stages()[stage]
    monkeypatch.setattr(f"{place}.{name}", replacement)


ERRORS = {
    "disk": OSError(28, "No space left on device"),
    "staging": sqlite3.OperationalError("database or disk is full"),
    "memory": MemoryError(),
    "text": UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    "library": ValueError("An IO error occurred: 'No space left on device\n(os error 28)'"),
    "index": SearchUnavailable("writing failed"),
    "bug": TypeError("an odd\nfault"),
}


@pytest.mark.parametrize("stage", _stages())
@pytest.mark.parametrize("kind", ERRORS)
def test_every_failure_has_its_report(
    stage: str, kind: str, command: Any, layout: Any, record: Any, stored: Any, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    from kb.catalog.models import Release
    from kb.search import index

    assert command(layout([record(1)]))[2] == 0
    before = stored()

    def failing(*_: Any, **__: Any) -> None:
        raise ERRORS[kind]

    _patch(monkeypatch, stage, failing)
    text, _, code = command(layout([record(1, severity="info"), record(2)]), json=True)
    report = json.loads(text)
    assert (code, report["outcome"], report["revision"], report["added"], report["changes"]) == (1, "failed", 1, 0, [])
    assert type(ERRORS[kind]).__name__ in report["error"]
    assert "\n" not in report["error"]
    assert stored() == before
    assert (index.status().revisions, _spool()) == ((1,), [])
    assert not Release.objects.filter(state="running").exists()
    loud = [row for row in caplog.records if row.levelno >= logging.ERROR and row.name.startswith("kb.imports")]
    assert bool(loud) == (kind == "bug")  # only a fault of the program has a traceback


def test_a_full_disk_under_the_waiting_room(
    run: Any, layout: Any, record: Any, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports import staging

    monkeypatch.setattr(staging, "_TABLES", staging._TABLES + "PRAGMA max_page_count=8; PRAGMA cache_size=2;")
    before = stored()
    report = run(layout([record(number) for number in range(1, 600)]))
    assert (report.outcome, "full" in report.error) == ("failed", True)
    assert (stored(), _spool()) == (before, [])


def test_a_text_that_a_column_does_not_take_is_a_database_error(db: None) -> None:
    from django.db import DatabaseError, connection, transaction

    from kb.catalog.bulk import insert_rows, upsert_rows

    columns = ("release_id", "origin", "position", "rule", "message", "path", "value", "raw")
    row = (1, "a\x00b" if connection.vendor == "postgresql" else None, 0, "r" * 5000, "m", "", "", b"")
    for write in (insert_rows, lambda *words: upsert_rows(*words[:2], ("id",), words[2])):
        with pytest.raises(DatabaseError), transaction.atomic():
            write("catalog_rejection", columns, [row])


@pytest.mark.parametrize(
    ("options", "outcome"), [({"strict": True}, "refused"), ({"max_rejects": 0}, "refused"), ({}, "published")]
)
def test_the_revision_is_that_of_the_catalog(
    options: dict[str, Any], outcome: str, command: Any, layout: Any, record: Any
) -> None:
    for number in (1, 2):
        command(layout([record(number)]))
    text, _, _ = command(layout([record(3), record(4, severity="awful")]), json=True, **options)
    report = json.loads(text)
    assert (report["outcome"], report["revision"]) == (outcome, 2 if options else 3)


@pytest.mark.parametrize("bad", [True, False])
def test_a_dry_run_names_no_release(bad: bool, command: Any, layout: Any, record: Any) -> None:
    text, _, _ = command(layout([record(1, severity="awful" if bad else "info")]), json=True, dry_run=True, strict=True)
    assert json.loads(text)["release"] is None


# --- after the commit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["is_usable", "prune", "refresh_statistics", "truncate_log"])
@pytest.mark.parametrize("error", [OSError("disk full"), RuntimeError("a bug"), KeyboardInterrupt()])
def test_a_fault_after_the_commit_takes_nothing_back(
    what: str, error: BaseException, run: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.catalog import queries
    from kb.imports import upkeep
    from kb.imports.upkeep import settle

    def failing(*_: Any) -> None:
        raise error

    after: list[Any] = []

    def settling(report: Any) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(upkeep.search_index if hasattr(upkeep.search_index, what) else upkeep, what, failing)
            settle(report)
        after.append(report)

    monkeypatch.setattr("kb.imports.session.settle", settling)
    report = run(layout([record(1)]))
    assert after == [report]
    assert (report.outcome, report.added, report.revision, report.error) == ("published", 1, 1, "")
    assert any("complete" in notice for notice in report.notices)
    release = queries.release(report.release)
    assert release is not None
    assert (release.state, queries.state().revision) == ("published", 1)


# --- interruptions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stage", [stage for stage in _stages() if stage != "lock"])
@pytest.mark.parametrize("as_json", [True, False])
def test_an_interrupted_import_says_so_and_leaves_nothing(
    number: signal.Signals, stage: str, as_json: bool, command: Any, layout: Any, record: Any, stored: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from kb.catalog.models import Release
    from kb.search import index

    command(layout([record(1)]))
    before, handlers = stored(), [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]

    def interrupted(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), number)

    _patch(monkeypatch, stage, interrupted)
    text, error, code = command(layout([record(2)]), json=as_json)
    assert code == 128 + number
    assert (len(error.splitlines()), "interrupted" in error, "Traceback" in error) == (1, True, False)
    if as_json:
        report = json.loads(text)
        assert (report["outcome"], "interrupted" in report["error"], report["revision"]) == ("failed", True, 1)
    else:
        assert text == ""
    assert (stored(), index.status().revisions, _spool()) == (before, (1,), [])
    last = Release.objects.latest("pk")
    assert (last.state, "interrupted" in last.error, last.finished_at is not None) == ("failed", True, True)
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_an_interruption_just_after_the_commit_takes_nothing_back(
    command: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.catalog import queries
    from kb.imports.publishing import publish
    from kb.search import index

    def late(*words: Any) -> None:
        publish(*words)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("kb.imports.pipeline.publish", late)
    text, _, code = command(layout([record(1)]), json=True)
    report = json.loads(text)
    assert (code, report["outcome"], report["added"], report["revision"]) == (0, "published", 1, 1)
    release = queries.release(report["release"])
    assert release is not None
    assert (release.state, index.is_usable(1)) == ("published", True)


def test_signals_that_are_ignored_stay_so(
    command: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as under nohup and in the background of a shell

    def interrupted(*_: Any, **__: Any) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return True

    try:
        monkeypatch.setattr("kb.imports.upkeep.search_index.is_usable", interrupted)
        assert command(layout([record(1)]))[2] == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# --- a database that is not ready -------------------------------------------------------------------------------------


@pytest.mark.no_db_matrix
@pytest.mark.parametrize("as_json", [True, False])
def test_a_database_without_tables_is_told_what_it_needs(as_json: bool, tmp_path: Path, record: Any) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record()))
    kept = {key: value for key, value in os.environ.items() if not key.startswith("KB_")}
    site = {
        **kept,
        "KB_DATABASE_URL": f"sqlite:///{tmp_path}/new.sqlite3",
        "KB_DATA_DIR": str(tmp_path / "data"),
        "KB_SECRET_KEY": "another key for tests only, long enough to pass the check of it",
    }
    words = [sys.executable, str(ROOT / "manage.py"), "import_dataset", str(path), *(["--json"] if as_json else [])]
    done = subprocess.run(words, env=site, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "faultbook migrate" in done.stderr
    if as_json:
        report = json.loads(done.stdout)
        assert (report["outcome"], "faultbook migrate" in report["error"]) == ("failed", True)
    else:
        assert done.stdout == ""
