"""The program, run in this process on a small catalog."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connections

from kb.cli import program

TIMEOUT_TRACE = """\
Traceback (most recent call last):
  File "/app/main.py", line 10, in <module>
    connect()
  File "/usr/lib/python3/site-packages/psycopg/connection.py", line 90, in connect
    raise ex
psycopg.errors.ConnectionTimeout: connection timeout expired
"""


@dataclass(frozen=True)
class Ended:
    """What a command did."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def trace() -> str:
    """A trace whose record the starter dataset has."""
    return TIMEOUT_TRACE


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``faultbook WORDS…`` with ``stdin`` as standard input."""

    def ran(*words: str | Path, stdin: str | bytes = b"") -> Ended:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(connections, "close_all", lambda: None)  # the test's transaction is in it
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        try:
            code = program.main([str(word) for word in words])
        except SystemExit as end:
            code = int(end.code or 0)
        shown = capsys.readouterr()
        return Ended(code, shown.out, shown.err)

    return ran
