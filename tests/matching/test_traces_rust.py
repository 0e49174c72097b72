"""Rust: panics, chains of causes and errors of the compiler."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault
from kb.matching.traces.rust import find
from tests.matching.test_trace_parsers import lines_of


def faults(text: str) -> list[Fault]:
    return find(lines_of(text))


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    "text",
    [
        "thread 'main' panicked at 'queue is empty', src/queue.rs:12:5",
        "thread '<unnamed>' panicked at 'queue is empty', src/queue.rs:12:5\nnote: run with `RUST_BACKTRACE=1`",
        "thread 'main' panicked at src/queue.rs:12:5:\nqueue is empty",
        "thread 'main' (4711) panicked at src/queue.rs:12:5:\nqueue is empty\nnote: run with `RUST_BACKTRACE=1`",
        "panicked at src/queue.rs:12:5:\nqueue is empty",
        "panicked at 'queue is empty', src/queue.rs:12:5",
        "ERROR app: panicked at src/queue.rs:12:5:\nqueue is empty\n\nnext line of the log",
        "thread 'main' panicked at queue is empty, src/queue.rs:12:5",
    ],
)
def test_a_panic(text: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message, fault.language, fault.kind) == ("", "queue is empty", "Rust", "raised")
    assert [(frame.path, frame.line) for frame in fault.frames] == [("src/queue.rs", 12)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thread 'main' panicked at 'one\n  two\nthree', src/a.rs:1:2", "one\n  two\nthree"),
        ("thread 'main' panicked at src/a.rs:1:2:\none\n\nthree\nstack backtrace:", "one\n\nthree"),
        ("thread 'main' panicked at src/a.rs:1:2:\none\n\nother program's line", "one"),
        ("thread 'main' panicked at 'it's, said', src/a.rs:1:2", "it's, said"),
        ("thread 'main' panicked at 'cut off here", "cut off here"),
        ("thread 'main' panicked at src/a.rs:1:2:", ""),
        ("thread 'main' panicked at '', src/a.rs:1:2", ""),
    ],
)
def test_the_message_of_a_panic(text: str, message: str) -> None:
    assert only(text).message == message


def test_the_frames_of_a_backtrace_begin_at_the_panic_and_leave_out_its_machinery() -> None:
    fault = only(
        "thread 'main' panicked at src/a.rs:7:2:\nsaid\nstack backtrace:\n"
        "   0: rust_begin_unwind\n             at /rustc/1/library/std/src/panicking.rs:1:5\n"
        "   1: 0x55d0 - tool::load::h0123456789abcdef\n             at ./src/a.rs:7:2\n"
        "   2: tool::main\n             at ./src/main.rs:3:4\n"
        "note: Some details are omitted\nnext line"
    )
    assert [(frame.path, frame.line, frame.function) for frame in fault.frames] == [
        ("./src/a.rs", 7, "tool::load"),
        ("./src/main.rs", 3, "tool::main"),
    ]
    assert fault.last == 9


@pytest.mark.parametrize(
    ("value", "cls", "message"),
    [
        ('called `Result::unwrap()` on an `Err` value: Os { code: 2, message: "no file" }', "Os", "no file"),
        ('called `Result::unwrap()` on an `Err` value: "no file"', "", "no file"),
        ('called `Result::unwrap()` on an `Err` value: Parse("no file")', "Parse", "no file"),
        ('cannot start: Os { code: 2, message: "no file" }', "Os", "no file"),
    ],
)
def test_the_value_that_unwrap_found_is_a_wrapped_fault(value: str, cls: str, message: str) -> None:
    outer, inner = faults(f"thread 'main' panicked at src/a.rs:1:2:\n{value}")
    assert outer.message == value
    assert (inner.cls, inner.message, inner.relation, inner.parent) == (cls, message, "wrapped", 0)


@pytest.mark.parametrize(
    "text",
    [
        "Error: outer\n\nCaused by:\n    0: middle\n    1: inner",
        "error: outer\n\nCaused by:\n  middle\n\nCaused by:\n  inner",
        "Error: \n   0: outer\n   1: middle\n   2: inner\n\nLocation:\n   src/main.rs:9",
        "thread 'main' panicked at src/a.rs:1:2:\nouter\n\nCaused by:\n    0: middle\n    1: inner\nnote: run with x",
        "2024-05-01 ERROR outer\n\nCaused by:\n    0: middle\n    1: inner".replace("2024-05-01 ERROR ", ""),
    ],
)
def test_a_chain_of_causes(text: str) -> None:
    chain = faults(text)
    assert [(fault.message, fault.relation, fault.parent) for fault in chain] == [
        ("outer", "", None),
        ("middle", "cause", 0),
        ("inner", "cause", 1),
    ]


def test_an_error_of_the_compiler() -> None:
    fault = only(
        "error[E0382]: borrow of moved value: `name`\n --> src/main.rs:5:20\n  |\n4 |     consume(name);\n"
        "  |             ---- value moved here\n5 |     show(name);\n  |          ^^^^\n\n"
        "error: aborting due to 1 previous error\n"
    )
    assert (fault.message, fault.codes, fault.quoted) == ("borrow of moved value: `name`", ("E0382",), "show(name);")
    assert (fault.frames[0].path, fault.frames[0].line, fault.last) == ("src/main.rs", 5, 8)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Error: boom\n    at load (/app/x.js:3:9)",
        "Error: Failed { a: 1 }\n    at load (/app/x.js:3:9)",
        "Caused by: java.io.IOException: x",
        "error: something else",
        "he panicked at the sight",
        "Caused by:",
        "   0: name\n             at src/a.rs:1:2",
    ],
)
def test_nothing_of_rust(text: str) -> None:
    assert faults(text) == []
