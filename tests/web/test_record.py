"""The page of a record: light, with its foot and its code, in whatever script and however long."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from tests.web.page_checks import HOSTILE_ID, SEED, assert_a_page
from tests.web.test_in_the_browser import CUT_OFF, WIDER, visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Get = Callable[..., Any]
RECORD = "/errors/acme/rocket/first-stage/"
LONGEST = ("long-message", "wide-lines", "cjk", "right-to-left", "thirty-solutions")
WIDTHS = (320, 390, 768, 1024, 1280, 1440) if os.environ.get("KB_SOAK") == "1" else (320,)
BOTTOMS = """() => [".record-head .raised-line", ".record-meaning p", ".record-solutions li"].map(
  (part) => document.querySelector(part).getBoundingClientRect().bottom,
)"""


def until(page: Page, condition: str) -> None:
    """Wait for a condition. The browser's own way to wait evaluates text in the page, which its policy forbids."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


@pytest.fixture(scope="module")
def catalog(catalog: Path, django_db_blocker: Any, project_root: Path) -> Path:
    """The small catalog, with the longest records beside the hostile one."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=catalog):
        source = project_root / "fixtures/datasets/longest/longest.json"
        report = run_import([source], ImportOptions(dataset="longest"))
        assert (report.outcome, report.added) == ("published", len(LONGEST)), report.error
    return catalog


def test_the_seed_record_is_light(get: Get) -> None:
    body = get(f"{SEED}/").content
    assert len(body) < 50_000
    assert len(gzip.compress(body, 6)) < 25_000


def test_the_foot_says_where_the_record_comes_from_and_counts_its_changes(get: Get) -> None:
    text = " ".join(get("/errors/acme/rocket/new-name/").text_body.split())
    assert 'Analysis of <a href="/errors/acme/rocket/">acme/rocket</a> at <a href="https://github.com/acme/' in text
    assert '<time datetime="2026-08-28T05:10:05Z">28 Aug 2026</time>' in text
    assert "Dataset rockets" in text
    assert ">History, 2 changes</a>" in text
    assert ">History, 1 change</a>" in get(f"{SEED}/").text_body


def test_a_problem_is_reported_where_the_operator_says(get: Get, settings: Any) -> None:
    assert "Report a problem" not in get(f"/e/{HOSTILE_ID}").text_body
    settings.KB_REPORT_URL = "https://example.org/new?title={title}&body={url}%20{id}+{repo}+{dataset}"
    text = get(f"/e/{HOSTILE_ID}").text_body
    assert_a_page(text)
    link = re.search(r'href="(https://example\.org/new\?[^"]+)" rel="noopener nofollow">Report a problem<', text)
    assert link is not None
    assert re.fullmatch(r"[\w./:?=&;%+~-]+", link[1], re.ASCII)
    assert f"%2Fe%2F{HOSTILE_ID}%2F%20{HOSTILE_ID}+hostile%2F~scr%2Bipt" in link[1]
    settings.KB_REPORT_URL = "mailto:errors@example.org?subject={id}"
    assert 'href="mailto:errors@example.org?subject=12c38bb1afed0ec1"' in get(f"{SEED}/").text_body


def test_a_text_of_very_many_lines_scrolls_in_a_frame(get: Get) -> None:
    assert (
        '<div class="long-text" tabindex="0" role="group" aria-label="Long text">' in get(f"/e/{HOSTILE_ID}").text_body
    )
    assert "long-text" not in get(RECORD).text_body


@pytest.mark.parametrize("slug", LONGEST)
def test_the_longest_records_are_whole_pages(get: Get, project_root: Path, slug: str) -> None:
    text = get(f"/errors/longest/records/{slug}/").text_body
    assert_a_page(text)
    records = json.loads((project_root / "fixtures/datasets/longest/longest.json").read_text(encoding="utf-8"))
    record = next(record for record in records if record["slug"] == slug)
    assert len(re.findall(r"<li\b", text.split('id="solutions"')[1].split("</section>")[0])) == len(record["solutions"])


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    page.locator(".hl-bar .wrap-switch").first.wait_for(state="attached")
    return page


@pytest.mark.parametrize("width", WIDTHS)
def test_the_longest_records_fit_every_screen(site: str, browser: Browser, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    for path in (*(f"/errors/longest/records/{slug}/" for slug in LONGEST), f"/e/{HOSTILE_ID}"):
        page, said = visited(context, site + path)
        assert said == [], path
        assert page.evaluate(WIDER) == 0, path
        assert page.evaluate(CUT_OFF) == [], path
        assert page.evaluate("document.documentElement.scrollHeight") < 10_000, path
        page.close()
    context.close()


def test_the_answer_is_above_the_fold(site: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{site}{SEED}/")
    assert max(page.evaluate(BOTTOMS)) < 800
    page.close()


def test_long_lines_wrap_when_the_reader_wants_it_and_stay_so(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = opened(context.new_page(), f"{site}/errors/longest/records/wide-lines/")
    block = page.locator("#source pre")
    wide = "element => element.scrollWidth > element.clientWidth"
    block.focus()
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('#source pre').scrollLeft > 0")
    switch = page.locator("#source .wrap-switch")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.focus()
    page.keyboard.press("Enter")
    assert switch.get_attribute("aria-pressed") == "true"
    assert not block.evaluate(wide)
    opened(page, f"{site}{RECORD}")
    assert page.locator("#source .wrap-switch").get_attribute("aria-pressed") == "true"
    page.locator("#source .wrap-switch").click()
    assert not page.locator("#source .wrap-switch").is_visible()  # nothing of this block needs it
    opened(page, f"{site}/errors/longest/records/wide-lines/")
    assert page.locator("#source pre").evaluate(wide)
    context.close()


def test_lines_have_addresses_and_so_have_ranges(site: str, page: Page) -> None:
    opened(page, f"{site}{SEED}/#source-L1270-L1272")
    picked = "[...document.querySelectorAll('.picked')].map((line) => line.id)"
    assert page.evaluate(picked) == ["source-L1270", "source-L1271", "source-L1272"]
    until(page, "document.querySelector('.picked').getBoundingClientRect().top < innerHeight")
    page.evaluate("location.hash = '#source-L1275-L1274'")  # from its end
    until(page, "document.querySelectorAll('.picked').length === 2")
    page.evaluate("scrollTo(0, 0); location.hash = '#source-L999999'")  # of an older version of the file
    until(page, "document.querySelector('#source .hl').getBoundingClientRect().top < innerHeight")
    assert page.evaluate(picked) == []
    page.locator("#source-L1275 > a").click(position={"x": 6, "y": 6})
    assert page.url.endswith("#source-L1275")
    until(page, "document.querySelectorAll('.picked').length === 0")
    page.locator("#source-L1273 > a").click(position={"x": 6, "y": 6}, modifiers=["Shift"])
    assert page.url.endswith("#source-L1273-L1275")
    assert len(page.evaluate(picked)) == 3
    page.locator(".record-head .raised a").click()
    assert page.url.endswith("#source-L1280")
    page.locator("#source pre").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#source-L1280"
