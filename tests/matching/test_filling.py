"""What a record's message looks like when a program prints it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.filling import filled_message, literal_characters, own_text
from kb.records.messages import split_message


@pytest.mark.parametrize(
    ("message", "filled"),
    [
        ("no fuel", "no fuel"),
        ("expected %d items, got %d", "expected 42 items, got 7"),
        ("%s is not %s", "user_name is not main"),
        ("took %.2fs", "took 2.5s"),
        ("unknown flag %q", 'unknown flag "user_name"'),
        ("at %p", "at 0xc000010250"),
        ("cannot open %(path)s", "cannot open /srv/app/settings.yaml"),
        ("cannot open {file_name!r}", "cannot open 'user_name'"),
        ("status {status} from {baseURL}", "status 42 from https://example.org/"),
        ("Request failed with status code ${response.status}", "Request failed with status code 42"),
        ("{count:d} rows", "42 rows"),
        ("{value:?} is bad", "'user_name' is bad"),
        ("{} is not one of {choices}", "user_name is not one of ['alpha', 'beta']"),
        ("host #{host} is down", "host db.example.org is down"),
        ("failed: {err}", "failed: the operation was canceled halfway"),
        ("version {self.version}", "version 2.4.1"),
    ],
)
def test_values_fit_their_placeholders(message: str, filled: str) -> None:
    assert filled_message(message) == filled


def test_a_class_stands_before_its_message() -> None:
    assert own_text("no fuel in {tank}", "FuelError") == "FuelError: no fuel in user_name"
    assert own_text("no fuel", None) == "no fuel"
    assert own_text("no fuel", "panic", "Go") == "panic: no fuel"
    assert own_text("no fuel", "panic", "Rust") == "thread 'main' panicked at src/main.rs:12:9:\nno fuel"


def test_literal_characters_are_those_outside_of_placeholders_and_blanks() -> None:
    assert literal_characters("a {name} b\n%s c") == 3
    assert literal_characters("{}") == 0


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from(["{a}", "%s", "%d", "{", "}", "%", "x ", "#{b}", "${c}"])).map("".join)
)
def test_any_message_is_filled_the_same_way_twice_and_keeps_its_text(message: str) -> None:
    filled = filled_message(message)
    assert filled == filled_message(message)
    literals = [part.text for part in split_message(message) if part.kind == "text"]
    assert re.search(".*".join(map(re.escape, literals)), filled, re.DOTALL)
