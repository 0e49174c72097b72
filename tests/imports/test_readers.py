"""Readers while imports run: no error, and never half a release."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest


def _check_one_view() -> None:
    """Everything that a request reads tells the same revision."""
    from kb.catalog import queries
    from kb.catalog.answers import RecordFilter
    from kb.search.engine import search

    with queries.snapshot() as state:
        rows = queries.list_rows(RecordFilter(), limit=100).items
        assert len(rows) == state.records
        assert {row.error_message.rsplit(" ", 1)[1] for row in rows} == {f"release-{state.revision}"}
        term = queries.term("family", "engine-failure")
        assert term is not None
        assert term.record_count == state.records
        found = search("", revision=state.revision, limit=100)
        assert found.revision == state.revision
        assert {hit.id for hit in found.hits} == {row.id for row in rows}


@pytest.mark.django_db(transaction=True)
def test_every_view_is_of_one_revision(transactional_db: None, tmp_path: Path, record: Any, soak: bool) -> None:
    from django.db import connections

    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    def publish(number: int) -> None:
        records = [
            record(n, errorMessage=f"engine {n} failed in release-{number}", messagePattern="engine")
            for n in range(1, 20 + number % 7)
        ]
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(records))
        report = run_import([path], ImportOptions(complete=True))
        assert (report.outcome, report.revision) == ("published", number), report.error

    publish(1)
    ended = threading.Event()
    failures: list[BaseException] = []
    views = [0] * 3  # with the import as many connections as a pool has

    def reading(number: int) -> None:
        try:
            while not ended.is_set():
                _check_one_view()
                views[number] += 1
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=reading, args=(number,)) for number in range(len(views))]
    for thread in threads:
        thread.start()
    try:
        for number in range(2, 120 if soak else 8):
            publish(number)
            assert not failures, failures
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not failures, failures
    assert all(views)
