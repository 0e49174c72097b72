"""Everything that a reader can reach by links is there, with hashed static files and without debugging."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

pytestmark = pytest.mark.no_db_matrix

# How many addresses of one shape are opened; a shape is the path with its names left out.
SAMPLES = 4 if os.environ.get("KB_SOAK") == "1" else 2
STARTS = (
    "",
    "search/?q=timeout",
    "docs/api/",
    "admin/",
    "robots.txt",
    "llms.txt",
    "schema.json",
    "status/",
    "releases/",
)
MISSING = ("nowhere/", "errors/no/body/here/", "e/0000000000000000", "api/v1/nowhere/", "static/nothing.css")


class _Links(HTMLParser):
    """Addresses in a page, of every kind that a browser would fetch or a reader could follow."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.found += [value for name, value in attrs if name in {"href", "src"} and value]


def _links(page: Any) -> Iterator[str]:
    """Addresses of the same site in a page."""
    parser = _Links()
    parser.feed(page.text)
    for link in parser.found:
        target = urldefrag(urljoin(page.address, link)).url
        if urlsplit(target).netloc == urlsplit(page.address).netloc:
            yield target


def _shape(address: str) -> str:
    """The kind of page: the first part of the path, how deep it goes, how it ends, and which parameters it takes."""
    parts = urlsplit(address)
    names = parts.path.strip("/").split("/")
    parameters = "&".join(sorted({pair.split("=")[0] for pair in parts.query.split("&")}))
    ending = re.sub(r".*(?=\.)", "", names[-1]) if "." in names[-1] else ""
    return f"{names[0]} {len(names)} {ending} {parameters}"


@pytest.fixture(scope="module")
def catalog(installation: Any, project_root: Path) -> Any:
    datasets = project_root / "fixtures" / "datasets"
    for name, source in (("seed", datasets / "seed" / "seed-record.json"), ("starter", datasets / "starter")):
        ended = installation.faultbook("import", str(source), "--dataset", name, "--quiet")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return installation


def test_every_link_leads_somewhere(catalog: Any, fetch: Callable[[str], Any]) -> None:
    broken: list[str] = []
    with catalog.served("--workers", "1") as (server, root):
        waiting = deque(root + start for start in STARTS)
        seen = set(waiting)
        shapes: Counter[str] = Counter()
        while waiting:
            page = fetch(waiting.popleft())
            if page.status != 200:
                broken.append(f"{page.status} {page.address}")
            if page.kind != "text/html":
                continue
            for link in _links(page):
                shape = _shape(link)
                if link not in seen and shapes[shape] < SAMPLES:
                    shapes[shape] += 1
                    seen.add(link)
                    waiting.append(link)
        server.terminate()
        _, errors = server.communicate()
    assert broken == []
    assert errors == ""
    kinds = {urlsplit(address).path.strip("/").split("/")[0] for address in seen}
    assert {
        "errors",
        "families",
        "codes",
        "classes",
        "tags",
        "search",
        "explain",
        "releases",
        "static",
        "docs",
    } <= kinds


def test_what_does_not_exist_is_not_found_in_its_own_form(catalog: Any, fetch: Callable[[str], Any]) -> None:
    with catalog.served("--workers", "1") as (_, root):
        answers = {path: fetch(root + path) for path in MISSING}
    assert {path: answer.status for path, answer in answers.items()} == dict.fromkeys(MISSING, 404)
    assert answers["api/v1/nowhere/"].kind == "application/problem+json"
    assert answers["nowhere/"].kind == "text/html"
