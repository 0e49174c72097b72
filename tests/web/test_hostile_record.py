"""A record whose every text is hostile is harmless in every page that shows it, and still readable."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.web.page_checks import HOSTILE_ID, Outline, assert_a_page

Get = Callable[..., Any]
ATTRIBUTE = '"><script>alert(1)</script>'
REPOSITORY = "/errors/hostile/~scr%2Bipt_%E5%90%8D%E5%89%8D./"
PAGES = (
    f"/e/{HOSTILE_ID}",
    REPOSITORY,
    "/repositories/?q=hostile",
    "/search/?q=alert",
    f"/search/?q={quote('</title><script>alert(1)</script>')}&tag={quote('<img src=x onerror=alert(1)>')}",
    f"/repositories/?q={quote('<script>alert(1)</script>')}",
    f"/codes/?q={quote(ATTRIBUTE)}",
    "/codes/",
    "/classes/",
    "/families/",
    "/releases/",
    "/releases/2/",
    f"/e/{quote('<script>alert(1)</script>')}",
)
INVISIBLE = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u200b\ufeff\x00]")


def assert_harmless(text: str) -> None:
    """No program, no handler, no style, no address but of the web, nothing that a reader cannot see."""
    outline = Outline(text)
    scripts = [script for script in outline.named("script") if script.get("type") != "application/ld+json"]
    assert all((attributes["src"] or "").startswith("/static/") for attributes in scripts)
    for tag, attributes in outline.elements:
        assert tag not in {"iframe", "object", "embed", "base", "img", "style", "foreignobject"}, tag
        assert not [name for name in attributes if name.startswith("on") or name in {"style", "srcdoc", "formaction"}]
        for name in ("href", "src", "action"):
            address = attributes.get(name) or "/"
            assert re.match(r"(?:/(?!/)|#|\?|https?://)", address), address
    assert not INVISIBLE.search(text)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_that_shows_it_is_harmless_and_whole(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == (404 if path.endswith("%3C/script%3E") and path.startswith("/e/") else 200)
    assert_a_page(response.text_body)
    assert_harmless(response.text_body)


def test_every_page_that_links_from_it_is_harmless(get: Get) -> None:
    links = set(
        re.findall(r'href="(/(?:codes|classes|tags|families|errors)/[^"]+)"', get(f"/e/{HOSTILE_ID}").text_body)
    )
    assert len(links) >= 4
    for link in links:
        response = get(link.replace("&amp;", "&"))
        assert response.status_code == 200, link
        if response["Content-Type"].startswith("text/html"):
            assert_harmless(response.text_body)


def test_its_text_is_there_to_read(get: Get) -> None:
    text = get(f"/e/{HOSTILE_ID}").text_body
    assert "&lt;/script&gt;&lt;!--&lt;script&gt;&lt;img src=x onerror=alert(1)&gt;" in text
    assert "{% debug %}" in text
    assert "U+202E" in text


def test_its_other_forms_are_of_types_that_no_browser_runs(get: Get) -> None:
    for accept in ("application/json", "text/markdown", "text/plain"):
        response = get(f"/e/{HOSTILE_ID}", accept=accept)
        assert response["Content-Type"].partition(";")[0] == accept
        assert response["X-Content-Type-Options"] == "nosniff"


def test_sitemaps_with_it_are_xml(get: Get) -> None:
    for path in ("/sitemap.xml", "/sitemaps/repositories.xml", "/sitemaps/families.xml"):
        root = ET.fromstring(get(path).text_body)
        assert len(root) >= 2


def test_pages_forbid_programs_of_others(get: Get) -> None:
    policy = get(f"/e/{HOSTILE_ID}")["Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == "'self'"
