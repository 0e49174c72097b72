"""The ways readers go, once by mouse and once by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.look.inspecting import NOT_OURS, Look, axe_findings, told
from tests.look.page_kinds import KINDS, MAIN_KINDS, addresses
from tests.web.page_checks import TRACE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

FOCUS = (Path(__file__).parent / "focus.js").read_text(encoding="utf-8")
MOST_STOPS = 400
RECORD = re.compile(r"/errors/acme/rocket/first-stage/(#.*)?$")
SOURCE = "def burn():\n    raise FuelError(tank)\n"


class Hand(Protocol):
    """A way to use a page."""

    def use(self, target: Locator) -> None:
        """Follow a link or press a button."""

    def enter(self, target: Locator, text: str) -> None:
        """Put a text into a box, as pasting does."""


class Mouse:
    """Points and clicks."""

    def use(self, target: Locator) -> None:
        target.click()

    def enter(self, target: Locator, text: str) -> None:
        target.click()
        target.page.keyboard.insert_text(text)


class Keyboard:
    """Reaches everything by the Tab key; every stop on the way has to show itself."""

    def use(self, target: Locator) -> None:
        self._reach(target)
        target.page.keyboard.press("Enter")

    def enter(self, target: Locator, text: str) -> None:
        self._reach(target)
        target.page.keyboard.insert_text(text)

    def _reach(self, target: Locator) -> None:
        wanted = target.element_handle()
        for _ in range(MOST_STOPS):
            if target.page.evaluate("wanted => document.activeElement === wanted", wanted):
                return
            target.page.keyboard.press("Tab")
            assert target.page.evaluate(FOCUS)["problems"] == []
        pytest.fail(f"the Tab key does not reach {target}")


@pytest.fixture(params=[Mouse(), Keyboard()], ids=["mouse", "keyboard"])
def hand(request: pytest.FixtureRequest) -> Hand:
    return request.param


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


def _link(page: Page, part: str) -> Locator:
    return page.locator(f"main a[href*='{part}']").first


def test_from_a_pasted_trace_to_the_code_of_its_record(site: str, window: Page, hand: Hand) -> None:
    window.goto(site)
    hand.enter(window.locator("main textarea"), TRACE)
    hand.use(window.locator("main form button[type=submit]"))
    window.wait_for_url("**/explain/**")
    hand.use(_link(window, "/rocket/first-stage/"))
    window.wait_for_url(RECORD)
    copy = window.locator("#source button").filter(has_text=re.compile("copy", re.IGNORECASE)).first
    hand.use(copy)
    window.locator("[role=status]:not(:empty), [aria-live]:not(:empty)").first.wait_for(state="attached")
    assert window.evaluate("navigator.clipboard.readText()") == SOURCE


def test_searching_as_one_types(site: str, window: Page, hand: Hand) -> None:
    window.goto(f"{site}/about/")
    if isinstance(hand, Keyboard):
        window.keyboard.press("/")
        window.keyboard.press("Enter")
    else:
        window.goto(f"{site}/search/")
    window.wait_for_url("**/search/**")
    box = window.locator("main input[type=search]")
    box.focus()
    window.keyboard.type("first-st")
    window.wait_for_url("**q=first-st")
    found = window.locator("main .records a").first
    found.wait_for()
    if isinstance(hand, Keyboard):
        window.keyboard.press("ArrowDown")
        assert window.evaluate("document.activeElement.closest('.records') !== null")
        window.keyboard.press("Enter")
    else:
        found.click()
    window.wait_for_url(RECORD)
    window.go_back()
    window.wait_for_url("**q=first-st")
    assert box.input_value() == "first-st"
    assert found.is_visible()


def test_from_a_repository_by_a_filter_to_a_record(site: str, window: Page, hand: Hand) -> None:
    window.goto(site)
    hand.use(window.locator("header a[href='/repositories/']"))
    window.wait_for_url("**/repositories/")
    hand.use(_link(window, "/errors/acme/rocket/"))
    window.wait_for_url("**/errors/acme/rocket/")
    hand.use(_link(window, "status=retired"))
    window.wait_for_url("**status=retired**")
    hand.use(window.locator("main .records a").first)
    window.get_by_role("heading", level=1, name="retired-stage has no fuel").wait_for()


def test_the_theme_and_the_keys(site: str, window: Page, hand: Hand) -> None:
    window.goto(f"{site}/about/")
    colors = [window.evaluate("getComputedStyle(document.body).backgroundColor")]
    for _ in range(3):
        hand.use(window.locator("header .theme-switch"))
        colors.append(window.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(set(colors)) == 2
    assert colors[0] == colors[-1]
    window.keyboard.press("?")
    dialog = window.get_by_role("dialog")
    dialog.wait_for()
    assert dialog.locator("kbd").count() > 3
    assert axe_findings(window) == []
    window.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


@pytest.mark.parametrize("look", [Look(width=1280), Look(width=390)], ids=str)
def test_every_stop_of_the_tab_key_shows_itself(site: str, browser: Browser, look: Look, *, soak: bool) -> None:
    viewport = {"width": look.width, "height": look.height}
    context = browser.new_context(viewport=viewport, reduced_motion="reduce")  # so that it need not wait for scrolling
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    for label, path in addresses(tuple(KINDS)):
        if path.startswith(NOT_OURS) or not (soak or label in MAIN_KINDS[:4]):
            continue
        page.goto(site + path)
        for _ in range(MOST_STOPS if soak else 60):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUS)
            if not stop["name"]:
                break
            if stop["problems"]:
                wrong.setdefault(stop["problems"][0], []).append(label)
    context.close()
    assert not wrong, told(wrong)
