"""The report of an explanation: order, chain, words, and both of its forms."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.utils.safestring import SafeString

from kb.catalog.answers import RecordView
from kb.matching.answers import Capture, Evidence, Explanation, FaultAnswer, Mark, SecretCount
from kb.matching.shapes import Fault
from kb.present.explanation import alike_ids, fault_title, record_ids, report_of
from kb.present.explanation_cards import phrase_html
from kb.present.explanation_markdown import explanation_markdown
from kb.present.explanation_page import TreeNode, explanation_page
from kb.present.explanation_words import reason_phrase
from kb.records.record import Record
from tests.present.explanations import FRAMES, chained, explanation, fault, match

Make = Callable[..., RecordView]


@contextmanager
def override_marks() -> Iterator[None]:
    """Within it every message of ours is wrapped in ⟦…⟧."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kb.present.explanation_words.gettext", lambda message: f"⟦{message}⟧")
        yield


def _spoken(node: ast.AST) -> str:
    """A text of evidence as the engine makes it, "x" for what it puts in; empty for other parts of a program."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        pieces = (piece.value if isinstance(piece, ast.Constant) else None for piece in node.values)
        text = "".join("x" if piece is None else str(piece) for piece in pieces)
        return re.sub(r"(frame|status) x", r"\1 1", text)
    return ""


@pytest.fixture
def one(view_of: Make, record: Record) -> RecordView:
    return view_of(record)


@pytest.fixture
def two(view_of: Make, record: Record) -> RecordView:
    return view_of(msgspec.structs.replace(record, id="b" * 16, repo="other/place", slug="other"))


def _ways(call: ast.Call) -> list[ast.AST]:
    """Both ends of a condition in the text of a call."""
    text = call.args[1]
    return [text.body, text.orelse] if isinstance(text, ast.IfExp) else []


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
        '<mark id="mark-1" class="mark-class"><a href="#error-2">MetaError</a></mark>: '
        '<mark id="mark-2" class="mark-message"><a href="#error-2">metadata of &lt;b&gt;'
    )
    assert shown.marked == 2  # one overlaps, one lies outside
    assert "<b>" not in shown.pasted
    assert shown.facts == ("Java", "Python", "2 frames", "3 lines", "1 secret hidden: password")


def test_evidence_leads_to_what_it_saw(one: RecordView, two: RecordView) -> None:
    made = dataclasses.replace(
        chained(one, two),
        text="File a, File b\nMetaError: metadata",
        marks=tuple(
            Mark(start=start, end=end, kind=kind, fault=number)
            for start, end, kind, number in (
                (0, 3, "frame", 0),
                (5, 6, "frame", 1),
                (8, 14, "frame", 1),
                (15, 24, "class", 1),
                (26, 34, "message", 1),
            )
        ),
    )
    card = explanation_page(made, [one]).sections[0].card
    assert card is not None
    assert [(reason.html, reason.href) for reason in card.reasons] == [
        ("the whole message fits", "#mark-5"),
        ("class <code>MetaError</code>", "#mark-4"),
        ("raised in <code>encode runtime.py</code> as in frame 2", "#mark-3"),
    ]
    assert [reason.href for reason in card.doubts] == [""]
    assert card.frame_href == "#mark-3"


def test_the_errors_are_a_tree(one: RecordView, two: RecordView) -> None:
    (root,) = explanation_page(chained(one, two), [one]).tree
    assert (root.section.number, root.relation, root.role, root.confidence) == (2, "", "outermost", "no record")
    (cause,) = root.children
    assert (cause.section.number, cause.relation, cause.role, cause.confidence) == (
        1,
        "caused by",
        "root cause",
        "exact",
    )
    one_error = FaultAnswer(fault=fault(), role="only", matches=(match(one),))
    assert explanation_page(explanation(one_error), [one]).tree == ()
    assert [node.children for node in explanation_page(explanation(one_error, one_error), [one]).tree] == [(), ()]


def test_a_tree_holds_every_section_once(one: RecordView) -> None:
    parents = (None, 0, 1, 1, 0, None, 5, *range(6, 20))
    faults = [
        FaultAnswer(fault=fault(f"E{number}", "m", parent=parent, relation="cause" if parent is not None else ""),
                    role="middle")
        for number, parent in enumerate(parents)
    ]  # fmt: skip

    def numbers(nodes: tuple[TreeNode, ...]) -> list[int]:
        return [number for node in nodes for number in (node.section.number, *numbers(node.children))]

    assert sorted(numbers(explanation_page(explanation(*faults), []).tree)) == list(range(1, len(parents) + 1))


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("frame", "near the file of frame 12, `a/b/c.py`", "near the file of frame 12, `c.py`"),
        ("function", "in `a/b`", "in `a/b`"),
        ("status", "HTTP status 504", "HTTP status 504"),
        ("language", "a record of C++", "a record of C++"),
        ("frame", "raised in `a`b` as in frame 1", "raised in `a`b` as in frame 1"),
        ("class", "class `100% {name} %(name)s`", "class `100% {name} %(name)s`"),
        ("odd", "what nobody knows", "what nobody knows"),
    ],
)
def test_phrases_of_evidence(kind: str, text: str, told: str) -> None:
    assert reason_phrase(Evidence(kind=kind, text=text, weight=1)) == told


def test_every_phrase_of_the_engine_can_be_translated(project_root: Path) -> None:
    source = (project_root / "kb/matching/evidence.py").read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    added = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "add"]
    said = {_spoken(call.args[1]) for call in added} | {_spoken(branch) for call in added for branch in _ways(call)}
    said = (said | {"the message fits", "the whole message fits", "the beginning of the message fits"}) - {""}
    assert len(said) > 20
    with override_marks():
        untold = [text for text in said if not reason_phrase(Evidence(kind="", text=text, weight=1)).startswith("⟦")]
    assert untold == []


def test_marks_that_are_no_ranges_are_passed_over() -> None:
    marks = tuple(Mark(start=start, end=end, kind="code") for start, end in ((-3, 2), (4, 4), (6, 5), (1, 3), (2, 4)))
    assert (
        explanation_page(explanation(text="abcdef", marks=marks), []).pasted
        == 'a<mark id="mark-1" class="mark-code">bc</mark>def'
    )


def test_values_stand_in_the_message_the_advice_and_the_code(view_of: Make, record: Record) -> None:
    view = view_of(
        msgspec.structs.replace(
            record, solutions=("Look up `req_id`.", "Wait."), try_catch_pattern="retry(req_id)", validation_code="x"
        )
    )
    answer = FaultAnswer(fault=fault(), role="only", matches=(match(view),))
    section = explanation_page(explanation(answer), [view]).sections[0]
    card = section.card
    assert card is not None
    assert "filled" not in section.message  # what the error said differs from the record's message
    assert card.documented is not None
    assert '<span class="filled">&lt;b&gt;r1&lt;/b&gt;</span>' in card.documented
    assert card.values == (("req_id", "<b>r1</b>"), ("%d", "250"))
    assert card.steps[0].here == "<code>req_id</code> = <code>&lt;b&gt;r1&lt;/b&gt;</code>"
    assert card.steps[1].here == ""
    folds = {fold.id: fold.here for fold in card.folds}
    assert "req_id" in folds["try-catch"]
    assert folds["validation"] == ""


def test_an_error_that_says_what_the_record_does_shows_its_values_itself(view_of: Make, record: Record) -> None:
    view = view_of(record)
    message = "metadata of <b>r1</b> not\nready after 250 ms"
    answer = FaultAnswer(fault=fault(message=message), role="only", matches=(match(view),))
    section = explanation_page(explanation(answer), [view]).sections[0]
    assert section.card is not None
    assert section.card.documented is None
    assert section.message.startswith('metadata of <span class="filled">&lt;b&gt;r1&lt;/b&gt;</span> not')


def test_a_long_message_is_cut_above_its_advice(view_of: Make, record: Record) -> None:
    view = view_of(msgspec.structs.replace(record, error_message="x {req_id} " + "long " * 400))
    answer = FaultAnswer(fault=fault(message="word " * 400), role="only", matches=(match(view),))
    section = explanation_page(explanation(answer), [view]).sections[0]
    assert section.card is not None
    assert section.card.documented is not None
    assert 250 < len(section.message) <= 320
    assert 250 < len(section.card.documented) < 420
    assert section.message.endswith("…")
    assert section.card.documented.endswith("…")


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
    parts = [shown.pasted, *(step.here for step in card.steps), *(entry.message for entry in shown.sections)]
    parts += [card.documented or SafeString(""), *(reason.html for reason in card.reasons)]
    parts += [brief.differs for entry in shown.sections for brief in (*entry.matches, *entry.nearest)]
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
