"""Lines that no language claims: class and message, labelled errors, log messages, other text, quoted causes."""

from __future__ import annotations

import pytest

from kb.matching.reading.document import read
from kb.matching.shapes import Fault
from kb.matching.traces.class_names import is_class_name
from kb.matching.traces.endings import begins_other, is_rule, log_prefix
from kb.matching.traces.parse import parse
from kb.matching.traces.statuses import status_in


def faults(text: str) -> tuple[Fault, ...]:
    return parse(read(text).lines)


def told(text: str) -> list[tuple[str, str, str]]:
    return [(fault.kind, fault.cls, fault.message) for fault in faults(text)]


@pytest.mark.parametrize(
    "name",
    [
        "ValueError",
        "Error",
        "java.lang.IllegalStateException",
        "botocore.errorfactory.NoSuchKey",
        "zlib.error",
        "socket.timeout",
        "grpc._channel._InactiveRpcError",
        "ActiveRecord::RecordNotFound",
        "Illuminate\\Database\\QueryException",
        "Http404",
        "queue.Empty",
        "shop.main.<locals>.Gone",
    ],
)
def test_a_class(name: str) -> None:
    assert is_class_name(name)


@pytest.mark.parametrize("name", ["", "error", "Note", "README", "example.com", "a.b", "README.MD", "Foo.Bar", "e.g"])
def test_no_class(name: str) -> None:
    assert not is_class_name(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ValueError: a", ("raised", "ValueError", "a")),
        ("  ValueError: a", ("raised", "ValueError", "a")),
        ("`a.b.GoneError: c`", ("raised", "a.b.GoneError", "c")),
        ("**ValueError: c**", ("raised", "ValueError", "c")),
        ("StopIteration", ("raised", "StopIteration", "")),
        ("error: could not compile", ("raised", "", "could not compile")),
        ("fatal: not a git repository", ("raised", "", "not a git repository")),
        ("git-lfs: error: no such object", ("raised", "", "no such object")),
        ("fatal error: out of memory", ("raised", "", "out of memory")),
        ("[Errno 2] No such file or directory: 'a'", ("line", "", "[Errno 2] No such file or directory: 'a'")),
        ("curl: (6) Could not resolve host: a", ("line", "", "curl: (6) Could not resolve host: a")),
        ("HTTP/1.1 503 Service Unavailable", ("line", "", "HTTP/1.1 503 Service Unavailable")),
        ("the cart is empty", ("line", "", "the cart is empty")),
        ("2024-01-01 10:00:00,123 ERROR [shop.cart] the cart is empty", ("logged", "", "the cart is empty")),
        ("[2024-01-01 10:00:00,123: ERROR/MainProcess] the cart is empty", ("logged", "", "the cart is empty")),
        ("ERROR:shop.cart:the cart is empty", ("logged", "", "the cart is empty")),
        ("ERROR: the cart is empty", ("logged", "", "the cart is empty")),
        ("2024-01-01T10:00:00Z ERROR ValueError: a", ("logged", "ValueError", "a")),
        ('raise GoneError("a', ("cut", "GoneError", "")),
    ],
)
def test_a_line(text: str, expected: tuple[str, str, str]) -> None:
    assert told(text) == [expected]


def test_text_before_an_error_does_not_spoil_it() -> None:
    assert told("after that i got this :\n`a.b.GoneError: it is gone.`") == [
        ("line", "", "after that i got this :"),
        ("raised", "a.b.GoneError", "it is gone."),
    ]
    assert told("I get this error:\n\nthe cart is empty") == [
        ("line", "", "I get this error:"),
        ("line", "", "the cart is empty"),
    ]


def test_lines_of_text_are_one_message() -> None:
    assert told("the cart\nis empty") == [("line", "", "the cart\nis empty")]
    assert told("the cart is empty\n\nfill it first") == [("line", "", "the cart is empty\n\nfill it first")]
    assert told("the shop opens\n\nValueError: a\n\n\nthe shop closes\n\n\nfor ever")[0] == (
        "line",
        "",
        "the shop opens",
    )


def test_a_block_goes_with_its_error() -> None:
    text = "  error: two packages\n\n  To avoid this,\n  do that.\n  [end of output]\nerror: generation-failed\n"
    assert told(text) == [
        ("raised", "", "two packages\n\n  To avoid this,\n  do that."),
        ("raised", "", "generation-failed"),
    ]


def test_a_logged_message_runs_over_lines_without_a_prefix() -> None:
    text = (
        "2024-01-01 10:00:00,000 ERROR a is unknown.\nIt was discarded.\n\nDid you import it?\n"
        "2024-01-01 10:00:01,000 INFO started\n2024-01-01 10:00:02,000 ERROR b failed\n"
    )
    assert told(text) == [
        ("logged", "", "a is unknown.\nIt was discarded.\n\nDid you import it?"),
        ("logged", "", "b failed"),
    ]


def test_quiet_lines_are_told_only_when_there_is_nothing_else() -> None:
    assert told("2024-01-01 10:00:00 INFO started") == [("logged", "", "started")]
    assert told("2024-01-01 10:00:00 INFO started\nValueError: a") == [("raised", "ValueError", "a")]
    assert told("$ ls\nValueError: a\nexit status 1") == [("raised", "ValueError", "a")]
    assert told("$ ls") == [("line", "", "$ ls")]


def test_a_statement_above_its_error_is_not_told() -> None:
    assert told("raise GoneError(\nGoneError: it is gone") == [("raised", "GoneError", "it is gone")]


def test_nothing() -> None:
    assert told("") == []
    assert told("\n \n-----\n=====\n") == []
    assert told("()[]{}!?") == []


@pytest.mark.parametrize(
    ("cls", "language"),
    [
        ("java.lang.IllegalStateException", "Java"),
        ("System.InvalidOperationException", "C#"),
        ("ModuleNotFoundError", "Python"),
        ("django.db.utils.ProgrammingError", "Python"),
        ("ValueError", ""),
        ("KeyError", ""),
    ],
)
def test_a_language_is_told_only_by_a_sure_class(cls: str, language: str) -> None:
    assert faults(f"{cls}: a")[0].language == language


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("AError: x (Caused by BError('<a at 0x1>: no route'))", [("BError", "<a at 0x1>: no route", 0)]),
        ("AError: x (Caused by BError('no route',))", [("BError", "no route", 0)]),
        ("AError: ('gone', BError(104, 'reset by peer'))", [("BError", "reset by peer", 0)]),
        (
            "AError: x (Caused by BError(CError(1, '[SSL] bad')))",
            [("BError", "CError(1, '[SSL] bad')", 0), ("CError", "[SSL] bad", 1)],
        ),
        ("AError: x (Caused by BError('cut here", [("BError", "cut here", 0)]),
        ("a.AError: (b.c.BError) no such table", [("b.c.BError", "no such table", 0)]),
        ('a.AError: (b.c.BError) (1045, "denied")', [("b.c.BError", "denied", 0)]),
        ("a.AError: (b.BError) no table\nLINE 1: SELECT", [("b.BError", "no table\nLINE 1: SELECT", 0)]),
        ("a.AError: (b.BError) no table\n(Background on this error at: x)", [("b.BError", "no table", 0)]),
        ("AError: BError: CError: x", [("BError", "CError: x", 0), ("CError", "x", 1)]),
        ("it failed with BError: x", [("BError", "x", 0)]),
        ("AError: rpc error: code = Unavailable desc = no host", [("", "no host", 0)]),
        ("AError: x (see BError)", []),
        ("AError: x BError() y", []),
        ("AError: https://example.org/BError: x", []),
    ],
)
def test_a_cause_inside_a_message(text: str, inner: list[tuple[str, str, int]]) -> None:
    document = read(text)
    found = parse(document.lines)
    assert [(fault.cls, fault.message, fault.parent) for fault in found[1:]] == inner
    for fault in found[1:]:
        assert fault.relation == "wrapped"
        line = document.lines[fault.message_line].text
        assert line[fault.message_column :].startswith(fault.message.partition("\n")[0])


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("HTTP/1.1 503 Service Unavailable", 503),
        ("HTTP Error 403: Forbidden", 403),
        ("Request failed with status code 404", 404),
        ("status: 429", 429),
        ('{"statusCode": 502}', 502),
        ("404 Client Error: Not Found for url: x", 404),
        ("got 500 Internal Server Error", 500),
        ("took 404 ms", None),
        ("status 7", None),
        ("error 4040", None),
    ],
)
def test_a_status(text: str, status: int | None) -> None:
    assert status_in(text) == status


def test_codes_are_told() -> None:
    assert "ECONNREFUSED" in faults("connect ECONNREFUSED 127.0.0.1:80")[0].codes


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2024-01-01 10:00:00 x y", "x y"),
        ("2024-01-01T10:00:00.123456789Z x y", "x y"),
        ("[2024-01-01 10:00:00,123] [ERROR] x y", "x y"),
        ("2024-01-01 10:00:00,123 - shop.cart - ERROR - x y", "x y"),
        ("Jan  2 10:00:00 host app[12]: x y", "host app[12]: x y"),
        ("10:00:00.123 [main] ERROR shop.Cart - x y", "x y"),
        ("ERROR x y", "x y"),
        ("x y", "x y"),
        ("Error: x y", "Error: x y"),
        ("ERRORS x y", "ERRORS x y"),
    ],
)
def test_what_stands_before_a_log_message(text: str, rest: str) -> None:
    assert text[log_prefix(text) :] == rest


def test_a_rule_is_drawn() -> None:
    for text in ("-----", "======", "_ _ _ _ _", "____ test_a ____", "=== FAILURES ===", "+-+---- 1 ----"):
        assert is_rule(text)
    for text in ("", "---", "a", "- a", "-12345", "*args*", "a ====="):
        assert not is_rule(text)


def test_prose_begins_nothing_else() -> None:
    for text in (
        "the cart is empty",
        "Please set a.",
        "(a) b",
        "[a] b",
        "I > you",
        "LINE 1: SELECT",
        "C: the drive",
        "Info",
    ):
        assert not begins_other(text)
