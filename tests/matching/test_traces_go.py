"""Go: panics and their stacks, errors with stacks, logs and the compiler."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault, Line
from kb.matching.traces.go import find
from kb.matching.traces.go_lines import after_date, wrapped_starts

STACK = "\ngoroutine 1 [running]:\nmain.run(0x1)\n\t/app/main.go:7 +0x1d\nmain.main()\n\t/app/main.go:3 +0x20"


def faults(text: str) -> list[Fault]:
    return find([Line(text=line, start=0) for line in text.split("\n")])


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


def test_a_panic_has_the_frames_of_its_goroutine_only() -> None:
    fault = only(
        f"panic: it broke\n{STACK}\n\ngoroutine 6 [select]:\nmain.other()\n\t/app/other.go:9 +0x1\nexit status 2"
    )
    assert [(frame.path, frame.line, frame.function, frame.at) for frame in fault.frames] == [
        ("/app/main.go", 7, "main.run", 4),
        ("/app/main.go", 3, "main.main", 6),
    ]
    assert (fault.message, fault.message_column, fault.first) == ("it broke", 7, 0)


def test_indentation_may_be_lost() -> None:
    assert len(only(f"panic: it broke\n{STACK}".replace("\t", "")).frames) == 2


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("main.(*Store).Get(...)", "main.(*Store).Get"),
        ("example.org/tool/v2.Get({0x1, 0x2}, 0x3?)", "example.org/tool/v2.Get"),
        ("main.Map[...](0x1)", "main.Map[...]"),
        ("main.main.func1.2()", "main.main.func1.2"),
    ],
)
def test_the_function_stands_above_its_place(line: str, function: str) -> None:
    assert only(f"panic: a\n\ngoroutine 1 [running]:\n{line}\n\t/app/main.go:7 +0x1").frames[0].function == function


@pytest.mark.parametrize(
    ("head", "message", "cls"),
    [
        ("panic: a b\nsecond line", "a b\nsecond line", ""),
        (
            "panic: runtime error: nil map\n[signal SIGSEGV: segmentation violation code=0x1]",
            "runtime error: nil map",
            "",
        ),
        ("fatal error: all goroutines are asleep - deadlock!", "all goroutines are asleep - deadlock!", ""),
        ("panic: (main.T) {...}", "{...}", "main.T"),
        ("panic: (*main.T) 0xc0000", "0xc0000", "main.T"),
        ("panic: a [recovered]\n\tpanic: a", "a", ""),
        ("panic: a [recovered, repanicked]", "a", ""),
    ],
)
def test_a_head(head: str, message: str, cls: str) -> None:
    fault = only(f"{head}\n{STACK}")
    assert (fault.message, fault.cls, len(fault.frames)) == (message, cls, 2)


def test_a_later_panic_wraps_the_one_before_and_each_has_its_frames() -> None:
    stack = (
        "\ngoroutine 1 [running]:\nmain.run.func1()\n\t/app/main.go:9 +0x1\npanic({0x1})\n"
        "\t/go/runtime/panic.go:884 +0x2\nmain.run()\n\t/app/main.go:7 +0x1"
    )
    first, second = faults(f"panic: a [recovered]\n\tpanic: b\n{stack}")
    assert (first.message, first.parent, first.relation) == ("a", 1, "context")
    assert (second.message, second.parent) == ("b", None)
    assert [frame.line for frame in first.frames] == [7]
    assert [frame.line for frame in second.frames] == [9, 7]


def test_wrapped_messages_are_tried_from_the_whole_to_the_innermost() -> None:
    text = "panic: load x: open /a: no such file"
    found = faults(f"{text}\n{STACK}")
    assert [fault.message for fault in found] == [
        "load x: open /a: no such file",
        "open /a: no such file",
        "no such file",
    ]
    assert [(fault.parent, fault.relation) for fault in found] == [(None, ""), (0, "wrapped"), (1, "wrapped")]
    assert [text[fault.message_column :] for fault in found] == [fault.message for fault in found]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("runtime error: index out of range", []),
        ("a: runtime error: index out of range", ["runtime error: index out of range"]),
        ('decode: bad field "a: b c": no such field', ['bad field "a: b c": no such field', "no such field"]),
        ("a: rpc error: code = X desc = no such item", ["rpc error: code = X desc = no such item", "no such item"]),
        ("rpc error: code = NotFound desc = no such item", ["no such item"]),
        ("a: EOF", []),
        ("plain", []),
    ],
)
def test_where_a_message_divides(message: str, parts: list[str]) -> None:
    found = [message[start:] for start in wrapped_starts(message)]
    assert found == parts


def test_a_long_chain_keeps_its_innermost_parts() -> None:
    message = ": ".join(f"step {number}" for number in range(30))
    starts = wrapped_starts(message)
    assert len(starts) == 8
    assert message[starts[-1] :] == "step 29"


def test_a_served_panic_is_read_from_the_log() -> None:
    stack = STACK.strip().replace("main.run(0x1)", "net/http.serve.func1()\n\t/go/server.go:1 +0x1\npanic({0x1})", 1)
    stack = stack.replace("\t/app/main.go:7", "\t/go/panic.go:8", 1)
    fault = only(f"2024/05/01 10:11:12 http: panic serving 127.0.0.1:5: it broke\n{stack}")
    assert (fault.message, fault.kind, [frame.function for frame in fault.frames]) == (
        "it broke",
        "logged",
        ["main.main"],
    )


def test_errors_with_stacks_chain_from_the_root() -> None:
    root, wrapper = faults(
        "not there\nmain.open\n\t/a/open.go:3\ncould not load\nmain.load\n\t/a/load.go:4\nmain.main\n\t/a/m.go:5"
    )
    assert (root.message, root.parent, root.relation) == ("not there", 1, "cause")
    assert (wrapper.message, len(wrapper.frames)) == ("could not load", 2)


@pytest.mark.parametrize(
    ("text", "message", "path", "line"),
    [
        ("./main.go:12:2: undefined name", "undefined name", "./main.go", 12),
        ("    main_test.go:12: got 1, want 2", "got 1, want 2", "main_test.go", 12),
        ("2009/11/10 23:00:00 main.go:12: it broke", "it broke", "main.go", 12),
        ("E0102 03:04:05.000006       7 loop.go:12] it broke", "it broke", "loop.go", 12),
    ],
)
def test_a_line_with_a_place(text: str, message: str, path: str, line: int) -> None:
    fault = only(text)
    assert (fault.message, fault.frames[0].path, fault.frames[0].line) == (message, path, line)


def test_the_last_log_line_before_a_status_is_the_error() -> None:
    fault = only("2009/11/10 23:00:00.123456 it broke\nexit status 1")
    assert (fault.message, fault.kind, fault.last) == ("it broke", "logged", 1)


def test_the_date_may_have_been_taken_away_as_a_prefix() -> None:
    lines = [Line(text="it broke", start=20, removed="2009/11/10 23:00:00 "), Line(text="exit status 1", start=29)]
    (fault,) = find(lines)
    assert (fault.message, fault.message_column) == ("it broke", 0)


@pytest.mark.parametrize(
    "text",
    [
        "it broke\nexit status 1",
        "fatal error: foo.h: No such file or directory",
        "I0102 03:04:05.000006       7 loop.go:12] all is well",
        "goroutine 1 [running]:",
        "see main.go: it is there",
        "thread 'main' panicked at src/main.rs:2:5:\nit broke",
    ],
)
def test_what_is_no_error_of_go(text: str) -> None:
    assert faults(text) == []


def test_a_panic_without_a_stack_is_kept_when_something_else_tells_go() -> None:
    assert [fault.message for fault in faults("panic: it broke\nother text\npanic: again\nexit status 2")] == [
        "it broke",
        "again",
    ]
    assert faults("panic: it broke\nother text") == []


def test_the_date_of_a_log_line() -> None:
    assert after_date("2009/11/10 23:00:00 x") == 20
    assert after_date("2009-11-10 23:00:00 x") == 0
    assert after_date("\u0662009/11/10 23:00:00 x") == 0
