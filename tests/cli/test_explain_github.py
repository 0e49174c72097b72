"""``faultbook explain --github``: annotations at the lines of a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TRACE = """\
Traceback (most recent call last):
  File "{root}/app/main.py", line 10, in <module>
    connect()
  File "{root}/.venv/lib/python3/site-packages/psycopg/connection.py", line 90, in connect
    raise ex
psycopg.errors.ConnectionTimeout: connection timeout expired
"""
MESSAGE = "connection timeout expired (psycopg/psycopg, exact)%0AFix: "
LINK = "http://127.0.0.1:8000/e/c53735311c96eaf3/"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that the trace names."""
    root = tmp_path / "checkout"
    for name in ("app/main.py", ".venv/lib/python3/site-packages/psycopg/connection.py"):
        (root / name).parent.mkdir(parents=True)
        (root / name).touch()
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("root", ["{checkout}", "."])
def test_the_line_of_ones_own_code_is_annotated(run: Any, starter: None, checkout: Path, root: str) -> None:
    ended = run("explain", "--github", stdin=TRACE.format(root=root.format(checkout=checkout)))
    assert (ended.code, ended.err) == (0, "")
    title = "title=psycopg.errors.ConnectionTimeout%3A connection timeout expired"
    assert ended.out.startswith(f"::error file=app/main.py,line=10,{title}::{MESSAGE}")
    assert ended.out.endswith(f"%0A{LINK}\n")
    assert ended.out.count("\n") == 1


def test_places_elsewhere_are_not_named(run: Any, starter: None, checkout: Path) -> None:
    for root in ("/build", "..", "/\udcff", "x" * 5_000):
        ended = run("explain", "--github", stdin=TRACE.format(root=root).encode("utf-8", "surrogateescape"))
        assert ended.out.startswith("::error title=")


def test_nothing_found_prints_nothing(run: Any, starter: None) -> None:
    ended = run("explain", "--github", stdin="all is well")
    assert (ended.code, ended.out) == (3, "")
    assert run("explain", "--github", "--json", stdin="x").code == 2


def test_no_text_begins_another_command(run: Any, import_records: Any, record: Any) -> None:
    import_records(record(errorMessage="zebra\n::set-env name=x::1", solutions=["a\n::stop-commands::x"]))
    ended = run("explain", "--github", stdin="ValueError: zebra\n::set-env name=x::1\n")
    assert ended.code == 0, ended
    assert [line for line in ended.out.splitlines() if not line.startswith("::error ")] == []
