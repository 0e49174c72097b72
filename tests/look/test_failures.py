"""Pages that say what went wrong are as whole as the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.look.inspecting import Look, Visitor, axe_findings, laid_out

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

    from tests.look.pictures import Album

LOOKS = (Look(width=1280), Look(width=390, scheme="dark"))
POSTED = "text=" + "a" * 4_000_000
FAILURES = {
    400: ("/about/%ff", None),
    404: ("/nothing/here/at/all", None),
    405: ("/about/", "a=b"),
    413: ("/explain/", POSTED),
    414: (f"/search/?q={'a' * 5000}", None),
    500: ("/about/", None),
    503: ("/search/?q=fuel", None),
}


@pytest.fixture
def failing(request: pytest.FixtureRequest, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Makes the site fail with the status."""
    status: int = request.param
    if status == 500:

        def broken(*_arguments: object) -> None:
            raise RuntimeError("broken on purpose")

        monkeypatch.setattr("kb.web.pages.render_to_string", broken)
        monkeypatch.setattr("kb.web.pages.get_conditional_response", broken)
    elif status == 503:
        settings.KB_INDEX_DIR = tmp_path / "nowhere"
    return status


@pytest.mark.parametrize("failing", FAILURES, indirect=True)
def test_a_failure_is_told_in_a_whole_page(site: str, browser: Browser, failing: int, album: Album) -> None:
    path, posted = FAILURES[failing]

    def post(route: Route) -> None:
        headers = {**route.request.headers, "content-type": "application/x-www-form-urlencoded"}
        route.continue_(method="POST", post_data=posted, headers=headers)

    for look in LOOKS:
        context = browser.new_context(viewport={"width": look.width, "height": look.height}, color_scheme=look.scheme)
        visitor = Visitor(context=context, look=look)
        page = visitor.open()
        if posted:
            page.route(site + path, post)
        problems = visitor.visit(page, site + path, status=failing) + laid_out(page) + axe_findings(page)
        album.take(page, str(look), f"failure-{failing}")
        assert problems == []
        if failing != 500:  # which is a file of its own, as anything else may be what failed
            assert page.get_by_role("main").get_by_role("link").count() > 0
        context.close()
