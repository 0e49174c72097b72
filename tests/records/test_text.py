"""Storable text, folding, excerpts."""

from __future__ import annotations

import pytest

from kb.records.text import clean_text, counted, fold, one_line


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("", ""),
        ("plain", "plain"),
        ("naïve 名前 😀", "naïve 名前 😀"),
        ("a\x00b", "a\ufffdb"),
        ("\ud83d", "\ufffd"),
        ("x\ud83d\ude00y", "x\ufffd\ufffdy"),
        ("é\x00\udfff", "é\ufffd\ufffd"),
    ],
)
def test_what_cannot_be_stored_is_replaced(text, cleaned):
    assert clean_text(text) == (cleaned, text != cleaned)


@pytest.mark.parametrize(
    ("text", "folded"),
    [("ERR_Bad", "err_bad"), ("Straße", "strasse"), ("ＥＲＲ％", "err%"), ("ﬁle", "file"), ("ÉCHEC", "échec")],
)
def test_folding_goes_beyond_ascii(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("  two\n\twords ", 20, "two words"),
        ("", 5, ""),
        ("exactly", 7, "exactly"),
        ("several words here", 14, "several words…"),
        ("several words here", 13, "several…"),
        ("unbreakable" * 3, 10, "unbreakab…"),
        ("a " + "b" * 20, 10, "a bbbbbbb…"),
        ("abc", 1, "…"),
    ],
)
def test_an_excerpt_is_one_line_of_bounded_length(text, limit, line):
    assert one_line(text, limit) == line
    assert len(line) <= limit


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(number, "file") for number in (0, 1, 2, 1234)] == ["0 files", "1 file", "2 files", "1,234 files"]
    assert [counted(number, "repository", "repositories") for number in (1, 3)] == ["1 repository", "3 repositories"]
