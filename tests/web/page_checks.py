"""Addresses of every kind of page, and what holds for each of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

HOSTILE_ID = "5886547cf5882709"
SEED = "/errors/sgl-project/sglang/encode-metadata-not-ready"
TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/src/engine.py", line 12, in burn
    raise FuelError(tank)
FuelError: first-stage has no fuel in a-tank-with-a-name-that-is-much-longer-than-any-telephone-is-wide-so-it-must-break

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/launch.py", line 3, in main
    raise Grounded("no start") from error
Grounded: no start
"""
ALWAYS = (
    "/",
    "/search/",
    "/search/?q=timeout",
    "/repositories/",
    "/repositories/?q=nothing",
    "/families/",
    "/families/?q=nothing",
    "/codes/",
    "/classes/",
    "/tags/",
    "/releases/",
    "/changes/",
    "/changes/?repo=acme%2Frocket",
    "/status/",
    "/about/",
)
ASKING = ("/explain/",)  # takes what a reader typed, also by POST, so nothing is kept
WITH_DATA = (
    "/search/?q=fuel&severity=critical&tag=fuel",
    "/search/?q=severity:nonsense",
    "/search/?q=zzzzqqqq",
    "/repositories/?q=acme",
    "/errors/acme/rocket/",
    "/errors/acme/rocket/?severity=info",
    "/errors/acme/rocket/?status=retired",
    f"{SEED}/",
    "/errors/acme/rocket/first-stage/",
    "/errors/acme/rocket/shared/",
    "/errors/acme/rocket/retired-stage/",
    "/e/12c38bb1afed0ec1/",
    "/e/E_FUEL",
    f"/e/{HOSTILE_ID}",
    "/families/out-of-resources/",
    "/tags/fuel/",
    "/releases/3/",
    "/releases/4/",
    "/changes/4/",
    "/changes/4/?repo=acme%2Frocket&kind=retired",
    "/errors/acme/rocket/first-stage/history/",
    f"/e/{HOSTILE_ID}/history/",
)
FEEDS = ("/families/out-of-resources/atom.xml",)  # of what a catalog may not have
MACHINES = (
    "/robots.txt",
    "/llms.txt",
    "/schema.json",
    "/opensearch.xml",
    "/changes/atom.xml",
    "/sitemap.xml",
    "/sitemaps/repositories.xml",
    "/sitemaps/families.xml",
)


class Outline(HTMLParser):
    """Which elements a page has, and whether they are closed in their order."""

    VOID = frozenset({"meta", "link", "input", "br", "wbr", "hr", "img", "path", "circle"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def assert_a_page(text: str) -> None:
    outline = Outline(text)
    assert outline.open == []
    assert len(outline.named("h1")) == len(outline.named("main")) == len(outline.named("title")) == 1
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert all(below - above <= 1 for above, below in pairwise(levels)), levels
    styles = [attributes for _, attributes in outline.elements if "style" in attributes]
    assert not styles
    assert all(
        attributes.get("src") or attributes.get("type") == "application/ld+json"
        for attributes in outline.named("script")
    )


def assert_anonymous(response: Any) -> None:
    assert "Set-Cookie" not in response.headers
    assert not response.cookies
    assert "cookie" not in response.get("Vary", "").lower()
