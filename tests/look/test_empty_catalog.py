"""Before the first import every page is whole, at any width."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.look.inspecting import Look, Visitor, axe_findings, laid_out, told

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from pytest_django.live_server_helper import LiveServer

    from tests.look.pictures import Album

PAGES = {
    "home": "/",
    "explain": "/explain/?q=FuelError%3A+no+fuel",
    "search": "/search/?q=fuel",
    "repositories": "/repositories/",
    "families": "/families/",
    "releases": "/releases/",
    "changes": "/changes/",
    "quality": "/quality/",
    "status": "/status/",
    "about": "/about/",
}


def test_pages_of_an_empty_catalog_are_whole(
    live_server: LiveServer, browser: Browser, settings: Any, tmp_path: Path, album: Album
) -> None:
    settings.KB_INDEX_DIR = tmp_path / "no-index"
    wrong: dict[str, list[str]] = {}
    for look in (Look(width=1280), Look(width=390, scheme="dark")):
        context = browser.new_context(viewport={"width": look.width, "height": look.height}, color_scheme=look.scheme)
        visitor = Visitor(context=context, look=look)
        page = visitor.open()
        for label, path in PAGES.items():
            for problem in visitor.visit(page, live_server.url + path) + laid_out(page) + axe_findings(page):
                wrong.setdefault(problem, []).append(f"{label} {look}")
            album.take(page, str(look), f"empty-{label}")
        context.close()
    assert not wrong, told(wrong)
