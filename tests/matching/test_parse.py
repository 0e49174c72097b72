"""All faults of a text: order, overlaps between languages, positions, any text at all."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.matching.reading.document import read
from kb.matching.shapes import Fault, Line
from kb.matching.traces.parse import parse, parse_last

PYTHON = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nValueError: a'
JAVASCRIPT = "TypeError: b is not a function\n    at f (/srv/b.js:1:2)\n    at g (/srv/b.js:3:4)"
JAVA = "java.lang.IllegalStateException: c\n\tat org.example.Tool.run(Tool.java:7)"
FRAGMENTS = [
    *PYTHON.split("\n"),
    *JAVASCRIPT.split("\n"),
    *JAVA.split("\n"),
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
    "  + Exception Group Traceback (most recent call last):",
    "  | ExceptionGroup: d (2 sub-exceptions)",
    "  +-+---------------- 1 ----------------",
    "    +---------------- 2 ----------------",
    "    +------------------------------------",
    "    | KeyError: 'e'",
    '    |   File "/srv/e.py", line 3, in f',
    "KeyError      Traceback (most recent call last)",
    "File ~/a.py:3, in f(x)",
    "----> 3     raise ValueError(",
    "/srv/a.py:12 in f",
    "❱ 12     raise ValueError(",
    "E       ValueError: a",
    "tests/test_a.py:12: ValueError",
    "tests/test_a.py:12:",
    "FAILED tests/test_a.py::b - ValueError: c...",
    "/srv/a.py:12: UserWarning: w",
    "Fatal Python error: Aborted",
    "Current thread 0x1 (most recent call first):",
    "AError: x (Caused by BError(CError(1, '[SSL] bad')))",
    "a.AError: (b.c.BError) no such table",
    "2024-01-01 10:00:00 ERROR x",
    "raise ValueError(",
    "error: x",
    "some text",
    "  some more",
    "-----------",
    "$ ls",
    "",
]


def check(lines: Sequence[Line], faults: Sequence[Fault]) -> None:
    """What every caller may rely on."""
    assert [fault.first for fault in faults if fault.relation != "wrapped"] == sorted(
        fault.first for fault in faults if fault.relation != "wrapped"
    )
    for place, fault in enumerate(faults):
        assert 0 <= fault.first <= fault.last < len(lines)
        assert (fault.parent is None) == (fault.relation == "")
        assert fault.parent is None or (0 <= fault.parent < len(faults) and fault.parent != place)
        assert fault.cls or fault.message or fault.frames
        assert (fault.message_line == -1) == (fault.message == "")
        steps, above = 0, fault.parent
        while above is not None and steps <= len(faults):
            steps, above = steps + 1, faults[above].parent
        assert above is None, "a fault wraps itself"
        for offset, part in enumerate(fault.message.split("\n") if fault.message else []):
            text = lines[fault.message_line + offset].text
            assert part in text[fault.message_column if not offset else 0 :]
        assert fault.message_last == fault.message_line + fault.message.count("\n")


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
@settings(max_examples=400, deadline=None)
def test_any_order_of_lines_gives_sound_faults(texts: list[str]) -> None:
    document = read("\n".join(texts))
    check(document.lines, parse(document.lines))


@given(st.text(alphabet="aE:(){}[]'\"|+-@ .>-\t\n/1Ω❱x\x00\ud800", max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_sound_faults(text: str) -> None:
    lines = [Line(text=line, start=0) for line in text.split("\n")]
    check(lines, parse(lines))


def test_faults_of_several_languages_stand_in_the_order_of_the_text() -> None:
    faults = parse(read(f"{JAVA}\nplain text\n\n\n{PYTHON}\n\n\n{JAVASCRIPT}\n").lines)
    assert [fault.language for fault in faults if fault.kind == "raised"] == ["Java", "Python", "JavaScript"]


def test_the_reading_with_more_frames_wins() -> None:
    """A Python header above a JavaScript stack is no Python trace."""
    faults = parse(read(f"Traceback (most recent call last):\n{JAVASCRIPT}").lines)
    (fault,) = (fault for fault in faults if fault.frames)
    assert fault.language == "JavaScript"


def test_lines_that_a_language_claims_are_not_told_again() -> None:
    (fault,) = parse(read(PYTHON).lines)
    assert (fault.first, fault.last) == (0, 3)


def test_codes_and_statuses_are_added() -> None:
    (fault,) = parse(read(PYTHON + " [Errno 111] after HTTP 503").lines)
    assert fault.status == 503
    assert any("111" in code for code in fault.codes)


def test_a_wrapped_cause_stands_right_after_its_wrapper() -> None:
    faults = parse(read(f"{PYTHON}: BError('b')\n\n\n{PYTHON}\n").lines)
    assert [(fault.cls, fault.relation, fault.parent) for fault in faults] == [
        ("ValueError", "", None),
        ("BError", "wrapped", 0),
        ("ValueError", "", None),
    ]


def test_a_quoted_error_that_the_text_tells_as_well_is_told_once() -> None:
    chained = "\n\nDuring handling of the above exception, another exception occurred:\n\n"
    said = "no 'c' at CError('c')"
    told = PYTHON.replace("ValueError: a", f"shop.stock.BError: {said}")
    faults = parse(read(f'{told}{chained}{PYTHON} (Caused by shop.BError("{said}"))').lines)
    assert [(fault.cls, fault.relation, fault.parent) for fault in faults] == [
        ("shop.stock.BError", "context", 2),
        ("CError", "wrapped", 0),
        ("ValueError", "", None),
        ("CError", "wrapped", 2),
    ]


def test_a_chain_behind_wrapped_causes_keeps_its_parents() -> None:
    marker = "\n\nThe above exception was the direct cause of the following exception:\n\n"
    faults = parse(read(f"{PYTHON} (BError('b')){marker}{PYTHON}").lines)
    assert [(fault.cls, fault.relation, fault.parent) for fault in faults] == [
        ("ValueError", "cause", 2),
        ("BError", "wrapped", 0),
        ("ValueError", "", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 65_536,
        "a\n" * 16_384,
        "ValueError(" * 6_000,
        "ValueError: x\n" * 4_000,
        '  File "x.py", line 1, in f\n' * 2_500,
        ('  File "x.py", line 1, in f\n' + "a b\n" * 12) * 900,
        ("/x.py:1 in f\n 1 a\n" + "b c\n" * 70) * 200,
        "Traceback (most recent call last):\n" * 2_000,
        "  +-+---- 1 ----\n" * 4_000,
        "  | " * 16_000,
        "E   x\n" * 10_000,
        "2024-01-01 " * 6_000,
        "a." * 32_768,
        "(" * 65_536,
        ": " * 32_768,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    lines = [Line(text=line, start=0) for line in text.split("\n")]
    start = time.process_time()
    parse(lines)
    assert time.process_time() - start < 4


@pytest.mark.parametrize("count", [30, 300, 5_000])
def test_of_many_faults_the_last_are_told_as_in_the_whole(count: int) -> None:
    trace = 'Traceback (most recent call last):\n  File "/a/b.py", line 3, in f\n    g()\nGoneError: gone {}\n\n'
    lines = read("".join(trace.format(number) for number in range(count))).lines
    faults = parse_last(lines, 40)
    assert [fault.message for fault in faults] == [f"gone {number}" for number in range(max(0, count - 40), count)]
    assert faults == parse(lines)[-40:]


@pytest.mark.parametrize("filler", ["all is well", "2024-01-02 03:04:05 INFO all is well"])
def test_an_error_is_found_above_thousands_of_other_lines(filler: str) -> None:
    lines = read("GoneError: the cart is gone\n\n" + f"{filler}\n" * 9_000).lines
    told = [(fault.cls, fault.message.partition("\n")[0]) for fault in parse_last(lines, 40)]
    assert ("GoneError", "the cart is gone") in told


def test_causes_and_quoted_errors_keep_their_wrappers_among_the_last() -> None:
    pair = "java.lang.A: x ({})\n\tat a.B.c(B.java:1)\nCaused by: java.lang.Error: y {}\n\tat a.B.d(B.java:2)\n\n"
    lines = read("".join(pair.format(number, number) for number in range(3_000))).lines
    faults = parse_last(lines, 10)
    assert len(faults) >= 10
    for at, fault in enumerate(faults):
        assert fault.parent is None or (0 <= fault.parent < len(faults) and fault.parent != at)
        assert fault.message in "\n".join(line.text for line in lines[fault.first : fault.last + 1])
