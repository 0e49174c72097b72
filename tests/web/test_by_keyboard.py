"""By keyboard alone and on paper, in a real browser: the focus is where it is expected, seen, and told once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOCUSED = "(() => { const box = document.activeElement; return box.id || box.textContent.trim(); })()"
NAMED = "document.activeElement.getAttribute('aria-label')"
RINGED = "getComputedStyle(document.activeElement).outlineStyle"
# What the live regions say, in the order in which they say it.
LISTEN = """() => {
  window.said = [];
  const heard = (changes) => {
    for (const { target } of changes) if (target.textContent.trim()) window.said.push(target.textContent.trim());
  };
  for (const region of document.querySelectorAll("[role=status]")) {
    new MutationObserver(heard).observe(region, { childList: true });
  }
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    yield context.new_page()
    context.close()


def test_a_slash_goes_to_the_box_that_shows_it(site: str, page: Page) -> None:
    for path, box in (("/repositories/", "site-q"), ("/errors/acme/rocket/", "site-q"), ("/search/", "q")):
        page.goto(site + path)
        page.keyboard.press("/")
        assert page.evaluate(FOCUSED) == box


def test_the_page_keeps_up_with_the_tab_key(site: str, page: Page) -> None:
    page.goto(f"{site}/docs/api/")
    page.locator(".site-footer a").last.focus()
    assert page.evaluate("document.activeElement.getBoundingClientRect().bottom <= innerHeight")


def test_the_open_menu_closes_when_the_focus_leaves_it(site: str, page: Page) -> None:
    page.set_viewport_size({"width": 768, "height": 800})
    page.goto(f"{site}/")
    menu = page.locator(".site-menu")
    menu.locator("summary").press("Enter")
    menu.get_by_role("link", name="API").focus()
    assert menu.get_attribute("open") is not None
    page.keyboard.press("Tab")
    assert menu.get_attribute("open") is None


def test_copying_is_told_once(site: str, page: Page) -> None:
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    page.evaluate(LISTEN)
    button = page.locator("#source").get_by_role("button", name="Copy")
    name = button.get_attribute("aria-label")
    assert name == "Copy: Python code, lines 11 to 12; line 12 raises the error"
    button.press("Enter")
    page.locator("#source").get_by_text("Copied").wait_for()
    page.locator("[role=status]", has_text="Copied").wait_for(state="attached")
    assert page.evaluate("window.said") == ["Copied"]
    assert page.evaluate(NAMED) == name


def test_the_keys_are_read_from_their_title_on(site: str, page: Page) -> None:
    page.goto(f"{site}/about/")
    page.keyboard.press("?")
    assert page.evaluate(FOCUSED) == "keys-title"
    page.keyboard.press("Space")
    assert page.get_by_role("checkbox").is_checked()


def test_arrows_lead_from_the_number_of_the_raising_line_to_the_others(site: str, page: Page) -> None:
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    page.get_by_role("link", name="Link to line 12").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(NAMED).startswith("Link to line 12")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(NAMED) == "11"
    page.keyboard.press("Enter")
    page.wait_for_url("**/#source-L11")
    page.get_by_role("link", name="11", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**/#source-L11-L12")
    assert page.locator(".line.picked").count() == 2


def test_the_filters_can_be_passed_and_their_results_are_told_once(site: str, page: Page) -> None:
    page.goto(f"{site}/search/?q=fuel&repo=acme/rocket")
    page.evaluate(LISTEN)
    page.locator(".search-chosen a").press("Enter")
    page.wait_for_url("**/search/?q=fuel")
    page.get_by_role("heading", name="5 records").wait_for()
    assert page.evaluate(FOCUSED) == "count"
    assert page.evaluate(RINGED) != "none"
    page.wait_for_timeout(900)  # a live region would have said it by now
    assert page.evaluate("window.said") == []
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('.records') !== null")
    page.get_by_role("button", name="Search").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Skip the filters"
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "count"


def test_an_empty_box_says_that_it_is_empty(site: str, page: Page) -> None:
    page.goto(f"{site}/")
    page.get_by_role("button", name="Explain").press("Enter")
    page.wait_for_url("**/explain/")
    page.locator("#text:focus").wait_for()
    box = page.get_by_role("textbox", name="An error message")
    assert box.get_attribute("aria-invalid") == "true"
    described = str(box.get_attribute("aria-describedby")).split()
    assert page.locator(f"#{described[0]}").inner_text().startswith("The box was empty.")


def test_a_report_on_paper_shows_what_was_folded(site: str, page: Page) -> None:
    page.goto(f"{site}/explain/?q=first-stage has no fuel in tank")
    code = page.locator(".folds pre").first
    assert not code.is_visible()
    page.emulate_media(media="print")
    assert code.evaluate("(box) => box.checkVisibility({ contentVisibilityAuto: true })")


def test_a_record_on_paper_tells_its_address_and_ends_there(site: str, page: Page) -> None:
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    page.emulate_media(media="print")
    link = page.get_by_role("link", name="Permanent link")
    assert link.is_visible()
    assert link.evaluate("(box) => getComputedStyle(box, '::after').content").startswith('"/e/')
    assert not page.get_by_role("link", name="History").is_visible()
    assert not page.get_by_text("All details").last.is_visible()
