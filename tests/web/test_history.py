"""The history of records and the pages of changes, through imports as a publisher makes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management import call_command
from django.test import override_settings

from tests.web.conftest import getter, made_record, write_layout
from tests.web.page_checks import assert_a_page, assert_anonymous

Get = Callable[..., Any]
ATOM = "{http://www.w3.org/2005/Atom}"
KEPT = made_record("kept")
OLD = made_record("reworded", documentation="The engine is cold. Wait for it.", solutions=["Wait.", "Heat it."])
NEW = OLD | {
    "documentation": "The engine is hot. Wait for it.",
    "solutions": ["Wait.", "Cool it."],
    "errorCode": "E_HOT",
}
GONE = made_record(
    "gone", errorCode=None, errorMessage="the pump {name} stopped", messagePattern="the pump (.+?) stopped"
)
CODE = made_record("code", sourceCode="def burn():\n    fill()\n", sourceCodeStart=11, sourceCodeEnd=12)
CODE_AFTER = CODE | {"sourceCode": "def burn():\n    raise FuelError\n"}
FRESH = made_record("fresh", repo="acme/other")
RENAMED = FRESH | {"repo": "acme/renamed", "id": "1" * 16}
HOSTILE = made_record("hostile", documentation='<script>alert("x")</script> \u202e one')
HOSTILE_AFTER = HOSTILE | {"documentation": '<script>alert("y")</script> \u202e two', "exampleFix": "</code></pre><b>x"}


@pytest.fixture(scope="module")
def history_catalog(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Three releases of one dataset, for the tests of this file; the directory of the index. Tests only read it."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    releases = (
        (KEPT, OLD, GONE, CODE, HOSTILE),
        (KEPT, NEW, CODE_AFTER, HOSTILE_AFTER),
        (KEPT, NEW | {"slug": "renamed"}, CODE_AFTER, HOSTILE_AFTER, FRESH),
        (KEPT, NEW | {"slug": "renamed"}, CODE_AFTER, HOSTILE_AFTER, RENAMED),
    )
    work = tmp_path_factory.mktemp("history")
    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=work / "index"):
        call_command("flush", interactive=False, verbosity=0)
        for number, records in enumerate(releases, 1):
            source = write_layout(work / str(number), records, version=f"2026-09-0{number}T00:00:00.000Z")
            report = run_import([source], ImportOptions(dataset="rockets", confirm=True))
            assert report.outcome == "published", report.error
        yield work / "index"
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def get(history_catalog: Path, db: None, settings: Any) -> Get:
    settings.KB_INDEX_DIR = history_catalog
    return getter()


def history_of(record: Any, slug: str = "") -> str:
    return f"/errors/{record['repo']}/{slug or record['slug']}/history/"


def test_a_record_links_its_history(get: Get) -> None:
    assert f'href="{history_of(KEPT)}"' in get("/errors/acme/rocket/kept/").text_body
    assert f'href="/e/{GONE["id"]}/history/"' in get(f"/e/{GONE['id']}/").text_body


def test_a_history_tells_what_changed_word_by_word(get: Get) -> None:
    text = get(history_of(NEW, "renamed")).text_body
    assert_a_page(text)
    assert "The engine is <del>cold</del><ins>hot</ins>. Wait for it." in text
    assert "<del>Heat</del><ins>Cool</ins> it." in text
    assert "1 entry unchanged" in text
    assert "<del>reworded</del><ins>renamed</ins>" in text
    assert re.findall(r'<li id="r(\d)">', text) == ["3", "2", "1"]


def test_a_history_tells_code_line_by_line(get: Get) -> None:
    text = get(history_of(CODE)).text_body
    assert "<del>    fill()</del>" in text
    assert "<ins>    raise FuelError</ins>" in text


def test_what_stayed_the_same_has_no_entry(get: Get) -> None:
    assert re.findall(r'<li id="r(\d)">', get(history_of(KEPT)).text_body) == ["1"]


def test_nothing_of_a_record_becomes_markup(get: Get) -> None:
    text = get(history_of(HOSTILE)).text_body
    assert_a_page(text)
    assert "<script>alert" not in text
    assert "<b>x" not in text
    assert "\u202e" not in text


def test_a_retired_record_has_its_history_at_its_permanent_link(get: Get) -> None:
    response = get(f"/e/{GONE['id']}/history/")
    assert response.status_code == 200
    assert "retired" in response.text_body


def test_a_slug_that_moved_leads_to_the_history_of_its_record(get: Get) -> None:
    response = get(history_of(OLD))
    assert (response.status_code, response["Location"]) == (302, f"/e/{OLD['id']}/history/")


@pytest.mark.parametrize(
    "path", ["/errors/acme/rocket/nothing/history/", "/e/0000000000000000/history/", "/changes/9/"]
)
def test_what_never_was_has_no_history(get: Get, path: str) -> None:
    assert get(path).status_code == 404


PAGES = (
    "/changes/",
    "/changes/1/",
    "/changes/2/",
    "/changes/2/?repo=acme%2Frocket",
    "/changes/2/?kind=retired",
    "/changes/?repo=acme%2Frocket",
    "/changes/?repo=acme%2Frocket&kind=changed",
    "/changes/?repo=no%2Fsuch",
    history_of(CODE),
)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_whole_anonymous_and_confirmed(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == 200
    assert_a_page(response.text_body)
    assert_anonymous(response)
    assert get(path, if_none_match=response["ETag"]).status_code == 304


@pytest.mark.parametrize("path", [*PAGES, "/changes/atom.xml", "/changes/atom.xml?repo=acme%2Frocket"])
def test_pages_make_few_queries(get: Get, path: str, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(6):
        assert get(path).status_code == 200


def test_changes_are_told_by_release_and_repository(get: Get) -> None:
    text = get("/changes/").text_body
    assert text.index("Revision 3") < text.index("Revision 2") < text.index("Revision 1")
    assert "3 changed, 1 retired" in text
    whole = get("/changes/3/").text_body
    assert "acme/other" in whole
    part = get("/changes/3/?repo=acme%2Fother").text_body
    assert "fresh has no fuel" in part
    assert "reworded has no fuel" not in part
    assert "fresh has no fuel" not in get("/changes/?repo=acme%2Frocket").text_body


def test_an_address_in_a_renamed_repository_leads_on(get: Get) -> None:
    response = get("/errors/acme/other/fresh/")
    assert (response.status_code, response["Location"]) == (302, "/errors/acme/renamed/fresh/")
    assert get("/acme/other/fresh/")["Location"] == "/errors/acme/other/fresh/"
    assert 'live on as <a href="/errors/acme/renamed/">' in get("/errors/acme/other/").text_body


def test_a_retired_record_names_its_successor_and_stays(get: Get) -> None:
    page = get(f"/e/{FRESH['id']}/").text_body
    assert "This record is retired" in page
    assert 'href="/errors/acme/renamed/fresh/"' in page
    assert "in acme/renamed" in page
    markdown = get(f"/e/{FRESH['id']}/", accept="text/markdown").text_body
    assert f"Its place was taken by [{RENAMED['id']}]" in markdown
    assert get(history_of(FRESH)).status_code == 200


def test_a_kind_narrows_the_changes(get: Get) -> None:
    text = get("/changes/2/?kind=retired").text_body
    assert "the pump" in text
    assert "reworded has no fuel" not in text


def test_a_release_links_what_it_changed(get: Get) -> None:
    release = re.search(r'href="(/releases/\d+/)"', get("/changes/2/").text_body)
    assert release is not None
    assert 'href="/changes/2/"' in get(release[1]).text_body


@pytest.mark.parametrize("query", ["", "?repo=acme%2Frocket"])
def test_the_feed_is_atom(get: Get, query: str) -> None:
    response = get(f"/changes/atom.xml{query}")
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(response.text_body)
    entries = feed.findall(f"{ATOM}entry")
    assert entries
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    updated = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert updated == sorted(updated, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == updated[0]
    assert all(time.endswith("Z") for time in updated)
