"""Undoing the breaks that a width made in a message."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.joining import joined

MESSAGE = "The parcel of shop/cart-12 has left the warehouse without its label and cannot be delivered to anybody today"


@pytest.mark.parametrize("width", [40, 43, 60, 79])
@pytest.mark.parametrize("column", [0, 12])
def test_a_text_broken_at_any_column_is_whole_again(width: int, column: int) -> None:
    padded = "x" * column + MESSAGE
    broken = "\n".join(padded[at : at + width] for at in range(0, len(padded), width))[column:]
    readings = [broken, *(whole.text for whole in joined(broken, column))]
    assert MESSAGE in [" ".join(reading.split()) for reading in readings]


@pytest.mark.parametrize("width", [45, 60, 79])
def test_a_text_broken_between_words_is_whole_again(width: int) -> None:
    assert joined("\n".join(textwrap.wrap(MESSAGE, width)), 0)[0].text == MESSAGE


@pytest.mark.parametrize("text", ["", "one line", "short\nlines", f"{MESSAGE}\n\nnext", f"{MESSAGE}\n  indented"])
def test_a_break_that_no_width_made_stays(text: str) -> None:
    assert joined(text, 0) == ()


@given(st.text(st.sampled_from("ab \n"), max_size=400), st.integers(0, 50))
def test_every_character_keeps_its_place(text: str, column: int) -> None:
    for whole in joined(text, column):
        for at, character in enumerate(whole.text):
            there = text[whole.place(at)]
            assert there == character or (character, there) == (" ", "\n")
