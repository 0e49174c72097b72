"""The reference page: everything is on it, and nothing that a strict policy would stop."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from kb.api.endpoints import ENDPOINTS
from kb.api.problems import KINDS


class Page(HTMLParser):
    """The ids, links, addresses and inline parts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.assets: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []
        if tag in {"script", "link", "img"} and given.get("rel") != "canonical":
            self.assets += [given[name] or "" for name in ("src", "href") if name in given]
        self.inline += [f"{tag} {name}" for name in given if name.startswith("on") or name == "style"]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in given) else []


@pytest.fixture
def text() -> str:
    """The page as a reader gets it; without a database."""
    return Client().get("/docs/api/").content.decode()


def test_it_tells_every_endpoint_parameter_and_problem(text: str) -> None:
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert set(ENDPOINTS) <= set(page.ids)
    assert {kind.anchor for kind in KINDS.values()} <= set(page.ids)
    for endpoint in ENDPOINTS.values():
        assert f"<code>/api/v1/{endpoint.path}</code>" in text
        for row in endpoint.parameters:
            assert f"<code>{row.name}</code>" in text


def test_the_navigation_says_where_it_is(text: str) -> None:
    assert '<a href="/docs/api/" aria-current="true">API</a>' in text


def test_links_inside_it_lead_somewhere(text: str) -> None:
    page = Page(text)
    inside = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert len(inside) > 40
    assert inside <= set(page.ids)


def test_it_needs_nothing_from_elsewhere_and_nothing_inline(text: str) -> None:
    page = Page(text)
    assert page.inline == []
    assert page.assets
    assert all(asset.startswith("/") and not asset.startswith("//") for asset in page.assets)


def test_the_example_commands_name_this_site(text: str, settings: Any) -> None:
    assert len(re.findall(r"curl (?:-X POST )?'http://testserver/api/v1/", text)) == len(ENDPOINTS)
    settings.KB_BASE_URL = "https://errors.example.org"
    assert "https://errors.example.org/api/v1/errors/" in Client().get("/docs/api/").content.decode()


def test_it_can_be_kept_and_confirmed() -> None:
    first = Client().get("/docs/api/")
    assert Client().get("/docs/api/", headers={"if-none-match": first["etag"]}).status_code == 304
    assert Client().post("/docs/api/").status_code == 405
    assert "set-cookie" not in first.headers
