"""Before the first import every page answers, and says that there is nothing yet."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kb.search.query import FIELDS
from tests.web.conftest import made_record
from tests.web.page_checks import ALWAYS, ASKING, MACHINES, WITH_DATA, assert_a_page, assert_anonymous
from tests.web.translated import Data, pseudo, template, unmarked

__all__ = ["pseudo", "template"]

Get = Callable[..., Any]


@pytest.mark.parametrize("path", [*ALWAYS, *ASKING])
def test_a_page_of_an_empty_catalog_is_whole(get_empty: Get, path: str) -> None:
    response = get_empty(path)
    assert response.status_code == 200
    assert_a_page(response.text_body)
    assert_anonymous(response)


def test_every_word_of_an_empty_catalog_is_translated(get_empty: Get, pseudo: None) -> None:
    known = Data.of([*FIELDS, "GET", "POST", "acme/rocket"])
    left = {path: unmarked(get_empty(path).text_body, known) for path in (*ALWAYS, *ASKING)}
    assert {path: words for path, words in left.items() if words} == {}


@pytest.mark.parametrize("path", MACHINES)
def test_machines_are_answered(get_empty: Get, path: str) -> None:
    response = get_empty(path)
    assert response.status_code == 200
    assert_anonymous(response)


@pytest.mark.parametrize("path", [path for path in WITH_DATA if not path.startswith("/search/") and "?q" not in path])
def test_what_is_not_there_yet_is_not_found(get_empty: Get, path: str) -> None:
    response = get_empty(path)
    assert response.status_code == 404
    assert_a_page(response.text_body)
    assert_anonymous(response)


def test_the_front_page_says_how_to_begin(get_empty: Get) -> None:
    assert "faultbook import" in get_empty("/").text_body


def test_a_text_finds_nothing(get_empty: Get) -> None:
    response = get_empty("/explain/?q=FuelError:+no+fuel")
    assert response.status_code == 200
    assert "No record fits this text" in response.text_body
    assert_a_page(response.text_body)


def test_an_explanation_says_that_there_is_nothing_to_look_into(get_empty: Get) -> None:
    text = get_empty("/explain/?q=ValueError%3A+the+parcel+is+too+heavy").text_body
    assert_a_page(text)
    assert "the catalog is still empty" in text
    assert "Nothing documented fits well" not in text.partition('id="report-markdown"')[0]


def test_a_catalog_of_one_record_counts_in_the_singular(get_empty: Get, import_records: Callable[..., Any]) -> None:
    import_records(made_record("alone"))
    text = get_empty("/").text_body
    assert_a_page(text)
    plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    assert "1 documented error 1 repository 1 family" in plain
    assert "1 added in acme/rocket" in plain
