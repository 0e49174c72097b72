"""Messages: placeholders marked, everything escaped."""

from __future__ import annotations

import pytest

from kb.present.invisible import visible_text
from kb.present.message import message_html, message_text


@pytest.mark.parametrize(
    ("message", "html"),
    [
        ("timeout of {ms}ms exceeded", 'timeout of <span class="ph">{ms}</span>ms exceeded'),
        ("%(name)s is <b>", '<span class="ph">%(name)s</span> is &lt;b&gt;'),
        ("no {placeholder", "no {placeholder"),
        ("${a<b}", '<span class="ph">${a&lt;b}</span>'),
        ("two\nlines", "two\nlines"),
        ("", ""),
    ],
)
def test_placeholders_are_marked_and_everything_is_escaped(message: str, html: str) -> None:
    assert message_html(message) == html


def test_a_limited_message_is_one_line() -> None:
    made = message_html("one\ntwo {three} " + "four " * 50, limit=22)
    assert made == 'one two <span class="ph">{three}</span> four…'
    text = message_text("one\ntwo " + "\u202e" * 50, limit=20)
    assert text.startswith("one two ⟨U+202E⟩")
    assert len(text) == 20


def test_hostile_messages_are_harmless(hostile, audit) -> None:
    whole, line = audit(message_html(hostile)), audit(message_html(hostile, limit=100))
    assert whole.text == visible_text(hostile)
    assert "\n" not in line.text
    assert not whole.links
