"""``faultbook serve``: starts when the installation is ready, says where, answers, reloads, and ends with 0."""

from __future__ import annotations

import shutil
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.no_db_matrix


def test_an_installation_passes_its_own_checks(installation: Any) -> None:
    ended = installation.faultbook("check", "--database", "default", "--fail-level", "WARNING")
    assert ended.returncode == 0, ended.stderr


def test_a_new_installation_serves_and_ends_with_zero_on_term(installation: Any, fetch: Callable[[str], Any]) -> None:
    with installation.served("--workers", "1") as (server, address):
        assert fetch(f"{address}healthz").status == 200
        page = fetch(address)
        assert page.status == 200
        assert "/static/" in page.text
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert server.returncode == 0
    assert errors == ""


SECRET = "hunter2-not-for-logs"
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
_PIECES = "Transfer-Encoding: chunked\r\n"
DAMAGED = (
    f"GET /explain/?q={SECRET} two words HTTP/1.1\r\nHost: localhost\r\n\r\n",
    f"{SECRET}! /explain/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    f"GET /explain/?q={SECRET}{'x' * 9_000} HTTP/1.1\r\nHost: localhost\r\n\r\n",
    f"POST /explain/ HTTP/1.1\r\nHost: localhost\r\n{SECRET} header: 1\r\n\r\n",
    f"POST /explain/ HTTP/1.1\r\nHost: localhost\r\n{_FORM}{_PIECES}\r\ntext={SECRET}\r\n\r\n",
    f"POST /explain/ HTTP/1.1\r\nHost: localhost\r\n{_FORM}{_PIECES}\r\n5\r\ntext={SECRET}\r\n0\r\n\r\n",
    f"POST /explain/ HTTP/1.1\r\nHost: localhost\r\n{_FORM}Content-Length: 5\r\n\r\ntext={SECRET} x\r\n\r\n",
    f"POST /api/v1/match/ HTTP/1.1\r\nHost: localhost\r\n{_PIECES}\r\n{SECRET}\r\n{SECRET}\r\n0\r\n\r\n",
)


def test_a_damaged_request_is_not_quoted_in_the_log(installation: Any) -> None:
    with installation.served("--workers", "1") as (server, address):
        host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
        for number, sent in enumerate(DAMAGED):
            with socket.create_connection((host, int(port)), timeout=30) as client:
                client.sendall(sent.replace(SECRET, f"{SECRET}-{number}-").encode())
                client.shutdown(socket.SHUT_WR)
                answer = b""
                while piece := client.recv(65_536):
                    answer += piece
            assert answer.startswith(b"HTTP/1.1 "), sent
            assert not answer.startswith(b"HTTP/1.1 5"), sent
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=60)
    assert SECRET not in errors  # with the number of the request that is quoted


def test_hup_replaces_the_workers_and_keeps_the_address(installation: Any, fetch: Callable[[str], Any]) -> None:
    def workers() -> set[int]:
        return {int(pid) for pid in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()}

    with installation.served("--workers", "1") as (server, address):
        assert fetch(f"{address}healthz").status == 200
        before = workers()
        server.send_signal(signal.SIGHUP)
        for _ in range(10_000):  # each round is a request, which takes its time
            assert fetch(f"{address}healthz").status == 200
            if workers() and not workers() & before:
                break
        assert workers()
        assert not workers() & before


def test_the_master_process_holds_no_application(installation: Any, fetch: Callable[[str], Any]) -> None:
    with installation.served("--workers", "1") as (server, address):
        assert fetch(f"{address}healthz").status == 200
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        master, worker = (Path(f"/proc/{pid}/maps").read_text() for pid in (server.pid, children[0]))
    assert "tantivy" in worker
    assert "tantivy" not in master
    assert "psycopg" not in master


@pytest.mark.parametrize(
    ("missing", "advice"), [("catalog.sqlite3", "faultbook migrate"), ("static", "faultbook collectstatic")]
)
def test_what_is_missing_is_named_with_the_command_that_makes_it(
    installation: Any, installation_at: Callable[[Path], Any], tmp_path: Path, missing: str, advice: str
) -> None:
    copy = installation_at(tmp_path / "data")
    shutil.copytree(installation.data, copy.data, ignore=shutil.ignore_patterns(f"{missing}*"))
    ended = copy.faultbook("serve", "--bind", "127.0.0.1:0")
    assert ended.returncode == 1
    assert advice in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_address_in_use_is_named(installation: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = installation.faultbook("serve", "--bind", bind)
    assert ended.returncode == 1
    assert f"Cannot listen on {bind}: Address already in use" in ended.stderr


def test_a_data_directory_that_cannot_be_made_is_named_without_a_traceback(
    installation_at: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    ended = installation_at(tmp_path / "file" / "data").faultbook("check", KB_SECRET_KEY="k" * 50)
    assert ended.returncode == 2
    assert str(tmp_path / "file" / "data") in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_database_that_does_not_answer_is_named_without_a_traceback(
    installation_at: Callable[[Path], Any], tmp_path: Path
) -> None:
    address = "postgresql://kb@" + str(tmp_path).replace("/", "%2F") + "/kb"
    ended = installation_at(tmp_path).faultbook("serve", "--bind", "127.0.0.1:0", KB_DATABASE_URL=address)
    assert ended.returncode == 1
    assert "cannot be used" in ended.stderr
    assert "Traceback" not in ended.stderr
