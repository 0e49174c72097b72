"""JavaScript stacks: the forms of engines, of Node.js and of test runners."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault, Line
from kb.matching.traces.javascript import find
from kb.matching.traces.javascript_frames import frame_in


def faults(text: str) -> list[Fault]:
    return find([Line(text=line, start=0) for line in text.split("\n")])


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    ("text", "path", "line", "function"),
    [
        ("    at load (/app/x.js:3:9)", "/app/x.js", 3, "load"),
        ("at load (/app/x.js:3:9)", "/app/x.js", 3, "load"),
        ("    at /app/x.js:3:9", "/app/x.js", 3, ""),
        ("    at async load (/app/x.js:3:9)", "/app/x.js", 3, "load"),
        ("    at async /app/x.js:3:9", "/app/x.js", 3, ""),
        ("    at new Store (/app/x.js:3:9)", "/app/x.js", 3, "new Store"),
        ("    at Object.get [as value] (/app/x.js:3:9)", "/app/x.js", 3, "Object.get"),
        ("    at Object.<anonymous> (C:\\app\\x.js:3:9)", "C:\\app\\x.js", 3, "Object.<anonymous>"),
        ("    at file:///app/x.mjs:3:9", "file:///app/x.mjs", 3, ""),
        ("    at f (file:///app/my%20x.mjs:3:9)", "file:///app/my%20x.mjs", 3, "f"),
        ("    at f (/Program Files (x86)/x.js:3:9)", "/Program Files (x86)/x.js", 3, "f"),
        ("    at node:internal/main:28:49 {", "node:internal/main", 28, ""),
        ("    at Array.map (<anonymous>)", "<anonymous>", None, "Array.map"),
        ("    at async Promise.all (index 0)", "", None, "Promise.all"),
        ("    at eval (eval at run (/app/x.js:1:35), <anonymous>:3:7)", "<anonymous>", 3, "eval"),
        ("    at f (webpack-internal:///./src/x.tsx:12:34)", "webpack-internal:///./src/x.tsx", 12, "f"),
        ("    at Generator.next (<anonymous>)", "<anonymous>", None, "Generator.next"),
        ("load@http://localhost/x.js:3:9", "http://localhost/x.js", 3, "load"),
        ("@http://localhost/x.js:3:9", "http://localhost/x.js", 3, ""),
        ("async*load@https://a.b/x.js?v=1:3:9", "https://a.b/x.js?v=1", 3, "load"),
        ("global code@http://localhost/x.js:3:9", "http://localhost/x.js", 3, "global code"),
        ("forEach@[native code]", "", None, "forEach"),
    ],
)
def test_a_frame(text: str, path: str, line: int | None, function: str) -> None:
    frame = frame_in(text, 7)
    assert frame is not None
    assert (frame.path, frame.line, frame.function, frame.at) == (path, line, function, 7)


@pytest.mark.parametrize(
    "text",
    [
        "\tat org.example.Tool.run(Tool.java:12)",
        "   at Example.Tool.Run(String a) in /app/Tool.cs:line 12",
        "  at Example.Tool.Run (System.String a) [0x00001] in /app/Tool.cs:12 ",
        "             at /rustc/abc/library/std/src/panicking.rs:617:5",
        "             at ./src/main.rs:3:5",
        "at the end of the day: 12:30",
        "mail me at 12:30",
        "user@example.org:22:1",
        "at x.pl line 3.",
        "at " + "x" * 3000 + ":1:2",
    ],
)
def test_what_is_no_frame(text: str) -> None:
    assert frame_in(text, 0) is None


@pytest.mark.parametrize(
    ("head", "cls", "message"),
    [
        ("TypeError: x is not a function", "TypeError", "x is not a function"),
        ("Uncaught TypeError: x is not a function", "TypeError", "x is not a function"),
        ("Uncaught (in promise) TypeError: x", "TypeError", "x"),
        ("(node:12) UnhandledPromiseRejectionWarning: TypeError: x", "TypeError", "x"),
        ("(node:12) [DEP0005] DeprecationWarning: Buffer() is old", "DeprecationWarning", "Buffer() is old"),
        ("Unhandled Rejection (TypeError): x", "TypeError", "x"),
        ("error: Uncaught (in promise) TypeError: x", "TypeError", "x"),
        ("TypeError [ERR_INVALID_ARG_TYPE]: x", "TypeError", "x"),
        ("could not start: TypeError: x", "TypeError", "x"),
        ("Invariant Violation: x", "Invariant Violation", "x"),
        ("app.js:12 Uncaught RangeError: x", "RangeError", "x"),
        ("Trace: x", "Trace", "x"),
        ("Error", "Error", ""),
        ("some text without a class", "", "some text without a class"),
        ("  \N{BLACK CIRCLE} TypeError: x", "TypeError", "x"),
    ],
)
def test_a_head_above_a_stack(head: str, cls: str, message: str) -> None:
    fault = only(f"{head}\n    at f (/app/x.js:1:2)\n    at g (/app/y.js:3:4)")
    assert (fault.cls, fault.message, len(fault.frames), fault.first, fault.last) == (cls, message, 2, 0, 2)


def test_codes_in_the_head_and_below_the_stack_are_kept() -> None:
    fault = only(
        "TypeError [ERR_X]: a\n    at f (/x.js:1:2) {\n  code: 'ERR_Y',\n  errno: -2,\n  statusCode: 404\n}\nafter"
    )
    assert fault.codes == ("ERR_X", "ERR_Y", "-2")
    assert fault.status == 404
    assert fault.last == 5


def test_the_status_may_stand_in_the_response() -> None:
    fault = only(
        "AxiosError: a\n    at f (/x.js:1:2) {\n  config: {\n"
        "    headers: Object [Headers] {\n      a: 'x',\n    },\n  },\n"
        "  response: {\n    status: 503,\n  }\n}"
    )
    assert fault.status == 503
    assert fault.last == 10


def test_causes_nest_also_when_indentation_is_lost() -> None:
    text = (
        "Error: a\nat f (/x.js:1:2) {\n[cause]: RangeError: b\nat g (/y.js:3:4) {\n"
        "[cause]: [TypeError: c] {\ncode: 'E'\n}\n}\n}"
    )
    outer, middle, inner = faults(text)
    assert [(fault.cls, fault.message) for fault in (outer, middle, inner)] == [
        ("Error", "a"),
        ("RangeError", "b"),
        ("TypeError", "c"),
    ]
    assert (middle.parent, middle.relation, inner.parent, inner.relation) == (0, "cause", 1, "cause")
    assert inner.codes == ("E",)
    assert (outer.last, middle.last, inner.last) == (8, 7, 6)


def test_another_error_in_a_property_is_a_cause() -> None:
    text = (
        "QueryError: a\n    at f (/x.js:1:2) {\n  parent: error: b\n      at g (/y.js:3:4) {\n"
        "    code: '42P01',\n  },\n}"
    )
    outer, inner = faults(text)
    assert (inner.cls, inner.message, inner.parent, inner.relation, inner.codes) == (
        "error",
        "b",
        0,
        "cause",
        ("42P01",),
    )
    assert len(outer.frames) == 1


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        (
            "[tool] Internal server error: no such x\n  Plugin: a\n  1 | x\n    | ^\n    at f (/x.js:1:2)",
            "",
            "no such x",
        ),
        ("ERROR  TypeError: a\n\nThis error is located at:\n\n    at f (/x.js:1:2)", "TypeError", "a"),
    ],
)
def test_a_label_may_stand_some_lines_above(text: str, cls: str, message: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message, fault.first) == (cls, message, 0)


def test_members_of_a_group_name_it() -> None:
    text = (
        "AggregateError: all failed\n    at f (/x.js:1:2) {\n  [errors]: [\n    Error: a\n        at g (/y.js:1:2),\n"
        "    Error: b\n        at h (/z.js:1:2)\n  ]\n}\nError: later\n    at i (/w.js:1:2)"
    )
    group, first, second, later = faults(text)
    assert [(fault.parent, fault.relation) for fault in (group, first, second, later)] == [
        (None, ""),
        (0, "member"),
        (0, "member"),
        (None, ""),
    ]


def test_a_message_may_have_blank_and_indented_lines() -> None:
    fault = only("StoreError: a:\n  TypeError: quoted\n\nlast\n    at f (/x.js:1:2)")
    assert fault.message == "a:\n  TypeError: quoted\n\nlast"
    assert (fault.message_line, fault.message_column, fault.message_last) == (0, 12, 3)


def test_a_message_may_begin_on_the_next_line() -> None:
    fault = only("Error: \nInvalid call:\n\n\nUnique constraint\n    at f (/x.js:1:2)")
    assert fault.message == "Invalid call:\n\n\nUnique constraint"
    assert (fault.message_line, fault.message_column) == (1, 0)


def test_a_class_in_the_message_is_a_fault_too() -> None:
    outer, inner = faults("Error: TypeError: x\n    at f (/x.js:1:2)")
    assert (outer.message, inner.cls, inner.message) == ("TypeError: x", "TypeError", "x")
    assert (inner.parent, inner.relation, inner.message_column) == (0, "wrapped", 18)


def test_a_stack_on_one_line_is_read() -> None:
    fault = only("TypeError: look at this at f (/x.js:1:2) at /y.js:3:4 at async g (/z.js:5:6)")
    assert fault.message == "look at this"
    assert [frame.path for frame in fault.frames] == ["/x.js", "/y.js", "/z.js"]


def test_a_frame_broken_in_two_does_not_end_the_stack() -> None:
    fault = only("Error: a\n    at f (/x.js:1:2)\n    at long (/very/long/\npath.js:3:4)\n    at g (/y.js:5:6)")
    assert [frame.path for frame in fault.frames] == ["/x.js", "/y.js"]


def test_a_cut_top_leaves_the_frames() -> None:
    fault = only("    at f (/x.js:1:2)\n    at g (/y.js:3:4)")
    assert (fault.kind, fault.cls, fault.message, len(fault.frames)) == ("cut", "", "", 2)


def test_two_errors_of_a_log_are_two() -> None:
    text = "Error: a\n    at f (/x.js:1:2)\nserver listens\nretrying\nError: b\n    at g (/y.js:1:2)"
    assert [fault.message for fault in faults(text)] == ["a", "b"]


def test_a_stack_may_follow_a_stack_under_a_class_of_any_name() -> None:
    text = "Error: a\n    at f (/x.js:1:2)\nOddName: b\n    at g (/y.js:1:2)"
    assert [(fault.cls, fault.message) for fault in faults(text)] == [("Error", "a"), ("OddName", "b")]


def test_the_listing_above_is_quoted() -> None:
    fault = only('/app/x.js:3\n  throw new Error("a")\n  ^\n\nError: a\n    at f (/app/x.js:3:9)')
    assert (fault.first, fault.quoted) == (0, '  throw new Error("a")')


def test_the_listing_below_is_quoted_and_no_message() -> None:
    fault = only("  Error: a\n\n    > 3 | throw x\n        | ^\n\n      at f (src/x.ts:3:9)")
    assert fault.message == "a"
    assert "throw x" in fault.quoted


def test_marked_heads_need_no_stack() -> None:
    assert only("Uncaught ReferenceError: x is not defined").cls == "ReferenceError"
    assert only("(node:9) StoreWarning: it is old\nmore").message == "it is old"


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: unsupported operand",
        "ValueError: at least one: [x]",
        "PHP Fatal error:  Uncaught Exception: a in /x.php:3",
        "see [docs]: Error: x",
        "code: 'x'",
    ],
)
def test_a_line_that_other_languages_print_too_is_left(text: str) -> None:
    assert faults(text) == []


def test_errors_of_the_typescript_compiler() -> None:
    fault = only("src/x.ts(14,5): error TS2322: Type 'a' is not assignable.")
    assert (fault.codes, fault.message, fault.frames[0].path, fault.frames[0].line) == (
        ("TS2322",),
        "Type 'a' is not assignable.",
        "src/x.ts",
        14,
    )
