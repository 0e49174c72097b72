"""PHP: uncaught exceptions, warnings, and the layouts of logs, consoles and test runners."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault
from kb.matching.traces.php import find
from tests.matching.test_trace_parsers import lines_of


def faults(text: str) -> list[Fault]:
    return find(lines_of(text))


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


STACK = "\nStack trace:\n#0 /app/b.php(9): Tool\\Queue->take(Array)\n#1 {main}\n  thrown in /app/a.php on line 3"


@pytest.mark.parametrize(
    "text",
    [
        "PHP Fatal error:  Uncaught Tool\\Failed: queue is empty in /app/a.php:3" + STACK,
        "Fatal error: Uncaught Tool\\Failed: queue is empty in /app/a.php:3" + STACK,
        "[01-May-2024 10:00:00 UTC] PHP Fatal error:  Uncaught Tool\\Failed: queue is empty in /app/a.php:3" + STACK,
        "PHP Fatal error:  Uncaught exception 'Tool\\Failed' with message 'queue is empty' in /app/a.php:3" + STACK,
        'stderr: "PHP message: PHP Fatal error:  Uncaught Tool\\Failed: queue is empty in /app/a.php:3' + STACK,
        "Tool\\Failed: queue is empty in /app/a.php:3" + STACK,
        "PHP Fatal error:  Uncaught Tool\\Failed: queue is empty in /app/a.php:3",
        (
            '[2024] app.ERROR: x {"exception":"[object] (Tool\\\\Failed(code: 0): queue is empty at /app/a.php:3)\n'
            '[stacktrace]\n#0 /app/b.php(9): Tool\\\\Queue->take(Array)\n#1 {main}\n"} '
        ),
        'request.CRITICAL: Uncaught PHP Exception Tool\\Failed: "queue is empty" at /app/a.php line 3 {"x":1}',
        "   Tool\\Failed  \n\n  queue is empty\n\n  at /app/a.php:3\n      1| x",
        "1) ATest::testIt\nTool\\Failed: queue is empty\n\n/app/a.php:3\n/app/b.php:9\n\nERRORS!",
        "In a.php line 3:\n      \n  [Tool\\Failed]    \n  queue is empty  \n      ",
    ],
)
def test_an_exception(text: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message, fault.language, fault.kind) == ("Tool\\Failed", "queue is empty", "PHP", "raised")
    assert fault.frames[0].path.endswith("a.php")
    assert fault.frames[0].line == 3


def test_a_place_has_the_function_it_lies_in() -> None:
    fault = only("PHP Fatal error:  Uncaught Failed: said in /app/a.php:3" + STACK)
    assert [(frame.path, frame.line, frame.function) for frame in fault.frames] == [
        ("/app/a.php", 3, "Tool\\Queue->take"),
        ("/app/b.php", 9, "{main}"),
    ]


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        ("PHP Fatal error:  Uncaught Failed in /a.php:3", "Failed", ""),
        ("PHP Fatal error:  Uncaught Failed: one\n  two\nthree in /a.php:3\nStack trace:\n#0 {main}", "Failed",
         "one\n  two\nthree"),
        ("PHP Fatal error:  Uncaught TypeError: f(): must be int, called in /b.php on line 4 and defined in /a.php:3",
         "TypeError", "f(): must be int, called in /b.php on line 4"),
        ('PHP Fatal error:  Uncaught Error: Class "A in B" not found in C:\\app\\a.php:3', "Error",
         'Class "A in B" not found'),
        ("PHP Warning:  Undefined array key 5 in /a.php on line 3", "", "Undefined array key 5"),
        ("Notice: Undefined index: a in b in /a.php on line 3", "", "Undefined index: a in b"),
        ("PHP Parse error:  syntax error, unexpected ';' in /a.php on line 3", "ParseError",
         "syntax error, unexpected ';'"),
        ("PHP Fatal error:  Allowed memory size exhausted in /a.php on line 3", "", "Allowed memory size exhausted"),
        ("PHP Deprecated:  old way in /a.php on line 3", "", "old way"),
    ],
)  # fmt: skip
def test_class_and_message(text: str, cls: str, message: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message) == (cls, message)
    assert fault.frames[0].line == 3


def test_an_exception_printed_first_is_the_cause_of_the_next() -> None:
    chain = faults(
        "PHP Fatal error:  Uncaught A: inner in /a.php:1\nStack trace:\n#0 {main}\n\nNext B: middle in /a.php:2\n"
        "Stack trace:\n#0 {main}\n\nNext C: outer in /a.php:3\nStack trace:\n#0 {main}\n  thrown in /a.php on line 3"
    )
    assert [(fault.message, fault.relation, fault.parent) for fault in chain] == [
        ("inner", "cause", 1),
        ("middle", "cause", 2),
        ("outer", "", None),
    ]


def test_a_previous_exception_of_a_log_is_the_cause() -> None:
    outer, inner = faults(
        '[2024] app.ERROR: x {"exception":"[object] (A(code: 0): outer at /a.php:3)\n[stacktrace]\n#0 {main}\n\n'
        '[previous exception] [object] (B(code: 42S02): inner at /b.php:4)\n[stacktrace]\n#0 {main}\n"}'
    )
    assert (outer.message, inner.message, inner.relation, inner.parent) == ("outer", "inner", "cause", 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Uncaught TypeError: x is not a function\n    at f (/app/x.js:1:2)",
        "Warning: something happened on line 3",
        "Next Tuesday: lunch",
        "Stack trace:\n#0 0x1 in f a.cpp:3",
        "see a.php:12 for details",
        "/app/a.php:3",
    ],
)
def test_nothing_of_php(text: str) -> None:
    assert faults(text) == []
