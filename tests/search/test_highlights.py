"""Marking words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.search.highlights import Marks, excerpt, mark, marks
from kb.search.suggestions import Correction
from kb.search.tokens import unit_list


def _marks(query, corrected=None):
    return marks([unit for word in query.split() for unit in unit_list(word)], corrected or {})


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("timeout", "A Timeout, no timeouts", ["Timeout"]),
        ("pointer", "NullPointerException pointers", ["Pointer"]),
        ("NullPointerException", "a NullPointerException", ["NullPointerException"]),
        ("err_bad", "ERR_BAD_REQUEST", ["ERR", "BAD"]),
        ("cafe", "Café — café!", ["Café", "café"]),
        ("strasse", "Straße", ["Straße"]),
        ("权限", "权限不足,无权限", ["权限", "权限"]),
        ("a", "a bad apple", ["a"]),
        ("", "nothing — at all", []),
        ("x.*", "x.* x", ["x", "x"]),
    ],
)
def test_marks(query, text, marked):
    segments = mark(text, _marks(query))
    assert [piece for piece, flag in segments if flag] == marked
    assert "".join(piece for piece, _ in segments) == text


def test_corrected_words_are_marked():
    corrected = {"timeuot": (Correction("timeout", 1, 5),)}
    assert [piece for piece, flag in mark("a timeout", _marks("timeuot", corrected)) if flag] == ["timeout"]


def test_an_excerpt_goes_to_the_first_marked_word():
    text = "start " * 100 + "here stands the needle that matters " + "end " * 100
    segments = excerpt(text, _marks("needle"), limit=80)
    shown = "".join(piece for piece, _ in segments)
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert [piece for piece, flag in segments if flag] == ["needle"]
    assert len(shown) <= 84


def test_a_short_text_is_its_own_excerpt():
    assert excerpt("one\n two", _marks("two"), limit=80) == (("one ", False), ("two", True))


def test_short_words_are_not_marked_in_prose_unless_alone():
    assert _marks("is a timeout").without_short().words == {"timeout"}
    assert _marks("is a").without_short().words == {"is", "a"}


@given(text=st.text(), query=st.text(max_size=40))
def test_segments_always_join_to_the_text(text, query):
    wanted = _marks(query)
    assert "".join(piece for piece, _ in mark(text, wanted)) == text
    assert len("".join(piece for piece, _ in excerpt(text, wanted, limit=40))) <= 44


def test_an_endless_word_is_cut():
    assert len("".join(piece for piece, _ in excerpt("x" * 100_000, Marks(), limit=80))) <= 84
