"""Reading log lines that are data: JSON, logfmt, traces with escaped line breaks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.reading.document import read

STACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\nValueError: bad "thing"'


def texts(text: str) -> list[str]:
    return [line.text for line in read(text).lines]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"level": "error", "message": "no such tool"}, ["no such tool"]),
        ({"level": 50, "msg": "outer", "err": {"type": "TypeError", "message": "in"}}, ["outer", "TypeError: in"]),
        ({"message": "failed", "exc_info": STACK}, ["failed", *STACK.splitlines()]),
        ({"message": 'bad "thing"', "exc_info": STACK}, STACK.splitlines()),
        ({"event": "failed", "error": {"stack_trace": STACK}}, ["failed", *STACK.splitlines()]),
        ({"severity": "ERROR", "jsonPayload": {"message": "inner"}}, ["inner"]),
        ({"fields": {"message": "inner"}, "target": "crate"}, ["inner"]),
        ({"log": "  File \\x\n", "stream": "stderr"}, ["  File \\x"]),
        ({"log": json.dumps({"msg": "2024-01-17 06:55:00 ERROR deep"}), "stream": "stderr"}, ["deep"]),
        ({"error": {"code": 404, "message": "not there", "status": "NOT_FOUND"}},
         ["not there", "code: 404", "status: NOT_FOUND"]),
        ({"errors": [{"message": "first"}, {"message": "second", "extensions": {"code": "BAD"}}]},
         ["first", "second", "code: BAD"]),
        ({"errorMessage": "'id'", "errorType": "KeyError", "stackTrace": ['  File "a.py", line 1, in f\n    x\n']},
         ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "    x", "KeyError: 'id'"]),
        ({"errorType": "Error", "errorMessage": "bad", "stack": ["Error: bad", "    at f (a.js:1:2)"]},
         ["Error: bad", "    at f (a.js:1:2)"]),
        ({"event": "outer", "exception": [{"exc_type": "E", "exc_value": "v", "frames": [
            {"filename": "a.py", "lineno": 3, "name": "f"}]}]},
         ["outer", "Traceback (most recent call last):", '  File "a.py", line 3, in f', "E: v"]),
    ],
)  # fmt: skip
def test_a_json_line_gives_its_message_and_its_errors(value: object, lines: list[str]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":"))):
        assert texts(text) == lines
        assert texts(f"web-1  | {text}\nweb-1  | next") == [*lines, "next"]


def test_json_lines_in_a_row_are_read_as_one_text() -> None:
    text = "\n".join(json.dumps({"log": line + "\n", "stream": "stderr"}) for line in ("> a", "> ", "> b"))
    assert texts(text) == ["a", "", "b"]


def test_members_of_a_broken_object_are_read() -> None:
    text = '{\n  "error": {\n    "message": "no \\"tool\\"",\n    "param": null'
    assert texts(text)[2] == 'no "tool"'


def test_logfmt_gives_message_and_error() -> None:
    text = 'time="2024-01-17T06:55:00Z" level=error msg="bad \\"thing\\"" error="dial: refused" size=3'
    assert texts(text) == ['bad "thing"', "dial: refused"]


@pytest.mark.parametrize("frame", ["{}", "error={}", "b'{}'", '"{}"'])
def test_a_trace_with_escaped_line_breaks_is_opened(frame: str) -> None:
    escaped = STACK.replace('"', '\\"').replace("\n", "\\n")
    assert texts(frame.format(escaped))[1:] == STACK.splitlines()[1:]


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "{}", '{"message": }', '{"message": "' + "x", "{'message': 'a'}", '"msg"']
)
def test_other_braces_stay(text: str) -> None:
    assert texts(text) == [text]


def test_decoded_characters_lie_in_their_line_and_strings_where_they_stand() -> None:
    text = 'before\n  {"message": "no \\"tool\\" caf\\u00e9"}\nafter'
    line = read(text).lines[1]
    assert line.text == 'no "tool" café'
    assert text[line.place(0) :].startswith('no \\"tool')
    assert text[line.place(line.text.index("tool")) :].startswith('tool\\"')
    assert text[line.place(line.text.index("é")) :].startswith("\\u00e9")


values = st.recursive(
    st.one_of(st.text(max_size=20), st.integers(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(("message", "error", "stack", "frames", "type", "code", "x")), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


@given(values, st.booleans())
def test_any_json_is_read_and_stays_inside_its_line(value: object, ascii_only: bool) -> None:
    body = json.dumps({"message": value}, ensure_ascii=ascii_only)
    text = f"one\n{body}\ntwo"
    for line in read(text).lines:
        for column in range(len(line.text)):
            assert 0 <= line.place(column) < len(text)


def test_json_too_deep_to_decode_stays_as_it_is() -> None:
    text = '{"message":' + "[" * 100_000 + "]" * 100_000 + "}"
    assert texts(text) == [text]
