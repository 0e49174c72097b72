"""The front page: errors to try that are true, what is in the catalog, and what changed last."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import unquote_plus

from kb.catalog import queries
from kb.matching.engine import explain
from kb.web.examples import Example, examples
from tests.web.conftest import LIVING
from tests.web.page_checks import assert_a_page

Get = Callable[..., Any]


def test_the_examples_are_errors_of_the_catalog_that_are_found(get: Get) -> None:
    text = get("/").text_body
    tried = re.findall(r'<li><a href="/explain/\?q=([^"]+)" rel="nofollow" translate="no">', text)
    assert 1 <= len(tried) <= 3
    texts = [unquote_plus(unescape(words)) for words in tried]
    assert "MMError: encode metadata not ready" in texts
    for words in texts:
        found = explain(words)
        assert found.best
        assert found.best.confidence in {"exact", "strong"}
        assert words == f"{found.best.row.error_class}: {found.best.row.error_message}"


def test_examples_differ_and_stand_as_they_are_printed(get: Get) -> None:
    row = queries.record_rows([LIVING["id"]])[0]
    rows = [
        dataclasses.replace(row, repo=repo, error_class=cls, error_message=message, language=language)
        for repo, cls, message, language in (
            ("a/a", "AError", "the first thing failed", "Go"),
            ("a/a", "BError", "of the same repository", "Rust"),
            ("b/b", "CError", "of the same language", "Go"),
            ("c/c", "AError", "of the same class again", "Ruby"),
            ("d/d", "ValueError", "of nobody in particular", "PHP"),
            ("e/e", "EError", "with a {gap} in the middle", "PHP"),
            ("f/f", None, "without a class at all", "PHP"),
            ("h/h", "_inner.HError", "of an inner module", "PHP"),
            ("g/g", "GError", "of another language", None),
        )
    ]
    assert examples(rows) == (
        Example(text="AError: the first thing failed", language="Go"),
        Example(text="GError: of another language", language=""),
        Example(text="CError: of the same language", language="Go"),
    )


def test_what_changed_last_is_told_with_counts_and_places(get: Get) -> None:
    text = _plain(get("/").text_body)
    last = text[text.index("Changed last") :]
    assert "3 changed, 1 retired in acme/rocket" in last
    assert "6 added in acme/rocket and 1 other repository" in last
    assert last.index("retired in acme/rocket") < last.index("6 added in acme/rocket")
    assert 'href="/changes/4/"' in get("/").text_body
    assert 'href="/changes/"' in get("/").text_body


def test_a_large_revision_is_told_by_its_dataset(get: Get, monkeypatch: Any) -> None:
    monkeypatch.setattr("kb.web.views.home._MOST_COUNTED", 3)
    text = _plain(get("/").text_body)
    assert "6 added in the dataset rockets" in text
    assert "in acme/rocket and" not in text


def test_a_catalog_whose_changes_are_not_kept_says_so(get: Get, monkeypatch: Any) -> None:
    nothing = dataclasses.replace(queries.revisions(), items=())
    monkeypatch.setattr("kb.web.views.home.queries.revisions", lambda **_: nothing)
    response = get("/")
    assert_a_page(response.text_body)
    assert "Nothing has changed" in response.text_body


def _plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text[text.index("<main") :]).split())
