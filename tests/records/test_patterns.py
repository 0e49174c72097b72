"""Patterns that find a record by what is printed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.messages import fill_message
from kb.records.patterns import matching_pattern


@pytest.mark.parametrize(
    ("pattern", "message", "expected"),
    [
        (
            r"Several \{kind\} in one folder: \{found\}\.",
            "Several {kind} in one folder: {found}.",
            "Several (.+?) in one folder: (.+?)\\.",
        ),
        (r"Value %s is not allowed here", "Value %s is not allowed here", "Value (.+?) is not allowed here"),
        ("Value (.+?) is not allowed", "Value {x} is not allowed", "Value (.+?) is not allowed"),
        ("Nothing to fill in", "Nothing to fill in", "Nothing to fill in"),
        (r"\{x\} a", "{x} a", r"\{x\} a"),
        ("another text", "Value {x} is not allowed", "another text"),
        ("[a-z]+ failed", "{x} failed", "[a-z]+ failed"),
        ("", "{x} failed to be read", ""),
    ],
)
def test_a_template_word_for_word_gets_gaps(pattern: str, message: str, expected: str) -> None:
    assert matching_pattern(pattern, message) == expected


@given(
    st.lists(
        st.sampled_from(["{name}", "%s", "words of a message ", "a.b ", "(c) ", "[d] ", "\\ "]), min_size=1, max_size=8
    )
)
def test_what_is_printed_fits(pieces: list[str]) -> None:
    message = "".join(pieces)
    escaped = re.sub(r"[.*+?^${}()|\[\]\\]", r"\\\g<0>", message)
    pattern = matching_pattern(escaped, message)
    assert pattern == escaped or re.search(pattern, fill_message(message))
