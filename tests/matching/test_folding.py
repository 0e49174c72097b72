"""The comparison form of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.reading.folding import fold, fold_map

texts = st.text(
    st.one_of(st.sampled_from("aB '\"`\n\r\t’“…—-.\u00a0\u200b\x1f\u2028\ud800"), st.characters()), max_size=40
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        (" \n\t ", ""),
        ("'\"`", ""),
        ("KeyError: 'no such key'", "KeyError: no such key"),
        ("“cannot open” ‘file’", "cannot open file"),
        ("can’t — won’t – or‑not", "cant - wont - or-not"),
        ("wait…", "wait..."),
        ("two  blanks\u00a0and\r\n\tmore", "two blanks and more"),
        ("a ' ' b", "a b"),
        ("zero\u200bwidth", "zerowidth"),
        ("Keeps Case é ﬁ ％", "Keeps Case é ﬁ ％"),
        (r"C:\temp\'x\'", r"C:\temp\x\ ".strip()),
    ],
)
def test_folds(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(texts)
def test_the_map_gives_the_same_form_and_rising_offsets_of_the_characters_that_stand_for_it(text: str) -> None:
    folded, offsets = fold_map(text)
    assert folded == fold(text)
    assert len(offsets) == len(folded)
    assert list(offsets) == sorted(offsets)
    for character, offset in zip(folded, offsets, strict=True):
        assert fold(f"x{text[offset]}x")[1:2] == character or text[offset] == "…"


def test_the_map_leads_to_the_characters() -> None:
    assert fold_map("a…\t\n‘b’") == ("a... b", [0, 1, 1, 1, 2, 5])
    assert fold_map("\ud800 …") == ("\ud800 ...", [0, 1, 2, 2, 2])


@given(texts, texts, texts)
def test_a_part_of_a_text_stays_a_part_of_it(before: str, part: str, after: str) -> None:
    assert fold(part) in fold(before + part + after)


@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
