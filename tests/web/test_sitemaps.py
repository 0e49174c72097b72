"""Sitemaps: every current record once, in files of bounded size, and nothing that is not there."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from kb.web.views import sitemaps
from tests.web.conftest import ELSEWHERE, HEIR, LIVING, MOVED, RENAMED, record_url

Get = Callable[..., Any]
SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
HOST = "http://testserver"


def locations(text: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(text).iter(f"{SPACE}loc")]


def records_of(get: Get) -> list[str]:
    files = [address for address in locations(get("/sitemap.xml").text_body) if "/records-" in address]
    return [address for file in files for address in locations(get(file.removeprefix(HOST)).text_body)]


@pytest.mark.parametrize("aimed_at", [2_500, 3, 1])
def test_every_current_record_is_listed_once(get: Get, monkeypatch: pytest.MonkeyPatch, aimed_at: int) -> None:
    monkeypatch.setattr(sitemaps, "_AIMED_AT", aimed_at)
    found = records_of(get)
    assert len(found) == len(set(found)) == 7
    ours = (
        LIVING,
        ELSEWHERE,
        {**MOVED, "slug": "moved-away"},
        {**HEIR, "slug": "shared"},
        {**RENAMED, "slug": "new-name"},
    )
    assert {f"{HOST}{record_url(record)}" for record in ours} < set(found)


def test_every_address_is_answered(get: Get) -> None:
    for file in locations(get("/sitemap.xml").text_body):
        for address in locations(get(file.removeprefix(HOST)).text_body):
            assert get(address.removeprefix(HOST)).status_code == 200, address


def test_ranges_cover_all_ids_without_a_gap() -> None:
    for count in (0, 1, 2_500, 2_501, 498_785):
        bounds = sitemaps._bounds(count)
        assert bounds == sorted(set(bounds))
        assert len(bounds) == -(-count // 2_500)
        assert bounds[:1] == ["0" * 16][:count]


def test_a_range_that_is_none_is_not_found(get: Get) -> None:
    assert get("/sitemaps/records-0000000000000001.xml").status_code == 404


def test_changes_are_dated_by_the_record(get: Get) -> None:
    text = get("/sitemaps/records-0000000000000000.xml").text_body
    assert "<lastmod>2026-08-28</lastmod>" in text
