"""What the explain page shows of an explanation: the errors as a tree, evidence that leads to the text, what to do."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from kb.catalog import queries
from kb.matching.answers import Confidence, Evidence, Explanation
from tests.web.conftest import ELSEWHERE, HEIR, LIVING, RENAMED
from tests.web.explanations import explained
from tests.web.page_checks import assert_a_page

Get = Callable[..., Any]
Post = Callable[..., Any]


def test_a_report_shows_all_there_is(post: Post, asked: list[str]) -> None:
    response = post("first-stage\r\nhas <b>no</b> fuel")
    text = response.text_body
    assert asked == ["first-stage\nhas <b>no</b> fuel"]
    assert_a_page(text)
    assert "2 errors in this text" in text
    assert 'first-stage has no fuel in <span class="filled">&lt;i&gt;left&lt;/i&gt;</span>' in text
    for part in (
        "confidence-strong",
        "Why this one:",
        "<code>FuelError</code>",
        "src/engine.py:12",
        "Do this",
        "Fill the tank.",
    ):
        assert part in text, part
    for part in (
        "Catch it",
        "Also close",
        "differs in “second”",
        "2 other records;",
        "caused by",
        "root cause",
        "outermost",
    ):
        assert part in text, part
    assert "Nothing documented fits well. Nearest:" in text
    assert '<mark id="mark-1" class="mark-message"><a href="#error-1">fir</a></mark>st-stage' in text
    assert '<pre id="pasted"' in text
    assert 'href="#report-markdown" data-copy="#report-markdown"' in text
    assert "1 secret hidden: password" in text
    assert "<i>left" not in text
    assert "<b>no" not in text
    assert "Here <code>tank</code>" in text


@pytest.mark.parametrize(("confidence", "is_doubtful"), [("exact", False), ("strong", False), ("weak", True)])
def test_a_weak_match_is_shown_with_a_warning(
    post: Post, monkeypatch: pytest.MonkeyPatch, confidence: Confidence, is_doubtful: bool
) -> None:
    def explain(text: str) -> Explanation:
        made = explained(text)
        best = dataclasses.replace(made.faults[0].matches[0], confidence=confidence)
        return dataclasses.replace(made, faults=(dataclasses.replace(made.faults[0], matches=(best,)),))

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)
    text = post("x").text_body
    assert ("It may be another error" in text) is is_doubtful
    assert "<title>1 error in this text · Faultbook</title>" in text


def test_a_frame_that_was_a_reason_is_named(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(text: str) -> Explanation:
        made = explained(text)
        evidence = (Evidence(kind="frame", text="raised in `src/engine.py` as in frame 1", weight=0.4),)
        best = dataclasses.replace(made.faults[0].matches[0], evidence=evidence)
        return dataclasses.replace(made, faults=(dataclasses.replace(made.faults[0], matches=(best,)),))

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)
    assert re.search(r'<a class="card-frame" href="#pasted">your frame 1</a>', post("x").text_body)


@pytest.mark.parametrize(("faults", "is_folded"), [(1, False), (2, True), (9, True)])
def test_the_errors_are_listed_beside_the_report(
    post: Post, monkeypatch: pytest.MonkeyPatch, faults: int, is_folded: bool
) -> None:
    made = explained("x", faults)
    monkeypatch.setattr("kb.web.views.explaining.explain", lambda _text: made)
    text = post("x").text_body
    tree = re.search(r'<nav class="tree.*?</nav>', text, re.DOTALL)
    assert tree
    assert sorted(re.findall(r'href="#(error-\d+)"', tree[0])) == sorted(re.findall(r'<section id="(error-\d+)"', text))
    assert ("<details open>" not in tree[0]) is is_folded
    assert "caused by" in tree[0]
    assert_a_page(text)


def test_of_many_records_the_first_are_open(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = queries.record_rows([record["id"] for record in (LIVING, ELSEWHERE, HEIR, RENAMED)])
    made = explained("x")
    best = made.faults[0].matches[0]
    faults = tuple(
        dataclasses.replace(made.faults[0], matches=(dataclasses.replace(best, id=row.id, row=row, alike=()),))
        for row in rows
    )
    monkeypatch.setattr(
        "kb.web.views.explaining.explain", lambda _text: dataclasses.replace(made, faults=faults, best=best)
    )
    text = post("x").text_body
    assert text.count("<h3>Do this</h3>") == 4
    assert text.count("<summary>What it means, and what to do</summary>") == 1
    assert_a_page(text)


@pytest.mark.parametrize(
    ("sent", "told"),
    [("1", "1 secret hidden before it was sent"), ("12", "12 secrets hidden before they were sent"), ("0", ""),
     ("-3", ""), ("99999", ""), ("<b>", ""), ("²", "")],
)  # fmt: skip
def test_what_the_browser_hid_is_told(post: Post, asked: list[str], sent: str, told: str) -> None:
    text = post(body=urlencode({"text": "x", "hidden": sent}).encode()).text_body
    assert told in text
    assert ("before" in re.sub("<template.*|Secrets are hidden in your browser before", "", text)) is bool(told)


@pytest.mark.parametrize(("sent", "is_told"), [("1", True), ("0", False), ("", False), ("<b>", False)])
def test_a_text_of_which_only_the_end_came_says_so(post: Post, asked: list[str], sent: str, is_told: bool) -> None:
    text = post(body=urlencode({"text": "x", "cut": sent}).encode()).text_body
    assert ("the last part of a longer text" in text) is is_told


def test_a_record_without_steps_opens_what_else_helps(
    post: Post, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "<details>\n          <summary>Catch it" in post("x").text_body
    by_ids = queries.records_by_ids

    def without_steps(ids: Any) -> Any:
        views = by_ids(ids)
        return [dataclasses.replace(view, record=msgspec.structs.replace(view.record, solutions=())) for view in views]

    monkeypatch.setattr(queries, "records_by_ids", without_steps)
    text = post("x").text_body
    assert "<details open>\n          <summary>Catch it" in text
    assert text.count("<details open>\n          <summary>") == text.count("<summary>Catch it")
    assert_a_page(text)


def test_a_short_text_has_a_link_that_answers_the_same(get: Get, post: Post, asked: list[str]) -> None:
    shown = post("a message: 1+1 & é").text_body
    link = re.search(r'href="(/explain/\?q=[^"]+)"[^>]*>Link to this', shown)
    assert link
    assert get(link[1]).text_body == shown
    assert asked == ["a message: 1+1 & é"] * 2
    assert "Link to this" not in post("x" * 2_001).text_body


@pytest.mark.parametrize("faults", [1, 30])
def test_queries_are_the_same_whatever_is_found(
    post: Post, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any, faults: int
) -> None:
    made = explained("x", faults)
    monkeypatch.setattr("kb.web.views.explaining.explain", lambda _text: made)
    with django_assert_num_queries(3):  # the state, the records shown whole, those alike
        assert post("x").status_code == 200
