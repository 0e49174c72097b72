"""The report of a pasted trace in a real browser, with programs and without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.page_checks import TRACE
from tests.web.test_in_the_browser import CUT_OFF, WIDER, visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_trace_is_explained_without_programs(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/")
    page.get_by_role("textbox", name="An error message").fill(TRACE)
    page.get_by_role("button", name="Explain").click()
    assert page.get_by_role("heading", name="2 errors in this text").is_visible()
    assert not page.locator("#pasted").is_visible()
    page.get_by_role("link", name="the whole message fits").click()
    page.wait_for_url("**/#mark-*")
    assert page.locator("mark:target").is_visible()  # the fold opened for it
    assert page.locator("mark:target").inner_text().startswith("first-stage has no fuel")
    page.get_by_role("link", name="FuelError", exact=True).click()
    page.wait_for_url("**/#error-1")
    assert page.locator("#error-1:target").is_visible()
    page.get_by_role("link", name="Copy as Markdown").click()
    assert page.locator("#report-markdown").inner_text().startswith("# 2 errors in this text")
    page.get_by_role("link", name="Open the record").click()
    page.wait_for_url("**/errors/**")
    page.go_back()  # does not ask to send the form again
    assert page.get_by_role("heading", name="2 errors in this text").is_visible()
    context.close()


def test_going_back_leads_to_the_report_and_to_what_was_typed(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/")
    page.locator(".paste textarea").fill(TRACE)
    page.get_by_role("button", name="Explain").tap()
    page.get_by_role("heading", name="2 errors in this text").wait_for()
    page.get_by_role("link", name="Open the record").first.tap()
    page.wait_for_url("**/errors/**")
    page.go_back()
    page.get_by_role("heading", name="2 errors in this text").wait_for()
    page.go_back()
    page.get_by_role("heading", name="What broke?").wait_for()
    assert page.locator(".paste textarea").input_value() == TRACE
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (1280, "light")])
def test_a_report_fits_and_axe_finds_nothing_in_it(site: str, browser: Browser, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, said = visited(context, f"{site}/explain/")
    box = page.get_by_role("textbox", name="An error message")
    low = box.bounding_box()
    box.fill(TRACE)
    high = box.bounding_box()
    assert low
    assert high
    assert low["height"] < high["height"]
    box.press("Control+Enter")
    page.get_by_role("heading", name="2 errors in this text").wait_for()
    beside = page.locator(".tree").bounding_box()
    section = page.locator("#error-1").bounding_box()
    assert beside
    assert section
    assert (beside["x"] > section["x"] + section["width"]) is (width == 1280)
    page.get_by_role("link", name="Copy as Markdown").click()
    page.get_by_text("Copied", exact=True).first.wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("# 2 errors in this text")
    assert not page.locator("#report-markdown").is_visible()
    page.evaluate("document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })")
    assert said == []
    assert page.evaluate(WIDER) == 0
    cut_off = page.evaluate(CUT_OFF)
    assert [
        html for html in cut_off if "paste-drop" not in html
    ] == []  # what the box says in one line is cut on purpose
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(entry["id"], [node["html"][:160] for node in entry["nodes"]]) for entry in violations] == []
    context.close()
