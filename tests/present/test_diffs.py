"""Field diffs: complete, exact, readable and bounded."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.present.diff_runs import Part, line_parts, runs, word_parts
from kb.present.diffs import field_changes
from kb.records.decode import decode_record
from kb.records.encode import encode_json
from kb.records.record import Record

SHA = "a" * 40
WORDS = st.lists(st.sampled_from(["a", "b", "the", "tank", " ", "\n", ",", "ünï", "is", "\u202e"]), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab\n"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xy", min_size=1), inner, max_size=3),
    max_leaves=6,
)


def text_of(parts: tuple[Part, ...], side: str) -> str:
    return "".join(part.text for part in parts if part.kind in {"equal", side})


@given(WORDS.map("".join), WORDS.map("".join))
def test_both_texts_can_be_read_from_their_parts(before: str, after: str) -> None:
    for make in (word_parts, line_parts):
        parts = make(before, after)
        assert text_of(parts, "delete") == before
        assert text_of(parts, "insert") == after
        assert all(part.text for part in parts)
        assert all(one.kind != two.kind for one, two in pairwise(parts))
        assert (before == after) == all(part.kind == "equal" for part in parts)


@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_runs_are_the_shortest_way(first: list[str], second: list[str]) -> None:
    found = runs(first, second)
    changed = sum(
        (run.first[1] - run.first[0]) + (run.second[1] - run.second[0]) for run in found if run.kind != "equal"
    )
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, one in enumerate(first):
        for j, two in enumerate(second):
            table[i + 1][j + 1] = table[i][j] + 1 if one == two else max(table[i][j + 1], table[i + 1][j])
    common = table[-1][-1]
    assert changed == len(first) + len(second) - 2 * common


def test_prose_changes_word_by_word() -> None:
    assert word_parts("The tank is empty now.", "The left tank was empty now.") == (
        Part("equal", "The "),
        Part("insert", "left "),
        Part("equal", "tank "),
        Part("delete", "is"),
        Part("insert", "was"),
        Part("equal", " empty now."),
    )


def test_what_was_replaced_word_after_word_is_read_as_one() -> None:
    assert word_parts("wait for the old pump", "wait until every valve") == (
        Part("equal", "wait "),
        Part("delete", "for the old pump"),
        Part("insert", "until every valve"),
    )


def test_code_changes_line_by_line() -> None:
    assert line_parts("try:\n    burn()\nend", "try:\n    fill()\n    burn()\nend") == (
        Part("equal", "try:\n"),
        Part("insert", "    fill()\n"),
        Part("equal", "    burn()\nend"),
    )


def base(**fields: Any) -> Record:
    values: dict[str, Any] = {
        "id": "0" * 16, "repo": "acme/rocket", "slug": "no-fuel",
        "errorMessage": "no fuel", "messagePattern": "no fuel",
        "errorType": "exception", "severity": "error", "filePath": "a.py",
        "githubUrl": f"https://github.com/a/b/blob/{SHA}/a.py",
        "documentation": "The tank is empty.", "triggerScenarios": "A start.", "commonSituations": "Trips.",
        "solutions": ["Fill it."], "analyzedSha": SHA, "analyzedAt": "2026-01-01T00:00:00Z", "schemaVersion": 2,
    }  # fmt: skip
    values = {name: value for name, value in (values | fields).items() if value is not ...}
    decoded = decode_record(msgspec.json.encode(values))
    assert decoded.record is not None, decoded.problems
    return decoded.record


TEXT = st.text("ab \n`", max_size=12)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "documentation": TEXT.map(lambda text: f"x{text}"),
        "errorCode": st.none() | TEXT.map(lambda text: f"E{text.strip()}"),
        "httpStatus": st.none() | st.integers(100, 599),
        "sourceCode": st.none() | TEXT,
        "solutions": st.lists(TEXT, max_size=4),
        "tags": st.lists(st.sampled_from(["fuel", "air", "fire"]), max_size=3),
        "preventionTips": st.just(...) | st.lists(TEXT, max_size=2),
        "unknown": JSON,
    },
)


@given(FIELDS, FIELDS)
def test_every_difference_is_told_and_nothing_else(one: dict[str, Any], two: dict[str, Any]) -> None:
    before, after = base(**one), base(**two)
    changed = {change.field for change in field_changes(before, after)}
    old = msgspec.json.decode(encode_json(before), type=dict[str, msgspec.Raw])
    new = msgspec.json.decode(encode_json(after), type=dict[str, msgspec.Raw])
    expected = {
        name
        for name in old.keys() | new.keys()
        if (name in old) != (name in new) or bytes(old[name]) != bytes(new[name])
    }
    assert changed == expected


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5))
def test_entries_of_a_list_can_be_read_from_both_sides(old: list[str], new: list[str]) -> None:
    for change in field_changes(base(solutions=old), base(solutions=new)):
        for side, texts in (("delete", old), ("insert", new)):
            told = [text_of(parts, side) for parts in change.entries if any(p.kind in {"equal", side} for p in parts)]
            assert told == texts


def test_an_entry_is_compared_with_the_one_that_took_its_place() -> None:
    (change,) = field_changes(base(solutions=["Fill the tank.", "Wait."]), base(solutions=["Fill the pump.", "Wait."]))
    assert change.entries == (
        (Part("equal", "Fill the "), Part("delete", "tank"), Part("insert", "pump"), Part("equal", ".")),
        (Part("equal", "Wait."),),
    )


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [(None, "E_1", "added"), ("E_1", None, "removed"), ("E_1", "E_2", "changed"), (..., "E_1", "added")],
)
def test_a_value_that_comes_or_goes_is_told_as_that(before: Any, after: Any, kind: str) -> None:
    (change,) = field_changes(base(errorCode=before), base(errorCode=after))
    assert change.kind == kind


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a " * 150_000, "b " * 150_000),
        ("ab " * 60_000, "ba " * 60_000),
        ("x" * 390_000, "y" * 390_000),
        ("\n" * 200_000, " \n" * 150_000),
        (" ".join(map(str, range(25_000))), " ".join(map(str, range(25_000, 0, -1)))),
    ],
)
def test_the_worst_texts_are_compared_in_bounded_work(before: str, after: str) -> None:
    """A comparison that is quadratic in the texts would not end."""
    (change,) = field_changes(base(documentation=f"x{before}x"), base(documentation=f"x{after}x"))
    assert text_of(change.parts, "insert") == f"x{after}x"
    assert text_of(change.parts, "delete") == f"x{before}x"
