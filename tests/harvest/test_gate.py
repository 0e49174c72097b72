"""The gate lets good records through, and names what is wrong with the others."""

from __future__ import annotations

from typing import Any

import pytest

from kb.harvest.gate import Gate, GateReport
from kb.harvest.patterns import is_readable, pattern_of
from kb.records.patterns import MAX_PATTERN, pattern_faults

GOOD: dict[str, Any] = {
    "id": "0123456789abcdef",
    "repo": "pypi/shop",
    "slug": "too-little-of-it",
    "errorCode": None,
    "errorMessage": "Too little of {item}",
    "messagePattern": "Too little of (.+?)",
    "errorType": "exception",
    "errorClass": "ValueError",
    "httpStatus": None,
    "severity": "error",
    "filePath": "shop/a.py",
    "lineNumber": 3,
    "sourceCode": "def f(item):\n    if item:\n        raise ValueError(f'Too little of {item}')",
    "sourceCodeStart": 1,
    "sourceCodeEnd": 3,
    "githubUrl": "",
    "documentation": "`shop.a.f()` raises `ValueError`.",
    "triggerScenarios": "",
    "commonSituations": "",
    "solutions": [],
    "tags": ["shop"],
    "analyzedSha": "a" * 40,
    "analyzedAt": "2026-01-02T03:04:05Z",
    "schemaVersion": 2,
    "origin": "harvest",
}


def test_a_good_record_passes() -> None:
    gate = Gate()
    assert gate.passed([GOOD]) == [GOOD]
    assert gate.refused == {}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"messagePattern": "Too much of (.+?)"}, "pattern_misses_message"),
        ({"messagePattern": "(.+?)"}, "pattern_matches_everything"),
        ({"messagePattern": "Too little of (.+?" + "x" * 600}, "pattern_too_long"),
        ({"sourceCodeEnd": 4}, "snippet_misplaced"),
        ({"lineNumber": 4}, "snippet_misplaced"),
        ({"documentation": ""}, "empty_text"),
        ({"filePath": "../a.py"}, "unsafe_path"),
        ({"githubUrl": "https://github.com/acme/shop/blob/main/a.py"}, "unpinned_url"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_bad_record_is_refused_by_name(changes: dict[str, Any], fault: str) -> None:
    gate = Gate()
    assert gate.passed([GOOD | changes, GOOD]) == [GOOD]
    assert list(gate.refused.values()) == [1]
    assert gate.refused == {fault: 1}
    assert gate.examples == [f"{(GOOD | changes)['filePath']}:{(GOOD | changes)['lineNumber']}: {fault}"]


def test_reports_add_up() -> None:
    one = GateReport(sites=3, records=1, further=1, unreadable=1, refused={"a": 1}, examples=("x",))
    both = one + GateReport(sites=2, records=1, refused={"a": 1, "b": 2}, examples=("y",))
    assert (both.sites, both.records, both.further, both.unreadable) == (5, 2, 1, 1)
    assert (both.refused, both.examples) == ({"a": 2, "b": 2}, ("x", "y"))


@pytest.mark.parametrize(
    ("message", "pattern"),
    [
        ("Too little of {item!r}.", r"Too little of (.+?)\."),
        ("%s is not %(what)s", "(.+?) is not (.+?)"),
        ("{a}{b} is (bad)", r"(.+?) is \(bad\)"),
        ("100% of it", "100% of it"),
    ],
)
def test_patterns_have_gaps_for_placeholders(message: str, pattern: str) -> None:
    assert pattern_of(message) == pattern
    assert pattern_faults(pattern, message) == ()


@pytest.mark.parametrize(
    "message", ["." * 400, "word {x} " * 200, "{x}" + "(" * 900], ids=["escaped", "gaps", "one gap"]
)
def test_long_patterns_are_cut_where_a_part_ends(message: str) -> None:
    assert len(pattern_of(message)) <= MAX_PATTERN
    assert pattern_faults(pattern_of(message), message) == ()


def test_a_message_of_placeholders_only_is_not_readable() -> None:
    assert not is_readable("{error}: {x}")
    assert not is_readable("")
    assert is_readable("no {x}y")
