"""Releases whose every record names its number, programs that import them, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from tests.imports.conftest import make_record, write_layout

ROOT = Path(__file__).resolve().parents[2]
REPOSITORIES = ("acme/rockets", "umbrella/tanks")
PATIENCE = 60  # seconds for what comes at once unless the machine is busy
_MARK = "FAULTBOOK_TEST_PROGRAM"


def marked_release(directory: Path, number: int, *, records: int) -> Path:
    """A published layout: two repositories with so many records each, all of which say the release's number."""
    rows = [
        make_record(
            n,
            repo=repo,
            errorMessage=f"engine {n} failed in release-{number}",
            messagePattern=rf"engine {n} failed in release-{number}",
            documentation=f"Engine {n} stopped in release-{number}. " + "It reported a code. " * 20,
        )
        for repo in REPOSITORIES
        for n in range(1, records + 1)
    ]
    return write_layout(directory, rows, version=f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z")


def watched_ids() -> list[str]:
    """One record of each repository."""
    return [make_record(1, repo=repo)["id"] for repo in REPOSITORIES]


def environment(address: str, data: Path, index: Path, **more: str) -> dict[str, str]:
    """What the programs of one installation are told; nothing of the caller's own is left in it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("KB_")}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "KB_DATABASE_URL": address,
        "KB_DATA_DIR": str(data),
        "KB_INDEX_DIR": str(index),
        "KB_SECRET_KEY": "another key for tests only, long enough to pass the check of it",
        "KB_LOG_LEVEL": "ERROR",
        **more,
    }


@dataclass
class Program:
    """A program of an installation; no process that it started outlives it unnoticed."""

    process: subprocess.Popen[str]
    mark: str

    def wait_for_work(self) -> None:
        """Until it says its first phase on standard error."""
        assert self.process.stderr is not None
        if not self.process.stderr.readline():
            raise AssertionError(self.process.communicate())

    def end(self) -> tuple[str, str]:
        """What it said until its end, which must come; and none of its processes may be left."""
        output = self.process.communicate(timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while left := self._left():
            assert time.monotonic() < deadline, f"processes {left} outlive their program"
            time.sleep(0.02)
        return output

    def _left(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):  # it has just ended
                    if f"{_MARK}={self.mark}".encode() in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
        return found


def start(words: Sequence[str | Path], site: dict[str, str]) -> Program:
    """Starts a command of ``manage.py``."""
    mark = token_hex(8)
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *map(str, words)],
        env={**site, _MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return Program(process, mark)


class Importer:
    """A process that imports one release after another and answers with the reports."""

    def __init__(self, site: dict[str, str]) -> None:
        self.site = site
        command = [sys.executable, "-m", "tests.imports.import_program"]
        self.process = subprocess.Popen(
            command, env=site, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.process.kill()
        self.process.communicate()

    def begin(self, source: Path, *, limit: int | None = None) -> None:
        """Begins an import; no file grows beyond ``limit`` bytes."""
        self._ask({"import": str(source), "limit": limit})

    def report(self) -> dict[str, Any]:
        """The report of the import that was begun."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def run(self, source: Path, *, limit: int | None = None) -> dict[str, Any]:
        """One import from its beginning to its report."""
        self.begin(source, limit=limit)
        return self.report()

    def check(self, number: int, *, records: int, settled: bool = True) -> None:
        """Asserts what :func:`check_sound` does."""
        self._ask({"check": number, "records": records, "settled": settled})
        wrong = self.report()["wrong"]
        assert wrong is None, wrong

    def _ask(self, question: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()


class Readers:
    """Eight readers in two processes that look at the catalog and its search index until they are stopped."""

    def __init__(self, processes: Sequence[subprocess.Popen[str]]) -> None:
        self._processes = processes

    def check(self) -> None:
        """None of them has ended."""
        for process in self._processes:
            if process.poll() is not None:
                raise AssertionError(process.communicate()[0])

    def stop(self) -> list[dict[str, Any]]:
        """What each of the eight saw: ``views``, the ``revisions`` among them, and ``failures`` in words."""
        return [
            json.loads(line)
            for process in self._processes
            for line in process.communicate("", PATIENCE)[0].splitlines()
        ]


@contextmanager
def readers(site: dict[str, str], *words: str) -> Iterator[Readers]:
    """Eight readers while the block runs; they have read once before it begins."""
    command = [sys.executable, "-m", "tests.imports.reader_program", "4", *words, *watched_ids()]
    processes = [
        subprocess.Popen(
            command, env={**site, "KB_THREADS": "4"}, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "reading\n"
        yield Readers(processes)
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def check_sound(number: int, *, records: int, settled: bool = True) -> None:
    """The catalog is wholly that of this release, and so is everything beside it; nothing is left of other runs.

    Where the end of the last run could not be written down (not ``settled``) its release still says that it is running.
    """
    from django.conf import settings

    from kb.catalog import models, queries
    from kb.matching.index import revisions as match_index
    from kb.search import index
    from kb.search.engine import search

    state = queries.state()
    assert (state.revision, state.records) == (number, 2 * records)
    living = [view.record for view in queries.iter_records() if view.retired_revision is None]
    assert {record.error_message.rsplit(" ", 1)[1] for record in living} == {f"release-{number}"}
    assert models.Change.objects.filter(revision=number).count() == 2 * records
    assert not (settled and models.Release.objects.filter(state="running").exists())
    published = models.Release.objects.filter(state="published").order_by("pk").values_list("revision", flat=True)
    assert list(published) == list(range(1, number + 1))
    assert index.is_usable(number)
    assert index.verify(number) == []
    assert match_index.is_usable(number)
    assert search("", revision=number).count == 2 * records
    kept = {str(number), str(number - 1)} if number > 1 else {"1"}
    assert {path.name for path in settings.KB_INDEX_DIR.iterdir() if path.name != "match"} == kept
    spool = settings.KB_DATA_DIR / "spool"
    left = [
        path.name for path in spool.rglob("*") if path.is_file() and path.name != "running.json"
    ]  # see running_import
    assert left == [], left
