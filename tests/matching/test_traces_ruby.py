"""Ruby: uncaught exceptions of old and new versions, causes, and the layouts of logs and test runners."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault
from kb.matching.traces.ruby import find
from tests.matching.test_trace_parsers import lines_of


def faults(text: str) -> list[Fault]:
    return find(lines_of(text))


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("lib/a.rb:3:in `load': no key (ToolError)", "load"),
        ("lib/a.rb:3:in 'Tool#load': no key (ToolError)", "Tool#load"),
        ("lib/a.rb:3:in 'Tool.load': no key (ToolError)\n\tfrom lib/b.rb:4:in '<main>'", "Tool.load"),
        ("lib/a.rb:3:in `block in load': no key (ToolError)", "block in load"),
        ("Traceback (most recent call last):\n\t1: from lib/b.rb:4:in `run'\nlib/a.rb:3:in `load': no key (ToolError)",
         "load"),
        ("E, [2024-05-01T10:00:00.1 #12] ERROR -- app: no key (ToolError)\nlib/a.rb:3:in `load'", "load"),
        ("ToolError (no key):\n  \nlib/a.rb:3:in `load'", "load"),
        ("ToolError: no key\n\tlib/a.rb:3:in `load'", "load"),
        ("WARN: ToolError: no key\nWARN: lib/a.rb:3:in `load'", "load"),
        ("     ToolError:\n       no key\n     # lib/a.rb:3:in `load'", "load"),
    ],
)  # fmt: skip
def test_an_exception(text: str, function: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message, fault.language, fault.kind) == ("ToolError", "no key", "Ruby", "raised")
    frame = fault.frames[0]
    assert (frame.path, frame.line, frame.function) == ("lib/a.rb", 3, function)


def test_frames_in_either_order_come_nearest_first() -> None:
    top = only("a.rb:1:in `f': said (KeyError)\n\tfrom a.rb:2:in `g'\n\t ... 3 levels...\n\tfrom a.rb:9:in `<main>'")
    bottom = only(
        "Traceback (most recent call last):\n\t2: from a.rb:9:in `<main>'\n\t1: from a.rb:2:in `g'\n"
        "a.rb:1:in `f': said (KeyError)"
    )
    assert [frame.line for frame in top.frames] == [frame.line for frame in bottom.frames] == [1, 2, 9]
    assert (bottom.first, bottom.last) == (0, 3)


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        ("a.rb:1:in `f': one (KeyError)\n  two\nthree\n\tfrom a.rb:2:in `g'", "KeyError", "one\n  two\nthree"),
        ("a.rb:1:in `f': said (KeyError)\nOtherError: more\n", "KeyError", "said"),
        ("a.rb:1:in `f': unhandled exception", "", "unhandled exception"),
        ("a.rb:1:in `f': ToolError\n\tfrom a.rb:2:in `g'", "ToolError", ""),
        ("a.rb:1:in `f': ToolError (ToolError)", "ToolError", "ToolError"),
        ("a.rb:1:in `f': said (in part) (Tool::Failed)", "Tool::Failed", "said (in part)"),
        ("a.rb:1:in `f': undefined (NoMethodError)\n\n    x.y\n     ^^\nDid you mean?  z\n\tfrom a.rb:2:in `g'",
         "NoMethodError", "undefined"),
        ("a.rb:2: syntax error, unexpected end-of-input", "SyntaxError", "syntax error, unexpected end-of-input"),
        ("a.rb:2: syntax errors found (SyntaxError)\n> 2 | x\n    | ^ no", "SyntaxError", "syntax errors found"),
    ],
)  # fmt: skip
def test_class_and_message(text: str, cls: str, message: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message) == (cls, message)


def test_the_source_line_shown_is_quoted() -> None:
    assert (
        only("a.rb:1:in `f': no (NoMethodError)\n\n    x.price\n     ^^^^^^\n\tfrom a.rb:2:in `g'").quoted == "x.price"
    )


def test_a_cause_is_printed_after_what_it_caused() -> None:
    chain = faults(
        "a.rb:4:in `rescue in load': outer (ToolError)\n\tfrom a.rb:1:in `load'\n\tfrom a.rb:9:in `<main>'\n"
        "a.rb:2:in `load': inner (KeyError)\n\tfrom a.rb:9:in `<main>'"
    )
    assert [(fault.message, fault.relation, fault.parent) for fault in chain] == [
        ("outer", "", None),
        ("inner", "cause", 0),
    ]


def test_two_traces_of_a_log_are_no_chain() -> None:
    both = faults(
        "a.rb:4:in `f': one (ToolError)\n\tfrom a.rb:8:in `m'\na.rb:2:in `g': two (KeyError)\n\tfrom b.rb:9:in `m'"
    )
    assert [fault.parent for fault in both] == [None, None]


def test_a_trace_printed_twice_is_one_fault() -> None:
    one = "a.rb:4:in `f': one (ToolError)\n\tfrom a.rb:8:in `m'\n"
    assert only(f"#<Thread:0x1 run> terminated with exception (report_on_exception is true):\n{one}{one}").first == 0


def test_frames_without_a_head_are_cut() -> None:
    fault = only("a.rb:4:in `f'\na.rb:8:in `m'")
    assert (fault.kind, fault.message, len(fault.frames)) == ("cut", "", 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 1',
        "a.rb:3: warning: already initialized constant X",
        "said:in `quotes' of prose",
        "12:00:in 'time'",
        "SyntaxError: invalid syntax (SyntaxError)",
    ],
)
def test_nothing_of_ruby(text: str) -> None:
    assert faults(text) == []
