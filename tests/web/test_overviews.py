"""Charts of repositories and terms: every bar leads to as many records as it says, and pages are whole without them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from django.test import override_settings

from kb.records.keys import url_key
from tests.web.conftest import VERSIONS, getter, made_record, write_layout
from tests.web.page_checks import assert_a_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Get = Callable[..., Any]
REPOSITORY = "/errors/acme/varied/"
CLASS = f"/classes/{url_key('Fault')}/"
HOSTILE = '"><img src=x onerror=alert(1)>'
RECORDS = [
    made_record(
        f"v{number}",
        repo="acme/varied" if number % 4 else "acme/rarely",
        errorCode=f"E{number % 2}",
        errorClass=("Fault", "fault", "varied.Fault")[number % 3],
        errorType=("exception", "console")[number // 8],
        severity=("error", "warning", "error", "critical", "info")[number % 5],
        filePath=f"src/part{number % 2}.{('py', 'go')[number % 2]}",
        backgroundTag="out-of-resources" if number % 5 else "other-family",
        tags=["fuel", f"tag-{number % 3}"],
    )
    for number in range(16)
]


@pytest.fixture(scope="module")
def varied(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two revisions: half of the records, then all but one."""
    from django.core.management import call_command

    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    work = tmp_path_factory.mktemp("varied")
    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=work / "index"):
        call_command("flush", interactive=False, verbosity=0)
        for version, records in zip(VERSIONS, (RECORDS[:9], RECORDS[1:]), strict=True):
            source = write_layout(work / version[:10], records, version=version)
            assert run_import([source], ImportOptions(dataset="varied")).outcome == "published"
        yield work / "index"
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def get(varied: Path, db: None, settings: Any) -> Get:
    settings.KB_INDEX_DIR = varied
    return getter()


@pytest.fixture
def get_without_index(varied: Path, db: None, settings: Any, tmp_path: Path) -> Get:
    settings.KB_INDEX_DIR = tmp_path
    return getter()


def bars(text: str) -> list[tuple[str, str, int]]:
    """The bars of a page: label, address, count."""
    found = re.findall(
        r'<a class="bar" href="([^"]*)".*?class="bar-label[^>]*>(.*?)</span>.*?>([\d,]+)</span>', text, re.DOTALL
    )
    return [
        (unescape(label.replace("<wbr>", "")), unescape(href), int(count.replace(",", "")))
        for href, label, count in found
    ]


def listed(text: str) -> int:
    """The records that a page lists, or that a search says it found."""
    return text.count('class="record-title"')


@pytest.mark.parametrize(
    "path",
    [
        REPOSITORY,
        f"{REPOSITORY}?severity=error",
        CLASS,
        f"{CLASS}?repo=acme%2Fvaried",
        f"/codes/{url_key('E1')}/",
        f"/codes/{url_key('E1')}/?class=Fault",
        "/families/out-of-resources/",
        "/families/out-of-resources/?language=Python&type=exception",
        "/tags/fuel/",
        "/tags/fuel/?repo=acme%2Fvaried",
    ],
)
def test_every_bar_leads_to_as_many_records_as_it_says(get: Get, path: str) -> None:
    text = get(path).text_body
    assert_a_page(text)
    found = bars(text)
    assert len(found) > 5
    for label, href, count in found:
        if re.search(rf'href="{re.escape(href.replace("&", "&amp;"))}"[^>]*aria-current', text):
            continue  # it leads back
        assert listed(get(href.partition("#")[0]).text_body) == count, (label, href)


def test_a_repository_is_counted_by_severity_type_class_code_and_file(get: Get) -> None:
    text = get(REPOSITORY).text_body
    shown = {label: count for label, _, count in bars(text)}
    own = [record for record in RECORDS[1:] if record["repo"] == "acme/varied"]
    for name in ("severity", "errorType", "errorClass", "errorCode", "filePath"):
        for value in {record[name] for record in own}:
            assert shown[value] == sum(record[name] == value for record in own)
    grave = [label for label, _, _ in bars(text)][:4]
    assert grave == ["critical", "error", "warning", "info"]


def test_severity_and_type_narrow_together_and_are_turned_off_one_by_one(get: Get) -> None:
    text = get(f"{REPOSITORY}?severity=error&type=exception").text_body
    own = [
        r for r in RECORDS[1:] if (r["repo"], r["severity"], r["errorType"]) == ("acme/varied", "error", "exception")
    ]
    assert listed(text) == len(own) > 0
    assert f"{len(own)} of 12 records" in text
    assert text.count('class="chip" href="/errors/acme/varied/?type=exception#records"') == 1
    assert text.count('class="chip" href="/errors/acme/varied/?severity=error#records"') == 1
    assert 'content="noindex"' in text


def test_records_over_revisions_are_drawn_and_told(get: Get) -> None:
    text = get("/tags/fuel/").text_body
    assert 'class="steps-stroke" d="M0' in text
    rows = re.findall(
        r'<th scope="row"><a href="(/changes/\d/)">Revision (\d), [^<]*</a></th><td class="number">(\d+)', text
    )
    assert rows == [("/changes/2/", "2", "15"), ("/changes/1/", "1", "9")]


@pytest.mark.parametrize("path", [REPOSITORY, CLASS, "/families/out-of-resources/", "/tags/fuel/"])
def test_pages_are_whole_without_the_index_and_say_so_in_their_tag(
    get: Get, get_without_index: Get, settings: Any, varied: Path, tmp_path: Path, path: str
) -> None:
    without = get_without_index(path)
    assert without.status_code == 200
    assert_a_page(without.text_body)
    assert not bars(without.text_body)
    assert listed(without.text_body) > 4
    settings.KB_INDEX_DIR = varied
    drawn = get(path, if_none_match=without["ETag"])
    assert drawn.status_code == 200
    assert bars(drawn.text_body)
    assert get(path, if_none_match=drawn["ETag"]).status_code == 304


def test_without_the_index_a_repository_is_still_narrowed(get_without_index: Get) -> None:
    text = get_without_index(f"{REPOSITORY}?severity=critical").text_body
    assert listed(text) == 2
    assert 'href="/errors/acme/varied/?severity=info#records"' in text


@pytest.mark.parametrize("path", [f"{REPOSITORY}?type=", f"{CLASS}?language=", f"{CLASS}?repo=", "/tags/fuel/?repo="])
def test_a_value_that_no_record_has_is_told_and_leads_back(get: Get, path: str) -> None:
    response = get(path + quote(HOSTILE))
    assert response.status_code == 200
    assert_a_page(response.text_body)
    assert "<img src=x" not in response.text_body
    assert "No record is like that" in response.text_body
    assert f'href="{path.partition("?")[0]}"' in response.text_body


def test_where_two_values_meet_in_no_record_each_can_still_be_exchanged(get: Get) -> None:
    own = {(r["severity"], r["errorType"]) for r in RECORDS[1:] if r["repo"] == "acme/varied"}
    severity, kind = next((s, t) for s in ("info", "critical") for t in ("console", "exception") if (s, t) not in own)
    text = get(f"{REPOSITORY}?severity={severity}&type={kind}").text_body
    assert listed(text) == 0
    assert "0 of 12 records" in text
    assert f'href="{REPOSITORY}?type={kind}&amp;severity=error#records"' in text


def test_letters_of_another_case_find_and_count_nothing(get: Get) -> None:
    text = get(f"{CLASS}?language=python").text_body
    assert listed(text) == 0
    assert not bars(text)


def test_an_unknown_severity_is_passed_over(get: Get) -> None:
    assert listed(get(f"{REPOSITORY}?severity=fatal").text_body) == 12


@pytest.mark.parametrize("path", [REPOSITORY, CLASS, "/families/out-of-resources/", "/tags/fuel/?repo=acme/varied"])
def test_an_overview_costs_few_queries(get: Get, django_assert_max_num_queries: Any, path: str) -> None:
    get(path)
    with django_assert_max_num_queries(5):
        get(path)


@pytest.fixture(scope="module")
def served(varied: Path, django_db_blocker: Any) -> Iterator[str]:
    from pytest_django.live_server_helper import LiveServer

    with django_db_blocker.unblock():
        server = LiveServer("127.0.0.1")
        yield server.url
        server.stop()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_reader_narrows_a_list_by_keyboard_and_widens_it_again(
    served: str, varied: Path, db: None, settings: Any, browser: Browser, *, script: bool
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    settings.KB_INDEX_DIR = varied
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    page = context.new_page()
    page.goto(served + REPOSITORY)
    bar = page.get_by_role("link", name="warning 3")
    assert not bar.is_visible()  # the list comes first on a phone
    page.get_by_text("Counts and filters").focus()
    page.keyboard.press("Enter")
    assert script is False or Axe().run(page).violations_count == 0
    bar.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?severity=warning#records")
    assert page.locator(".records > li").count() == 3
    page.get_by_role("link", name="Remove the filter Severity: warning").click()
    page.wait_for_url(f"**{REPOSITORY}#records")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert bar.is_visible()  # where there is room nothing is folded
    page.goto(f"{served}{CLASS}?severity=error")
    assert page.get_by_role("link", name="error", exact=False).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    context.close()


def test_what_all_records_of_a_term_share_leads_to_its_page(get: Get) -> None:
    text = get("/families/other-family/").text_body
    assert 'Repository: <strong><a href="/errors/acme/varied/">acme/varied</a></strong>' in text
    assert "Severity: <strong>error</strong>" in text
