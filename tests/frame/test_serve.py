"""``faultbook serve``: starts when the installation is ready, says where, answers, reloads, and ends with 0."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.no_db_matrix


def _environment(data: Path) -> dict[str, str]:
    """A new installation's: nothing but its data directory."""
    return {"PATH": os.environ["PATH"], "KB_DATA_DIR": str(data)}


def _faultbook(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kb.cli.program", *words],
        env=_environment(data),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with an empty catalog and the static files."""
    data = tmp_path_factory.mktemp("installation")
    for words in (["migrate", "--verbosity", "0"], ["collectstatic", "--no-input", "--verbosity", "0"]):
        ended = _faultbook(data, *words)
        assert ended.returncode == 0, ended.stderr
    return data


def test_it_passes_its_own_checks(installation: Path) -> None:
    ended = _faultbook(installation, "check", "--database", "default", "--fail-level", "WARNING")
    assert ended.returncode == 0, ended.stderr


@contextmanager
def _served(data: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running server and its address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "kb.cli.program", "serve", "--bind", "127.0.0.1:0", *options],
        env=_environment(data),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        assert server.stderr
        line = server.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:[1-9][0-9]*/", line)
        assert found, line + server.stderr.read()
        yield server, found[0]
    finally:
        server.kill()
        server.communicate()


def _get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode()


def test_a_new_installation_serves_and_ends_with_zero_on_term(installation: Path) -> None:
    with _served(installation, "--workers", "1") as (server, address):
        assert _get(f"{address}healthz")[0] == 200
        status, page = _get(address)
        assert status == 200
        assert "/static/" in page
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert server.returncode == 0
    assert errors == ""


def test_hup_replaces_the_workers_and_keeps_the_address(installation: Path) -> None:
    def workers() -> set[int]:
        return {int(pid) for pid in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()}

    with _served(installation, "--workers", "1") as (server, address):
        assert _get(f"{address}healthz")[0] == 200
        before = workers()
        server.send_signal(signal.SIGHUP)
        for _ in range(10_000):  # each round is a request, which takes its time
            assert _get(f"{address}healthz")[0] == 200
            if not workers() & before:
                break
        assert workers()
        assert not workers() & before


def test_the_master_process_holds_no_application(installation: Path) -> None:
    with _served(installation, "--workers", "1") as (server, address):
        assert _get(f"{address}healthz")[0] == 200
        mapped = Path(f"/proc/{server.pid}/maps").read_text()
    assert "tantivy" not in mapped
    assert "psycopg" not in mapped


@pytest.mark.parametrize(
    ("missing", "advice"), [("catalog.sqlite3", "faultbook migrate"), ("static", "faultbook collectstatic")]
)
def test_what_is_missing_is_named_with_the_command_that_makes_it(
    installation: Path, tmp_path: Path, missing: str, advice: str
) -> None:
    data = tmp_path / "data"
    shutil.copytree(installation, data, ignore=shutil.ignore_patterns(f"{missing}*"))
    ended = _faultbook(data, "serve", "--bind", "127.0.0.1:0")
    assert ended.returncode == 1
    assert advice in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_database_that_does_not_answer_is_named_without_a_traceback(tmp_path: Path) -> None:
    address = "postgresql://kb@" + str(tmp_path).replace("/", "%2F") + "/kb"
    ended = subprocess.run(
        [sys.executable, "-m", "kb.cli.program", "serve", "--bind", "127.0.0.1:0"],
        env={**_environment(tmp_path), "KB_DATABASE_URL": address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "The database cannot be reached" in ended.stderr
    assert "Traceback" not in ended.stderr
