"""Values of a text in a record's message and where its advice names them."""

from __future__ import annotations

import pytest

from kb.matching.answers import Capture
from kb.present.captures import captured_label, captured_value, filled_message, named_in_code, named_in_prose


def taken(placeholder: str, value: str = "v", name: str | None = None) -> Capture:
    bare = placeholder.strip("${}") if name is None else name
    return Capture(placeholder=placeholder, name=bare, value=value)


@pytest.mark.parametrize(
    ("message", "captures", "filled"),
    [
        ("status {status}", [taken("{status}", "503")], "status [503]"),
        ("{a} and {a}", [taken("{a}", "1"), taken("{a}", "2")], "[1] and [2]"),
        ("{a} and {b}", [taken("{b}", "2")], "{a} and [2]"),
        ("%s of %d", [taken("%s", "x", ""), taken("%d", "7", "")], "[x] of [7]"),
        ("{a}", [taken("{b}", "2")], "{a}"),
        ("no gap", [taken("{b}", "2")], "no gap"),
        ("{a}", [taken("{a}", "one\ntwo")], "[one two]"),
    ],
)
def test_a_message_is_filled_in_order(message: str, captures: list[Capture], filled: str) -> None:
    parts = filled_message(message, captures)
    assert "".join(f"[{part.text}]" if part.filled else part.text for part in parts) == filled


@pytest.mark.parametrize(
    ("code", "name", "found"),
    [
        ("if status == 503:", "status", True),
        ("response.status", "status", True),
        ("http_status = 1", "status", False),
        ("statuses", "status", False),
        ("$status", "status", False),
        ("status", "", False),
        ("e.code", "e", False),
        (None, "status", False),
        ("a" * 30_000 + " status", "status", False),
    ],
)
def test_code_names_a_value_by_its_identifier(code: str | None, name: str, found: bool) -> None:
    capture = taken(f"{{{name}}}", name=name)
    assert named_in_code(code, [capture]) == ((capture,) if found else ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Check `path` first.", True),
        ("Run `ls path`.", True),
        ("Look at {path}.", True),
        ("Check the path first.", False),
        ("Check `paths`.", False),
    ],
)
def test_prose_names_a_value_as_code_only(text: str, found: bool) -> None:
    capture = taken("{path}")
    assert named_in_prose(text, [capture]) == ((capture,) if found else ())


def test_a_name_is_told_once_with_its_first_value() -> None:
    first, second = taken("{a_b}", "1"), taken("{a_b}", "2")
    assert named_in_code("a_b a_b", [first, second]) == (first,)


def test_values_and_labels_are_short() -> None:
    assert captured_label(taken("%s", name="")) == "%s"
    assert captured_label(taken("{x.y}")) == "x.y"
    assert len(captured_value(taken("{x}", "word " * 500))) <= 240
