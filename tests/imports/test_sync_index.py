"""A node with index files of its own follows the catalog: by the feed of changes where it can, anew where it must."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command

from kb.catalog import models
from kb.imports.lock import index_lock
from kb.imports.syncing import is_current, sync_indexes
from kb.imports.verification.checks import VerifyOptions, run_verify
from kb.matching.index.open import match_root
from kb.search.files import MANIFEST
from tests.imports.conftest import make_record
from tests.imports.throwaway import Server

Import = Callable[..., Any]


def _all(*, changed: int = 0) -> list[dict[str, Any]]:
    """Twenty records, the first few of them otherwise."""
    return [
        make_record(number, **({"documentation": f"New {number}. "} if number <= changed else {}))
        for number in range(1, 21)
    ]


@pytest.fixture
def node(import_records: Import, settings: Any, tmp_path: Path) -> Callable[[], None]:
    """A catalog of one revision; a call makes this process a node that has its own index files."""
    import_records(*_all())
    importer = settings.KB_INDEX_DIR

    def become() -> None:
        settings.KB_INDEX_DIR = tmp_path / "node" if importer == settings.KB_INDEX_DIR else importer

    return become


def _how() -> list[tuple[str, int | None]]:
    return [(done.how, done.base) for done in sync_indexes()]


def _assert_sound() -> None:
    assert is_current()
    report = run_verify(VerifyOptions(sample=None))
    assert [fault for check in report.checks for fault in check.faults] == []


def _three_revisions(node: Callable[[], None], import_records: Import) -> None:
    """The node has the index of revision 1; the catalog goes on to revision 3."""
    node()
    assert _how() == [("built", None)] * 2
    node()
    import_records(*_all(changed=1)[:19], complete=True)
    import_records(*_all(changed=3))
    node()
    assert not is_current()


def test_a_node_catches_up_from_the_feed(node: Callable[[], None], import_records: Import) -> None:
    _three_revisions(node, import_records)
    assert _how() == [("updated", 1)] * 2
    _assert_sound()
    assert _how() == [("sound", None)] * 2


def test_a_feed_that_begins_later_is_no_base(node: Callable[[], None], import_records: Import) -> None:
    _three_revisions(node, import_records)
    models.Change.objects.filter(revision__lt=3).delete()
    assert _how() == [("built", None)] * 2
    _assert_sound()


def test_an_index_of_another_catalog_or_an_abandoned_past_is_no_base(
    node: Callable[[], None], import_records: Import, settings: Any
) -> None:
    _three_revisions(node, import_records)
    for root in (settings.KB_INDEX_DIR, match_root()):
        path = root / "1" / MANIFEST
        path.write_text(json.dumps(json.loads(path.read_text()) | {"catalog": "2020-01-01T00:00:00.000Z"}))
    assert _how() == [("built", None)] * 2
    _assert_sound()


def test_a_directory_that_another_database_uses_is_noticed(node: Callable[[], None], settings: Any) -> None:
    node()
    sync_indexes()
    for root in (settings.KB_INDEX_DIR, match_root()):
        path = root / "1" / MANIFEST
        path.write_text(json.dumps(json.loads(path.read_text()) | {"catalog": "2020-01-01T00:00:00.000Z"}))
    assert not is_current()
    assert _how() == [("built", None)] * 2
    _assert_sound()


def test_a_damaged_base_and_a_large_change_are_built_anew(
    node: Callable[[], None], import_records: Import, settings: Any
) -> None:
    _three_revisions(node, import_records)
    victim = max((settings.KB_INDEX_DIR / "1").rglob("*.store"), key=lambda path: path.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-1])
    assert _how() == [("built", None), ("updated", 1)]
    node()
    import_records(*_all(changed=20))
    node()
    assert _how() == [("built", None)] * 2
    _assert_sound()


def test_only_the_last_two_revisions_stay(node: Callable[[], None], import_records: Import, settings: Any) -> None:
    node()
    sync_indexes()
    for changed in (1, 2, 3):
        import_records(*_all(changed=changed))
        sync_indexes()
    assert sorted(path.name for path in settings.KB_INDEX_DIR.iterdir() if path.name.isdigit()) == ["3", "4"]


@pytest.mark.django_db
def test_an_empty_catalog_has_nothing_to_index() -> None:
    output = io.StringIO()
    call_command("sync_index", stdout=output)
    assert "nothing to index" in output.getvalue()


def test_the_command_tells_what_it_did(node: Callable[[], None]) -> None:
    node()
    output = io.StringIO()
    call_command("sync_index", "--json", stdout=output)
    told = [json.loads(line) for line in output.getvalue().splitlines()]
    assert told == [
        {"index": "search index", "revision": 1, "outcome": "built", "base": None},
        {"index": "match index", "revision": 1, "outcome": "built", "base": None},
    ]
    output = io.StringIO()
    with index_lock(), pytest.raises(SystemExit) as ended:
        call_command("sync_index", "--force", stderr=output)
    assert ended.value.code == 4
    assert "is running" in output.getvalue()


# -- following, in a process of its own --------------------------------------------------------------------------------


@contextmanager
def _following(address: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """``sync_index --follow`` on a node with directories of its own."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KB_")},
        "DJANGO_SETTINGS_MODULE": "kb.settings",
        "KB_DATABASE_URL": address,
        "KB_DATA_DIR": str(home),
        "KB_SECRET_KEY": "a key for tests only, long enough to pass the check of its length",
    }
    command = [sys.executable, "manage.py", "sync_index", "--follow", "--every", "0.2", "--json"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _next(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next index that the node made."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()
    answer: dict[str, Any] = json.loads(line)
    return answer


def _program(address: str, home: Path, *words: str) -> None:
    """One command of the importing node."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KB_")},
        "DJANGO_SETTINGS_MODULE": "kb.settings",
        "KB_DATABASE_URL": address,
        "KB_DATA_DIR": str(home),
        "KB_SECRET_KEY": "a key for tests only, long enough to pass the check of its length",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _source(path: Path, *, changed: int) -> str:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in _all(changed=changed)))
    return str(path)


def test_a_follower_goes_on_after_the_server_was_killed_and_ends_by_sigterm(tmp_path: Path) -> None:
    with Server() as server:
        importer = tmp_path / "importer"
        _program(server.address, importer, "migrate", "--verbosity", "0")
        with _following(server.address, tmp_path / "node") as node:
            _program(server.address, importer, "import_dataset", "--quiet", _source(tmp_path / "1.jsonl", changed=0))
            assert [(row["revision"], row["outcome"]) for row in (_next(node), _next(node))] == [(1, "built")] * 2
            server.kill()
            time.sleep(1)
            assert node.poll() is None
            server.start()
            _program(server.address, importer, "import_dataset", "--quiet", _source(tmp_path / "2.jsonl", changed=2))
            made = [_next(node), _next(node)]
            assert [(row["revision"], row["outcome"], row["base"]) for row in made] == [(2, "updated", 1)] * 2
            node.send_signal(signal.SIGTERM)
            _, errors = node.communicate(timeout=60)
            assert node.returncode == 0, errors
            assert "cannot be used" in errors
