"""Every kind of page at every width, in both themes, with and without scripts: whole, quiet, light, and axe clean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.look.inspecting import Look, Visitor, axe_findings, laid_out, told
from tests.look.page_kinds import KINDS, NO_PAGES, addresses, url_names

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

    from tests.look.pictures import Album

SOAK = os.environ.get("KB_SOAK") == "1"
WIDTHS = (1440, 1280, 1024, 768, 390, 320)
LOOKS = (
    [
        Look(width=width, scheme=scheme, scripts=scripts)
        for width in WIDTHS
        for scheme in ("light", "dark")
        for scripts in (True, False)
    ]
    if SOAK
    else [Look(width=1280), Look(width=390, scheme="dark")]
)


def test_every_page_of_the_url_map_has_addresses_here() -> None:
    assert url_names() == set(KINDS) | NO_PAGES
    assert not set(KINDS) & NO_PAGES


@pytest.fixture(params=LOOKS, ids=str)
def look(request: pytest.FixtureRequest) -> Look:
    return request.param


@pytest.fixture
def context(browser: Browser, look: Look, staff: str, site: str) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme=look.scheme,
        java_script_enabled=look.scripts,
    )
    context.add_cookies([{"name": "sessionid", "value": staff, "url": site}])
    yield context
    context.close()


def test_every_page_is_whole(
    site: str,
    context: BrowserContext,
    look: Look,
    findings: tuple[str, ...],
    extremes: tuple[str, ...],
    album: Album,
) -> None:
    visitor = Visitor(context=context, look=look)
    pages = (*addresses(findings=findings), *((f"longest-{n}", path) for n, path in enumerate(extremes, start=1)))
    wrong: dict[str, list[str]] = {}
    page = visitor.open()
    for label, path in pages:
        problems = visitor.visit(page, site + path) + laid_out(page)
        if look.scripts and (SOAK or look == LOOKS[0] or label in KINDS):
            problems += axe_findings(page)
        album.take(page, str(look), label)
        for problem in problems:
            wrong.setdefault(problem, []).append(f"{label} {path}")
    assert not wrong, told(wrong)
