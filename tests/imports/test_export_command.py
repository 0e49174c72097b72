"""``export_dataset`` as it is called: what it prints, where, how it ends, and while an import runs."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def called(import_records: Any, record: Any) -> Any:
    """The command on a catalog of three records: its output, its messages, its exit code."""
    import_records(*(record(n, repo=repo) for n, repo in enumerate(("acme/rockets", "acme/rockets", "acme/tanks"), 1)))

    def call(*words: str | Path, **options: Any) -> tuple[str, str, int]:
        output, messages, code = io.StringIO(), io.StringIO(), 0
        try:
            call_command("export_dataset", *map(str, words), stdout=output, stderr=messages, quiet=True, **options)
        except SystemExit as end:
            code = int(end.code or 0)
        return output.getvalue(), messages.getvalue(), code

    return call


def test_a_person_reads_what_was_written(called: Any, tmp_path: Path) -> None:
    output, messages, code = called(tmp_path / "out")
    assert (messages, code) == ("", 0)
    for part in ("3 records", "2 repositories", "revision 1", str(tmp_path / "out")):
        assert part in output
    output, _, _ = called(tmp_path / "out", "--repo", "acme/tanks")
    assert "1 record, 1 repository (" in output


def test_json_is_one_object_with_the_stable_names(called: Any, tmp_path: Path) -> None:
    output, _, code = called(tmp_path / "out.tar.gz", "--json")
    report = json.loads(output)
    assert code == 0
    assert report == report | {
        "outcome": "exported", "target": str(tmp_path / "out.tar.gz"), "format": "layout", "dataset": None,
        "revision": 1, "records": 3, "repositories": 2, "articles": 0, "files": 7,
        "bytes": (tmp_path / "out.tar.gz").stat().st_size, "error": "", "code": "", "notices": [],
    }  # fmt: skip
    assert {"datasetVersion", "seconds"} <= set(report)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("out.json",), 2, ".jsonl"),
        (("out", "--format", "jsonl"), 2, ".jsonl"),
        (("out", "--dataset", "nobody's"), 4, "nobody's"),
        (("out", "--repo", "a/b"), 4, "a/b"),
        (("no/such/directory/out",), 4, "no such directory"),
    ],
)
def test_exit_codes_tell_the_outcomes_apart(
    called: Any, tmp_path: Path, words: tuple[str, ...], code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output, messages, ended = called(*words)
    assert (output, ended) == ("", code)
    assert told in messages
    assert "Traceback" not in messages
    assert list(tmp_path.glob("*out*")) == []


def test_a_terminal_gets_no_controls_of_names(called: Any, tmp_path: Path) -> None:
    output, messages, _ = called(tmp_path / "out", "--dataset", "x\x1b[2J")
    assert "\x1b" not in output + messages


# --- as a process -----------------------------------------------------------------------------------------------------


@pytest.fixture
def site(transactional_db: None, settings: Any, import_records: Any, record: Any) -> dict[str, str]:
    """The environment of a process that shares this test's catalog of 1,200 records."""
    from django.db import connection

    import_records(*(record(n, repo=f"acme/r{n % 3}", documentation="long " * 500) for n in range(1, 1_201)))
    name = connection.settings_dict["NAME"]
    address = f"sqlite:///{name}"
    if connection.vendor == "postgresql":
        host = str(connection.settings_dict["HOST"]).replace("/", "%2F")
        address = f"postgresql://{connection.settings_dict['USER']}@{host}/{name}"
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("KB_")},
        "KB_DATABASE_URL": address,
        "KB_DATA_DIR": str(settings.KB_DATA_DIR),
        "KB_INDEX_DIR": str(settings.KB_INDEX_DIR),
        "KB_SECRET_KEY": "another key for tests only, long enough to pass the check of it",
        "KB_LOG_LEVEL": "ERROR",
    }


def test_standard_output_gets_the_export_and_nothing_else(
    called: Any, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    output, messages, code = called("-")
    assert (output, code) == ("", 0)
    assert "3 records" in messages
    assert len({json.loads(line)["id"] for line in capsysbinary.readouterr().out.splitlines()}) == 3
    called("-", "--format", "layout")
    with tarfile.open(fileobj=io.BytesIO(capsysbinary.readouterr().out)) as archive:
        assert archive.getnames()[-1] == "manifest.json"


def test_a_reader_that_has_seen_enough_ends_it_quietly(site: dict[str, str]) -> None:
    words = [sys.executable, str(ROOT / "manage.py"), "export_dataset", "-", "--quiet"]
    with subprocess.Popen(words, env=site, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as early:
        assert early.stdout is not None
        assert early.stderr is not None
        assert early.stdout.readline()
        early.stdout.close()
        assert (early.wait(), early.stderr.read()) == (1, b"")


SLOWLY = """
import os, sys, time, django
os.environ["DJANGO_SETTINGS_MODULE"] = "kb.settings"
django.setup()
from kb.cli.program import main
from kb.imports.export import layout
fast = layout._index_line
layout._index_line = lambda record: (time.sleep(0.02), fast(record))[1]
sys.exit(main(["export_dataset", *sys.argv[1:]]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_export_that_is_ended_leaves_its_target_as_it_was(
    site: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    target = tmp_path / "out"
    call_command("export_dataset", str(target), quiet=True, stdout=io.StringIO())
    before = {path: path.read_bytes() for path in target.rglob("*.json")}
    words = [sys.executable, "-c", SLOWLY, str(target)]
    export = subprocess.Popen(words, env=site, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not list(tmp_path.glob(".out.partial/new/repos/*/*")):
        assert export.poll() is None, export.communicate()
    export.send_signal(number)
    output, messages = export.communicate()
    assert {path: path.read_bytes() for path in target.rglob("*.json")} == before
    if number == signal.SIGTERM:
        assert (export.returncode, output) == (143, b"")
        assert b"interrupted" in messages
        assert b"Traceback" not in messages
        assert list(tmp_path.glob(".*")) == []
    call_command("export_dataset", str(target), quiet=True, stdout=io.StringIO())
    assert list(tmp_path.glob(".*")) == []


# --- while the catalog moves on ---------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["out", "out.jsonl"])
def test_an_export_is_of_one_revision_while_an_import_commits(
    transactional_db: None, tmp_path: Path, import_records: Any, record: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from django.db import connections

    from kb.catalog import queries
    from kb.imports.export.options import ExportOptions
    from kb.imports.export.running import run_export
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    import_records(*(record(n, repo=f"acme/r{n % 3}", severity="info") for n in range(1, 61)))
    later = tmp_path / "later.json"
    later.write_text(json.dumps([record(n, repo=f"acme/r{n % 3}", severity="error") for n in range(1, 91)]))
    outcomes: list[str] = []

    def publish() -> None:
        try:
            outcomes.append(run_import([later], ImportOptions()).outcome)
        finally:
            connections.close_all()

    plain = queries.export_records

    def interrupted(**options: Any) -> Any:
        for count, found in enumerate(plain(**options)):
            if count == 15:
                importing = threading.Thread(target=publish)
                importing.start()
                importing.join()
            yield found

    monkeypatch.setattr("kb.imports.export.contents.queries.export_records", interrupted)
    report = run_export(ExportOptions(target=str(tmp_path / name)))
    assert (outcomes, report.outcome, report.revision, report.records) == (["published"], "exported", 1, 60)
    paths = [path for path in (tmp_path / name).rglob("r*.json") if path.parent.name == "acme"]
    texts = [path.read_text() for path in paths] if name == "out" else [(tmp_path / name).read_text()]
    assert sum(text.count('"severity":"info"') for text in texts) == 60
    assert not any('"severity":"error"' in text for text in texts)
    assert queries.state().revision == 2
