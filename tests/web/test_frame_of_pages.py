"""The frame of every page, in a real browser: theme, keys, copying, and pages that say why there is none."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.conftest import getter
from tests.web.page_checks import assert_a_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

FOCUSED = "document.activeElement.name ?? document.activeElement.tagName"
# When the theme was applied, and when the page was painted first.
WATCH = """
  localStorage.setItem("theme", "dark");
  new MutationObserver(() => {
    if (document.documentElement?.dataset.theme) window.themed ??= performance.now();
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-theme"] });
"""
ORDER = """() => new Promise((done) => {
  const painted = (list) => done([window.themed, list.getEntries()[0].startTime]);
  new PerformanceObserver(painted).observe({ type: "paint", buffered: true });
})"""


def test_keys_are_listed_and_can_be_switched_off_for_good(site: str, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}/about/")
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keyboard")
    assert listed.is_visible()
    page.keyboard.press("/")
    assert page.evaluate(FOCUSED) != "q"
    listed.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    assert listed.count() == 0 or not listed.is_visible()
    page.goto(f"{site}/status/")
    for key in ("?", "/"):
        page.keyboard.press(key)
    assert page.get_by_role("dialog").count() == 0
    assert page.evaluate(FOCUSED) != "q"
    assert not page.locator(".site-search kbd").is_visible()
    page.get_by_role("button", name="Keyboard").click()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("/")
    assert page.evaluate(FOCUSED) == "q"
    page.keyboard.press("?")
    assert page.evaluate("document.activeElement.value") == "?"
    context.close()


def test_what_is_copied_is_said_to_those_who_listen(site: str, browser: Browser) -> None:
    allowed = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = allowed.new_page()
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    button = page.locator("#source").get_by_role("button", name="Copy")
    before = button.bounding_box()
    button.focus()
    page.keyboard.press("Enter")
    page.locator("[role=status]", has_text="Copied").wait_for(state="attached")
    after = page.locator("#source").get_by_text("Copied", exact=True).bounding_box()
    assert before
    assert after
    assert before["y"] == after["y"]
    allowed.close()
    refused = browser.new_context()
    page = refused.new_page()
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    page.locator("#source").get_by_role("button", name="Copy").click()
    page.locator("[role=status]", has_text="Copying is not allowed").wait_for(state="attached")
    refused.close()


def test_a_chosen_theme_is_there_before_the_first_paint_however_late_its_script_comes(
    site: str, browser: Browser
) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.add_init_script(WATCH)

    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    page.route("**/js/theme*.js", late)
    page.goto(f"{site}/about/")
    themed, painted = page.evaluate(ORDER)
    assert themed < painted
    context.close()


def test_words_of_machines_and_readers_survive_the_readers_own_colors(site: str, browser: Browser) -> None:
    context = browser.new_context(forced_colors="active", contrast="more", reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{site}/errors/acme/rocket/")
    look = "(box) => getComputedStyle(box).borderTopStyle"
    assert page.locator(".severity").first.evaluate(look) == "solid"
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    context.close()


def test_the_page_of_a_link_is_asked_for_while_the_pointer_rests_on_it(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda entry: said.append(entry.text))
    page.goto(f"{site}/about/")
    page.get_by_role("link", name="Repositories").hover()
    page.wait_for_timeout(1000)  # browsers wait 200 ms before they take it for a wish
    page.get_by_role("link", name="Repositories").click()
    page.wait_for_url("**/repositories/")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].deliveryType") == "navigational-prefetch"
    assert said == []
    context.close()


@pytest.mark.parametrize(
    ("path", "method", "status", "title", "offered"),
    [
        ("/errors/acme/rocket/no-fuel-in-tank/", "get", 404, "Nothing is at this address", 'value="no fuel in tank"'),
        ("/errors/acme/rocket/%3Cimg%20src=x%3E/", "get", 404, "Nothing is at this address", 'value="img src x"'),
        ("/e/0000000000000000/", "get", 404, "Nothing is at this address", 'value=""'),
        ("/search/?q=%00", "get", 400, "This request cannot be read", 'name="q"'),
        ("/search/?q=" + "x" * 5000, "get", 414, "This address is too long", "Longer texts go by POST"),
        ("/about/", "post", 405, "This address does not take that", "GET, HEAD"),
    ],
)
def test_what_cannot_be_answered_says_why_and_offers_the_next_step(
    catalog: Any, path: str, method: str, status: int, title: str, offered: str
) -> None:
    del catalog
    response = getter()(path, method=method, accept="text/html")
    assert response.status_code == status
    assert f"<h1>{title}</h1>" in response.text_body
    assert offered in response.text_body
    assert response["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers
    assert_a_page(response.text_body)


def test_the_page_for_a_broken_server_stands_alone(project_root: Path) -> None:
    page = (project_root / "templates/500.html").read_text(encoding="utf-8")
    assert "{%" not in page
    assert "{{" not in page
    assert_a_page(page)


def test_the_wordmark_is_drawn_the_same_everywhere(project_root: Path) -> None:
    drawn = [
        re.findall(r'<path class="(?:mark|letters)" d="([^"]+)"', (project_root / name).read_text(encoding="utf-8"))
        for name in ("templates/parts/mark.html", "static/img/wordmark.svg", "templates/500.html")
    ]
    assert len(drawn[0]) == 2
    assert drawn[0] == drawn[1] == drawn[2]
