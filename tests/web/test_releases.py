"""Imports and revisions as tables: what each changed, beside the others, and how the catalog grew."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.web.page_checks import assert_a_page


@pytest.fixture
def catalog(import_records: Callable[..., Any], record: Callable[..., Any]) -> None:
    """Three revisions: four records of two repositories, one less, and one changed and one come back."""
    rows = [record(number, repo="acme/a" if number < 4 else "acme/b") for number in range(1, 5)]
    import_records(*rows, complete=True)
    import_records(*rows[:3], complete=True)
    rows[0]["documentation"] = "Something else."
    import_records(*rows, complete=True)


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    text = answer.content.decode()
    assert_a_page(text)
    return " ".join(text.split())


def strips(text: str) -> list[tuple[str, list[str]]]:
    """(length, roles of its parts) of each strip."""
    drawn = re.findall(r'<svg class="strip".*?<svg width="([\d.]+)".*?>(.*?)</svg></svg>', text)
    return [(length, re.findall(r'class="fill-(\w+)"', parts)) for length, parts in drawn]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("path", ["/releases/", "/changes/"])
def test_each_row_says_and_shows_what_changed(client: Client, path: str) -> None:
    text = read(client, path)
    words = [text.index(said) for said in ("1 changed, 1 restored", "1 retired", "4 added")]
    assert words == sorted(words)
    assert strips(text) == [("50", ["changed", "restored"]), ("25", ["retired"]), ("100", ["added"])]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("path", ["/releases/", "/status/"])
def test_the_course_of_the_catalog_is_a_table_too(client: Client, path: str) -> None:
    text = read(client, path)
    assert '<svg class="steps-line"' in text
    rows = re.findall(r'<a href="/changes/(\d)/">Revision \d</a></th><td class="number">(\d)</td>', text)
    assert rows == [("3", "4"), ("2", "3"), ("1", "4")]


@pytest.mark.usefixtures("catalog")
def test_a_revision_counts_by_repository_and_can_be_narrowed(client: Client) -> None:
    text = read(client, "/changes/1/")
    assert text.index('href="/changes/1/?repo=acme%2Fa"') < text.index('href="/changes/1/?repo=acme%2Fb"')
    assert 'placeholder="Only in owner/name"' in text
    part = read(client, "/changes/1/?repo=acme%2Fb")
    assert "parcel number 4 is lost" in part
    assert "parcel number 1 is lost" not in part
    assert 'class="bars"' not in part


@pytest.mark.usefixtures("catalog")
def test_a_list_of_changes_narrows_by_kind(client: Client) -> None:
    text = read(client, "/changes/?repo=acme%2Fa&kind=changed")
    assert re.search(r'aria-current="true">Changed</a>', text)
    assert text.count('class="badge change-changed"') == 1
    assert "Nothing here" in read(client, "/changes/?repo=acme%2Fa&kind=retired")


@pytest.mark.usefixtures("catalog")
def test_a_report_tells_a_figure_each_and_the_kind_of_what_was_no_import(client: Client) -> None:
    text = read(client, re.findall(r'href="(/releases/\d+/)"', read(client, "/releases/"))[0])
    figures = dict(re.findall(r"<dt>([A-Z]\w+)</dt><dd>([\d,]+)</dd>", text))
    assert figures == {
        "Added": "0", "Changed": "1", "Retired": "0", "Restored": "1", "Unchanged": "2", "Rejected": "0",
        "Warnings": figures["Warnings"],
    }  # fmt: skip
    assert "None: every record of this import kept to the rules." in text
