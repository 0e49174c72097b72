"""Problems as values."""

from __future__ import annotations

import pytest

from kb.records.problems import (
    MAX_PROBLEMS,
    PROBLEM_CODES,
    WARNING_CODES,
    Problem,
    Problems,
    describe,
    make_problem,
)


def test_every_code_has_a_rule_in_one_sentence():
    assert all(rule.endswith(".") and "\n" not in rule for rule in PROBLEM_CODES.values())
    assert set(PROBLEM_CODES) >= WARNING_CODES


def test_a_problem_takes_rule_and_severity_from_its_code():
    assert make_problem("foreign_host", origin="a.json", path="$.githubUrl", value=1) == Problem(
        code="foreign_host",
        origin="a.json",
        path="$.githubUrl",
        severity="warning",
        message=PROBLEM_CODES["foreign_host"],
        value="1",
    )
    assert make_problem("not_json", "Because.").severity == "error"
    assert make_problem("not_json", "Because.").message == "Because."


def test_an_unknown_code_is_a_mistake_of_the_caller():
    with pytest.raises(KeyError):
        make_problem("no_such_code")


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (None, "null"),
        (True, "true"),
        (5.5, "5.5"),
        (float("nan"), "NaN"),
        ("é\n", '"é\\n"'),
        ("\ud83d", '"\ufffd"'),
        ({"a": [1, {"b": {"c": 2}}]}, '{"a": [1, {"b": {…}}]}'),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, …]"),
        (b"\xff{", "\ufffd{"),
        (object, "a type"),
        (deep(5000), "[[[[…]]]]"),
    ],
)
def test_values_are_described_as_short_json(value, described):
    assert describe(value) == described


def test_an_integer_too_long_to_be_printed_is_described_by_its_size():
    assert describe(10**5000) == "an integer of 16610 bits"


@pytest.mark.parametrize("value", ["x" * 10_000, {"k" * 500: "v" * 500}, ["y" * 150] * 5])
def test_descriptions_are_bounded(value):
    assert len(describe(value)) == 200
    assert describe(value).endswith("…")


def test_paths_are_bounded():
    assert len(make_problem("too_deep", path="$" + ".a" * 5000).path) == 500


def test_a_collector_knows_of_errors_it_does_not_keep():
    problems = Problems(origin="a.json", position=7)
    for _ in range(MAX_PROBLEMS):
        problems.add("foreign_host", "$.githubUrl")
    assert not problems.rejected
    problems.add("empty_text", "$.documentation")
    assert problems.rejected
    assert len(problems.found()) == MAX_PROBLEMS
    assert {(problem.origin, problem.position) for problem in problems.found()} == {("a.json", 7)}
