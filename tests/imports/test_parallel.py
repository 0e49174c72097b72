"""Work in other processes gives what the same work gives here, and whatever happens to them changes nothing else."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kb.imports.parallel import Crew, Work
from kb.imports.preparing import MAKER, Held, decode_outcomes, encode_raws, prepare_here

JOBS = [bytes([number]) * (number * 40_000) for number in range(12)]


def make_work(greeting: bytes) -> Work:
    """What the processes of these tests do: tell their number and the job's length, or fail."""

    def work(job: bytes) -> bytes:
        if job == b"fail":
            raise ValueError(greeting.decode())
        sys.stdout.write("what is printed does not come among the answers\n")
        return b"%d %d" % (os.getpid(), len(job))

    return work


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the processes find the work."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return "test_parallel:make_work"


def _jobs() -> Iterator[tuple[int, bytes]]:
    yield from enumerate(JOBS)


def _answers(crew: Crew) -> tuple[list[tuple[int, int]], set[int]]:
    found = [(beside, *map(int, answer.split())) for beside, answer in crew.run(_jobs())]
    return [(beside, length) for beside, _, length in found], {pid for _, pid, _ in found}


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


EXPECTED = [(number, len(job)) for number, job in enumerate(JOBS)]


def test_answers_come_in_order_from_other_processes_which_then_end(maker: str) -> None:
    with Crew(maker, b"hello", workers=2) as crew:
        found, processes = _answers(crew)
    assert found == EXPECTED
    assert os.getpid() not in processes
    assert all(map(_gone, processes))


def test_the_work_of_a_process_that_was_killed_is_done_here(maker: str) -> None:
    with Crew(maker, workers=1) as crew:
        _, (process,) = _answers(crew)
        os.kill(process, signal.SIGKILL)
        found, processes = _answers(crew)
    assert (found, processes) == (EXPECTED, {os.getpid()})


def test_without_a_process_the_work_is_done_here(maker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with Crew(maker, workers=2) as crew:
        assert _answers(crew) == (EXPECTED, {os.getpid()})


def test_what_the_work_raises_is_raised_here(maker: str) -> None:
    with Crew(maker, b"what was sent first", workers=2) as crew, pytest.raises(ValueError, match="what was sent first"):
        list(crew.run([(1, b"fine"), (2, b"fail")]))


def test_a_crew_that_is_left_early_ends_its_processes(maker: str) -> None:
    with Crew(maker, workers=2) as crew:
        process = int(next(crew.run(_jobs()))[1].split()[0])
    assert _gone(process)


def test_jobs_are_taken_only_a_few_ahead(maker: str) -> None:
    taken = 0

    def counted() -> Iterator[tuple[int, bytes]]:
        nonlocal taken
        for row in enumerate([b"x"] * 100):
            taken += 1
            yield row

    with Crew(maker, workers=2) as crew:
        next(crew.run(counted()))
        time.sleep(0.05)
        assert taken <= 6


# --- the work of an import --------------------------------------------------------------------------------------------


def _raws(record: Callable[..., dict[str, Any]]) -> list[bytes]:
    import json

    odd = [
        record(1), record(2, extraField={"b": 1, "a": [2.5, None]}), record(3, severity="awful"),
        record(4, documentation="\x00 and \ud83d"), record(5, filePath="a/b.h", errorCode="É"),
    ]  # fmt: skip
    return [json.dumps(row).encode() for row in odd] + [b"{", b"", b'{"id": 1}']


def test_other_processes_prepare_what_is_prepared_here(record: Callable[..., dict[str, Any]]) -> None:
    raws = _raws(record)
    fresh = prepare_here(raws, lambda _ids: {})
    held = {row.id: row.digest for row in fresh[:2] if row.id}
    greeting = Held.of(sorted(held.items())).to_bytes()
    with Crew(MAKER, greeting, workers=1) as crew:
        ((_, answer),) = crew.run([(None, encode_raws(raws))])
    there = decode_outcomes(answer)
    assert there == prepare_here(raws, lambda ids: {key: held[key] for key in ids if key in held})
    assert [row.packed is None for row in there] == [True, True, True, False, False, True, True, True]
    assert [bool(row.digest) for row in there] == [True, True, False, True, True, False, False, False]


@pytest.mark.no_db_matrix
@pytest.mark.django_db
def test_an_import_with_other_processes_is_the_same(
    run: Any, layout: Any, record: Any, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import transaction

    from kb.imports import reading

    rows = [record(number, repo=f"acme/r{number % 3}", tags=[f"t{number % 5}"]) for number in range(1, 60)]
    rows += [record(61, severity="awful"), record(1, slug="engine-1-failed"), record(62, slug="engine-2-failed")]
    before, after = layout(rows), layout([*rows[5:], record(70), record(7, severity="info")])
    monkeypatch.setattr(reading, "_BATCH", 7)

    def imported() -> Any:
        told = []
        for source in (before, after):
            report = run(source)
            told.append(
                (report.outcome, report.added, report.changed, report.retired, report.unchanged, report.rejections,
                 report.warnings_told, report.problem_counts, report.samples)
            )  # fmt: skip
        state = stored()
        transaction.set_rollback(True)
        return told, {name: rows for name, rows in state.items() if name != "CatalogState"}  # it tells the time

    with transaction.atomic():
        here = imported()
    monkeypatch.setattr(reading, "_FEW", 1)
    monkeypatch.setattr(reading, "cores", lambda: 2)
    with transaction.atomic():
        there = imported()
    assert here == there


@pytest.mark.django_db
def test_indexes_made_after_the_rows_are_the_same(
    run: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import connection

    from kb.catalog import bulk

    def indexes() -> list[Any]:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")
            else:
                cursor.execute("SELECT indexname, tablename, indexdef FROM pg_indexes ORDER BY indexname")
            return list(cursor.fetchall())

    before = indexes()
    seen: list[int] = []

    def dropping(tables: Sequence[str]) -> list[str]:
        seen.append(len(tables))
        return bulk.drop_indexes(tables)

    monkeypatch.setattr("kb.catalog.publish._MANY", 1)
    monkeypatch.setattr("kb.catalog.publish.drop_indexes", dropping)
    assert run(layout([record(number) for number in range(1, 20)])).added == 19
    assert (indexes(), seen) == (before, [5])
    run(layout([record(number) for number in range(1, 22)]))
    assert seen == [5]  # only where nothing was there
