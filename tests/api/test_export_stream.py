"""The stream of ``/api/v1/export/`` while the catalog moves on, the database goes, or others stream as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.signals import request_finished
from django.db import OperationalError, close_old_connections
from django.test import Client

from kb.api import export


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_BATCH", 7)


def lines(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in body.splitlines()]


@pytest.fixture
def site(import_records: Any, make: Any, settings: Any) -> Callable[..., Any]:
    """The stream of a catalog of 20 records."""
    settings.KB_RATE_LIMIT = 1_000_000
    import_records(*(make(slug=f"s-{n:02}", errorCode=f"E_{n}") for n in range(20)))

    def get(**query: str) -> Any:
        return Client().get("/api/v1/export/", query)

    return get


def test_it_ends_with_an_error_when_the_revision_changes(site: Any, import_records: Any, make: Any) -> None:
    stream = iter(site().streaming_content)
    begun = next(stream)
    import_records(make(slug="s-03", errorCode="E_3", severity="info"))
    *rest, last = lines(begun + b"".join(stream))
    assert [row["slug"] for row in rest] == [f"s-{n:02}" for n in range(7)]
    assert rest[3]["severity"] == "critical"
    assert last.keys() == {"error"}
    assert last["error"]["code"] == "revision_changed"
    resumed = Client().get(last["error"]["resume"])
    assert [row["slug"] for row in lines(b"".join(resumed.streaming_content))] == [f"s-{n:02}" for n in range(7, 20)]
    again = lines(b"".join(Client().get(last["error"]["restart"]).streaming_content))
    assert (len(again), again[3]["severity"]) == (20, "info")


def test_it_ends_with_an_error_when_the_database_goes(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = iter(site().streaming_content)
    begun = next(stream)

    def gone(*_: Any, **__: Any) -> Any:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(export.queries, "list_ids", gone)
    *rest, last = lines(begun + b"".join(stream))
    assert len(rest) == 7
    assert last["error"]["code"] == "catalog_unavailable"
    assert "closed" not in json.dumps(last)


def test_no_transaction_is_open_between_two_batches(site: Any) -> None:
    from kb.catalog import snapshots

    for _ in site().streaming_content:
        assert getattr(snapshots._open, "view", None) is None


# --- how many at a time -----------------------------------------------------------------------------------------------


def leave(response: Any) -> None:
    """What a server does when the client goes before the first line; the connection is the test's own."""
    request_finished.disconnect(close_old_connections)
    try:
        response.close()
    finally:
        request_finished.connect(close_old_connections)


def test_one_more_than_there_may_be_is_refused(site: Any, settings: Any) -> None:
    settings.KB_EXPORT_STREAMS = 2
    open_ones = [site(), site()]
    refused = site()
    assert (refused.status_code, refused.json()["code"]) == (503, "export_busy")
    assert int(refused["retry-after"]) > 0
    leave(open_ones[0])
    assert len(lines(b"".join(site().streaming_content))) == 20
    assert site().status_code == 200
    assert site().status_code == 503


@pytest.fixture(autouse=True)
def _all_slots_free() -> Any:
    yield
    export._slots._taken = 0


def test_head_takes_no_slot(site: Any) -> None:
    for _ in range(3):
        response = Client().head("/api/v1/export/")
        assert (response.status_code, b"".join(response.streaming_content)) == (200, b"")
    assert export._slots._taken == 0


def test_it_can_be_turned_off(site: Any, settings: Any) -> None:
    settings.KB_EXPORT_STREAMS = 0
    assert (site().status_code, site().json()["code"]) == (403, "forbidden")


def test_a_stream_that_was_read_to_its_end_is_free_again_without_being_closed(site: Any, settings: Any) -> None:
    settings.KB_EXPORT_STREAMS = 1
    kept = []
    for _ in range(3):
        kept.append(site())
        assert kept[-1].status_code == 200
        assert len(lines(b"".join(kept[-1].streaming_content))) == 20
