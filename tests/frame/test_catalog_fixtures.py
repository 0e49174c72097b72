"""The fixtures that fill a catalog leave nothing to the next test, and the site they serve is whole."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from kb.catalog import queries
from kb.imports.options import ImportReport
from kb.search import index

Import = Callable[..., ImportReport]


@pytest.fixture
def seed_record(project_root: Path) -> dict[str, Any]:
    seed = (project_root / "fixtures" / "datasets" / "seed" / "seed-record.json").read_bytes()
    return msgspec.json.decode(seed)["record"]


@pytest.mark.parametrize("time", ["first", "second"])
def test_each_test_begins_with_an_empty_catalog(
    import_records: Import, seed_record: dict[str, Any], client: Client, time: str
) -> None:
    assert queries.state().revision == 0
    assert import_records(seed_record).added == 1
    assert queries.state().records == 1
    assert index.is_usable(1)
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_live_site_shows_seed_and_starter(live_site: str, time: str) -> None:
    with urllib.request.urlopen(f"{live_site}/readyz", timeout=60) as answer:
        assert answer.status == 200
    assert queries.state().datasets == 2
    assert queries.state().records > 60


def test_a_browser_opens_the_live_site(live_site: str, page: Any) -> None:
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("requestfailed", lambda request: problems.append(request.url))
    page.goto(live_site)
    assert "Faultbook" in page.title()
    assert page.evaluate("document.styleSheets.length") > 0
    assert problems == []


def test_a_rejected_record_is_noticed(import_records: Import, seed_record: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        import_records({**seed_record, "severity": "loud"})
    assert import_records({**seed_record, "severity": "loud"}, rejected=1).rejected == 1
