"""The report of an explanation: order, chain, words, and both of its forms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kb.catalog.answers import RecordView
from kb.matching.answers import Capture, Evidence, Explanation, FaultAnswer, Mark, SecretCount
from kb.matching.shapes import Fault
from kb.present.explanation import alike_ids, fault_title, record_ids, report_of
from kb.present.explanation_markdown import explanation_markdown
from kb.present.explanation_page import explanation_page, phrase_html
from kb.records.record import Record
from tests.present.explanations import FRAMES, chained, explanation, fault, match

Make = Callable[..., RecordView]


@pytest.fixture
def one(view_of: Make, record: Record) -> RecordView:
    return view_of(record)


@pytest.fixture
def two(view_of: Make, record: Record) -> RecordView:
    return view_of(msgspec.structs.replace(record, id="b" * 16, repo="other/place", slug="other"))


def test_the_best_comes_first_and_the_chain_is_a_tree(one: RecordView, two: RecordView) -> None:
    report = report_of(chained(one, two), [one], alike=[two.row])
    assert [section.cls for section in report.sections] == ["MetaError", "OuterError"]
    assert [(line.depth, line.relation, line.section.number) for line in report.chain] == [
        (0, "", 2),
        (1, "caused by", 1),
    ]
    assert [section.role for section in report.sections] == ["root cause", "outermost"]
    assert report.left == ("exit code 1",)
    assert report.left_more == 0
    assert report.headline == "2 errors in this text"
    assert report.facts == ("Java", "Python", "2 frames")
    assert report.hidden == "1 secret hidden: password"


def test_a_card_tells_evidence_values_and_the_frame(one: RecordView, two: RecordView) -> None:
    card = report_of(chained(one, two), [one], alike=[two.row]).sections[0].card
    assert card is not None
    assert card.reasons[:2] == ("the whole message fits", "class `MetaError`")
    assert card.doubts == ("another class, `Error`",)
    assert card.frame == 2
    assert "".join(part.text for part in card.message) == "metadata of <b>r1</b> not ready after 250 ms"
    assert [row.id for row in card.alike] == [two.record.id]


def test_no_frame_is_named_that_was_no_reason(one: RecordView) -> None:
    found = match(one, evidence=())
    told = report_of(explanation(FaultAnswer(fault=fault(frames=FRAMES), role="only", matches=(found,))), [one])
    assert told.sections[0].card is not None
    assert told.sections[0].card.frame == 0


def test_a_record_is_shown_whole_once(one: RecordView) -> None:
    twice = FaultAnswer(fault=fault(), role="only", matches=(match(one),))
    report = report_of(explanation(twice, twice), [one])
    assert [(section.card is not None, section.same_as) for section in report.sections] == [(True, 0), (False, 1)]
    assert record_ids(explanation(twice, twice)) == (one.record.id,)


def test_a_match_whose_record_is_not_given_is_told_in_short(one: RecordView) -> None:
    report = report_of(explanation(FaultAnswer(fault=fault(), role="only", matches=(match(one),))), [])
    assert report.sections[0].card is None
    assert [brief.match.id for brief in report.sections[0].matches] == [one.record.id]


def test_few_records_are_asked_for_whatever_the_log_holds(one: RecordView) -> None:
    answers = [
        FaultAnswer(fault=fault(), role="only", matches=(match(one, id=f"{number:016x}", alike=(f"a{number}",)),))
        for number in range(40)
    ]
    made = explanation(*answers, best=answers[30].matches[0], best_fault=30)
    assert len(record_ids(made)) == 12
    assert record_ids(made)[0] == f"{30:016x}"
    assert len(alike_ids(made)) == 12
    assert report_of(made, [one]).sections[0].number == 1


@pytest.mark.parametrize(("status", "headline"), [("none", "No record fits"), ("empty", "nothing to look up")])
def test_nothing_found_is_said(status: str, headline: str) -> None:
    faults = () if status == "empty" else (FaultAnswer(fault=fault("", "x is y", kind="line"), role="only"),)
    report = report_of(explanation(*faults), [])
    assert headline in report.headline
    assert report.sections == ()
    assert report.searched == ("" if status == "empty" else "x is y")


@pytest.mark.parametrize("parents", [(0,), (1, 0), (7,), (None, 0, 0, 1), (1, 2, 0)])
def test_no_chain_runs_in_circles_or_loses_a_section(one: RecordView, parents: tuple[int | None, ...]) -> None:
    faults = [FaultAnswer(fault=fault(parent=parent, relation="cause"), role="middle") for parent in parents]
    report = report_of(explanation(*faults), [one])
    assert len(report.sections) == len(parents)
    assert len(report.chain) <= len(parents)


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ({}, "MetaError: m"),
        ({"cls": ""}, "m"),
        ({"message": ""}, "MetaError"),
        ({"cls": "", "message": ""}, "an error whose message is cut off"),
        ({"message": "a\n  b"}, "MetaError: a b"),
    ],
)
def test_titles(changes: dict[str, Any], title: str) -> None:
    made: Fault = dataclasses.replace(fault(message="m"), **changes)
    assert fault_title(made) == title


# --- HTML -------------------------------------------------------------------------------------------------------------


def test_what_was_pasted_is_marked_and_escaped(one: RecordView, two: RecordView) -> None:
    shown = explanation_page(chained(one, two), [one])
    assert shown.pasted.startswith(
        '<mark class="mark-class">MetaError</mark>: <mark class="mark-message">metadata of &lt;b&gt;'
    )
    assert shown.marked == 2  # one overlaps, one lies outside
    assert "<b>" not in shown.pasted
    assert shown.lines == 3


def test_marks_that_are_no_ranges_are_passed_over() -> None:
    marks = tuple(Mark(start=start, end=end, kind="code") for start, end in ((-3, 2), (4, 4), (6, 5), (1, 3), (2, 4)))
    assert (
        explanation_page(explanation(text="abcdef", marks=marks), []).pasted == 'a<mark class="mark-code">bc</mark>def'
    )


def test_values_stand_in_the_message_the_advice_and_the_code(view_of: Make, record: Record) -> None:
    view = view_of(
        msgspec.structs.replace(
            record, solutions=("Look up `req_id`.", "Wait."), try_catch_pattern="retry(req_id)", validation_code="x"
        )
    )
    answer = FaultAnswer(fault=fault(), role="only", matches=(match(view),))
    card = explanation_page(explanation(answer), [view]).sections[0].card
    assert card is not None
    assert '<span class="filled">&lt;b&gt;r1&lt;/b&gt;</span>' in card.message
    assert card.values == (("req_id", "<b>r1</b>"), ("%d", "250"))
    assert card.steps[0].here == "<code>req_id</code> = <code>&lt;b&gt;r1&lt;/b&gt;</code>"
    assert card.steps[1].here == ""
    folds = {fold.id: fold.here for fold in card.folds}
    assert "req_id" in folds["try-catch"]
    assert folds["validation"] == ""


def test_phrases_mark_code() -> None:
    assert phrase_html("class `A<b>` fits") == "class <code>A&lt;b&gt;</code> fits"


def test_only_short_texts_have_a_link(one: RecordView) -> None:
    assert explanation_page(explanation(text="short: text"), []).url == "/explain/?q=short%3A+text"
    assert explanation_page(explanation(text="x" * 2_001), []).url is None


# --- Markdown ---------------------------------------------------------------------------------------------------------


def test_the_report_as_markdown(one: RecordView, two: RecordView) -> None:
    text = explanation_markdown(chained(one, two), [one], alike=[two.row], base_url="https://kb.example")
    assert text.startswith("# 2 errors in this text\n")
    assert "## 1. `MetaError: metadata of r1 not ready after 250 ms`" in text
    assert "[metadata of {req\\_id} not ready after %d ms](https://kb.example/e/12c38bb1afed0ec1/)" in text or (
        "[metadata of {req_id} not ready after %d ms](https://kb.example/e/12c38bb1afed0ec1/)" in text
    )
    assert "Why this one: the whole message fits; class `MetaError`; raised in" in text
    assert "Against it: another class, `Error`." in text
    assert "(frame 2 of the trace)" in text
    assert "- `req_id` = `<b>r1</b>`" in text
    assert "[other/place](https://kb.example/e/bbbbbbbbbbbbbbbb/)" in text
    assert "1. Retry the request" in text
    assert "Nothing documented fits well. Nearest:" in text
    assert "differs in `never`" in text
    assert "1 secret hidden: password." in text


def test_nothing_of_the_text_becomes_structure(
    one: RecordView, audit: Callable[[str], Any], audit_markdown: Callable[[str], Any], hostile: str
) -> None:
    made = _hostile(one, hostile)
    said = audit_markdown(explanation_markdown(made, [one], alike=[one.row], base_url="https://kb.example"))
    assert [heading[:6] for heading in said.headings] == ["# 2 er", "## 1. ", "### Wh", "### Do", "## 2. "]
    shown = explanation_page(made, [one])
    card = shown.sections[0].card
    assert card is not None
    parts = (shown.pasted, card.message, card.reasons, *(step.here for step in card.steps))
    for part in (*parts, *(fold.here for fold in card.folds)):
        audit(part)


def _hostile(view: RecordView, text: str) -> Explanation:
    found = match(
        view,
        captures=(Capture(placeholder="{req_id}", name="req_id", value=text),),
        evidence=(Evidence(kind="class", text=f"class `{text}` {text}", weight=1),),
        alike=(text,),
        alike_count=1,
    )
    near = match(view, captures=(), evidence=(), differs=text)
    return explanation(
        FaultAnswer(fault=fault(text, text, frames=FRAMES), role="outermost", matches=(found, near), nearest=(near,)),
        FaultAnswer(fault=fault(text, text, parent=0, relation="cause"), role="root", nearest=(near,)),
        FaultAnswer(fault=fault(text, "", kind="line"), role="only"),
        text=text,
        masked=(SecretCount(kind=text, count=2),),
        marks=(Mark(start=0, end=1, kind="class"), Mark(start=2, end=9, kind="message")),
    )


def test_an_error_quoted_in_another_one_is_told_if_it_has_something_to_add(one: RecordView) -> None:
    outer = FaultAnswer(fault=fault("Outer", "a (b: c)"), role="outermost", matches=(match(one),))
    quoted = FaultAnswer(fault=fault("b", "c", parent=0, relation="wrapped"), role="middle")
    inner = FaultAnswer(
        fault=fault("Inner", "d", parent=1, relation="cause"), role="root", matches=(match(one, id="x"),)
    )
    report = report_of(explanation(outer, quoted), [one])
    assert [(section.cls, section.role) for section in report.sections] == [("Outer", "")]
    assert (report.chain, report.left) == ((), ())
    report = report_of(explanation(outer, quoted, inner), [one])
    assert [(line.depth, line.section.cls) for line in report.chain] == [(0, "Outer"), (1, "Inner")]
    assert [section.role for section in report.sections] == ["outermost", "root cause"]
