"""In a real browser: the comforts work, and the pages without them. What holds for every page is in tests/look."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Boxes whose text is wider than they are, though neither they nor anything round them scrolls or cuts on purpose.
CUT_OFF = """() => [...document.querySelectorAll("main *, header *, footer *")].filter((box) => {
  if (box.scrollWidth <= box.clientWidth + 1 || box.clientWidth === 0) return false;
  const onPurpose =
    "pre, table, input, textarea, [tabindex='0'], .visually-hidden, .fact-label, .record-excerpt, .crumbs li";
  if (box.closest(onPurpose)) return false;
  return box.checkVisibility() && getComputedStyle(box).display !== "inline";
}).map((box) => box.outerHTML.slice(0, 120))"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def visited(context: BrowserContext, url: str) -> tuple[Page, list[str]]:
    """The page at ``url``, and what the console said against it."""
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda entry: said.append(entry.text) if entry.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(url)
    return page, [text for text in said if "status of 404" not in text]


def test_the_search_works_without_programs(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/")
    page.get_by_role("searchbox").fill("fuel")
    page.get_by_role("searchbox").press("Enter")
    assert page.get_by_role("heading", name="5 records").is_visible()
    assert not page.get_by_role("link", name="critical").first.is_visible()
    page.locator(".facets > summary").click()
    page.get_by_role("link", name="acme/rocket").first.click()
    assert page.get_by_role("heading", name="4 records").is_visible()
    assert page.get_by_text("1 on").is_visible()
    page.get_by_role("link", name="has no fuel in").first.click()
    assert page.get_by_role("heading", name="What it means").is_visible()
    context.close()


def test_the_theme_is_chosen_and_kept(site: str, browser_context: BrowserContext) -> None:
    page = browser_context.new_page()
    page.goto(f"{site}/about/")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    switch = page.get_by_role("button", name="Theme")
    switch.click()
    switch.click()
    assert switch.get_attribute("aria-label") == "Theme: dark"
    dark = page.evaluate(background)
    assert dark != light
    page.goto(f"{site}/status/")
    assert page.evaluate(background) == dark
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(background) == light


def test_a_slash_goes_to_the_search_box(site: str, page: Page) -> None:
    page.goto(f"{site}/about/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("a/b")
    assert page.evaluate("document.activeElement.value") == "a/b"


def test_code_is_copied_without_its_line_numbers(site: str, browser: Browser) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{site}/errors/acme/rocket/first-stage/")
    page.locator("#source").get_by_role("button", name="Copy").click()
    page.locator("#source").get_by_text("Copied", exact=True).wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "def burn():\n    raise FuelError(tank)\n"
    context.close()


def test_the_outline_is_beside_the_text_and_folds_on_a_phone(site: str, browser: Browser) -> None:
    for width, beside in ((1280, True), (390, False)):
        context = browser.new_context(viewport={"width": width, "height": 800})
        page = context.new_page()
        page.goto(f"{site}/errors/acme/rocket/first-stage/")
        link = page.locator(".outline").get_by_role("link", name="How to fix it")
        assert link.is_visible() is beside
        if not beside:
            page.get_by_text("On this page").click()
        link.click()
        page.wait_for_url("**/#solutions")
        assert page.locator("#solutions").is_visible()
        context.close()


def test_the_keyboard_reaches_the_content_first(site: str, page: Page) -> None:
    page.goto(f"{site}/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
