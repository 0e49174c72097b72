"""The search page while somebody types, in a real browser: answers in place, true addresses, the way back, the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page, Route

FOCUSED = "document.activeElement.textContent.trim().replace(/\\s+/g, ' ')"
SHIFTED = """() => {
  window.shifted = 0;
  const add = (list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  };
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
}"""


@pytest.fixture
def silent() -> Iterator[list[str]]:
    """What the console said against the page: nothing, in the end."""
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture
def page(site: str, browser: Browser, silent: list[str]) -> Iterator[Page]:
    """The start of the search, on a screen with room for facets."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=site)
    page = context.new_page()
    page.on("console", lambda entry: silent.append(entry.text) if entry.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: silent.append(str(error)))
    page.goto("/search/")
    yield page
    context.close()


def _is(page: Page, address: str, records: int, words: str) -> None:
    """The page shows what its address asks for, and its box holds the words. No records: the start."""
    page.wait_for_url(f"**{address}")
    page.get_by_role("heading", name=f"{records} record" if records else "How to ask").first.wait_for()
    assert page.locator("#q").input_value() == words
    assert page.title().startswith(words or "Search")
    assert page.locator(".record-title").count() == records


def test_results_come_while_typing_and_the_way_back_is_right(page: Page) -> None:
    page.evaluate(SHIFTED)
    start = page.evaluate("history.length")
    page.keyboard.press("/")
    page.keyboard.type("fue", delay=40)
    _is(page, "/search/?q=fue", 5, "fue")
    assert page.locator("mark").first.text_content() == "fuel"
    page.keyboard.type("l")
    _is(page, "/search/?q=fuel", 5, "fuel")
    assert page.evaluate("history.length") == start + 1  # typing leaves one step to go back, however many letters
    page.keyboard.press("Enter")
    page.locator("#said:text-is('5 records')").wait_for(state="attached")
    page.locator(".facets").get_by_role("link", name="acme/rocket").click()
    _is(page, "/search/?q=fuel&repo=acme%2Frocket", 4, "fuel")
    assert page.evaluate(FOCUSED) == "acme/rocket 4"
    page.locator("#q").press("End")
    page.keyboard.type(" mov")
    _is(page, "/search/?q=fuel+mov&repo=acme%2Frocket", 1, "fuel mov")
    page.get_by_role("link", name="Repository: acme/rocket").click()
    _is(page, "/search/?q=fuel+mov", 1, "fuel mov")
    for address, records, words in (
        ("/search/?q=fuel+mov&repo=acme%2Frocket", 1, "fuel mov"),
        ("/search/?q=fuel&repo=acme%2Frocket", 4, "fuel"),
        ("/search/?q=fuel", 5, "fuel"),
        ("/search/", 0, ""),
    ):
        page.evaluate("history.back()")
        _is(page, address, records, words)
    page.evaluate("history.forward()")
    _is(page, "/search/?q=fuel", 5, "fuel")
    assert page.evaluate("window.shifted") == 0
    page.reload()
    _is(page, "/search/?q=fuel", 5, "fuel")


def test_the_list_is_walked_and_opened_by_keyboard(page: Page) -> None:
    page.locator("#q").fill("fuel")
    _is(page, "/search/?q=fuel", 5, "fuel")
    titles = page.locator(".record-title").all_text_contents()
    page.locator("#q").press("ArrowDown")
    assert page.evaluate(FOCUSED) == titles[0]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUSED) == titles[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.locator("#q").input_value() == "fuel"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="has no fuel in").wait_for()
    page.evaluate("history.back()")
    _is(page, "/search/?q=fuel", 5, "fuel")


def test_an_answer_that_comes_too_late_is_dropped(page: Page) -> None:
    held: list[Route] = []
    addresses: list[str] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    page.route("**/search/results/?q=fuel", hold)
    with page.expect_request("**/search/results/?q=fuel"):
        page.locator("#q").fill("fuel")
    page.locator("#q").fill("heir")
    held[0].continue_()
    _is(page, "/search/?q=heir", 1, "heir")
    assert not [address for address in addresses if "fuel" in address]


def test_a_failing_search_is_told_with_a_way_to_try_again(page: Page, silent: list[str]) -> None:
    page.route("**/search/results/**", lambda route: route.fulfill(status=503, body="away"))
    page.locator("#q").fill("fuel")
    page.get_by_role("alert").get_by_role("link", name="Try again").click()
    _is(page, "/search/?q=fuel", 5, "fuel")
    assert all("503" in text for text in silent)
    silent.clear()


def test_without_a_network_no_word_is_lost(page: Page, silent: list[str]) -> None:
    page.locator("#q").fill("fuel")
    _is(page, "/search/?q=fuel", 5, "fuel")
    page.context.set_offline(True)
    page.locator("#q").fill("fuel mov")
    page.get_by_role("alert").wait_for()
    page.locator(".facets").get_by_role("link", name="acme/rocket").click()
    page.locator(".search-failed a[href*='mov&repo=']").wait_for()
    assert page.locator("#q").input_value() == "fuel mov"
    assert [text for text in silent if "htmx:" not in text and "ERR_INTERNET_DISCONNECTED" not in text] == []
    silent.clear()
    page.context.set_offline(False)  # what failed last is asked again
    _is(page, "/search/?q=fuel+mov&repo=acme%2Frocket", 1, "fuel mov")
