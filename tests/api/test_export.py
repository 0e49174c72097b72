"""``/api/v1/export/``: whole records of one revision as a stream, with the filters of lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kb.api import export

Get = Callable[..., Any]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_BATCH", 7)


def lines(body: bytes) -> list[dict[str, Any]]:
    assert body == b"" or body.endswith(b"\n")
    return [json.loads(line) for line in body.splitlines()]


def listed(get: Get, **filters: str) -> list[str]:
    """Ids by the list with the same filters."""
    found: list[str] = []
    path: str | None = "errors/"
    query: dict[str, str] | None = {**filters, "limit": "100"}
    while path:
        page = get(path, query).json()
        found += [row["id"] for row in page["results"]]
        path, query = (page["next"] or "").removeprefix("http://testserver") or None, None
    return found


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"status": "all"},
        {"status": "retired"},
        {"repo": "psf/requests"},
        {"severity": "error", "language": "Python"},
        {"tag": "network"},
        {"family": "out-of-resources", "class": "FuelError"},
        {"code": "e_fuel", "type": "exception"},
        {"dataset": "starter", "strategy": "retry"},
    ],
)
def test_it_holds_what_the_list_lists(get: Get, filters: dict[str, str]) -> None:
    response = get("export/", filters)
    assert response.status_code == 200
    assert response["content-type"] == "application/x-ndjson"
    assert response["content-disposition"].startswith("attachment; filename=")
    assert [row["id"] for row in lines(response.body)] == listed(get, **filters)


def test_records_come_field_for_field(get: Get) -> None:
    for row in lines(get("export/", {"repo": "acme/rocket"}).body):
        assert list(row.items()) == list(get(f"errors/{row['id']}/").json()["record"].items())


@pytest.mark.parametrize("query", [{"severty": "error"}, {"severity": "awful"}, {"cursor": "nonsense"}, {"limit": "3"}])
def test_what_is_wrong_is_told_before_the_stream_begins(get: Get, query: dict[str, str]) -> None:
    response = get("export/", query)
    assert response.status_code == 400
    assert response["content-type"] == "application/problem+json"
