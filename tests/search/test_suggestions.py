"""Other spellings."""

from __future__ import annotations

import pytest

from kb.search.open import open_revision
from kb.search.suggestions import corrections, distance, is_correctable


@pytest.mark.parametrize(
    ("left", "right", "apart"),
    [
        ("timeout", "timeout", 0),
        ("timeuot", "timeout", 1),
        ("timout", "timeout", 1),
        ("timeoout", "timeout", 1),
        ("timebut", "timeout", 1),
        ("conexion", "connection", 3),
        ("", "abc", 3),
        ("ca", "abc", 3),
    ],
)
def test_distance(left, right, apart):
    assert distance(left, right) == distance(right, left) == apart


@pytest.mark.parametrize(
    ("word", "may"), [("timeout", True), ("tim", False), ("e0382", False), ("x" * 40, False), ("权限不足权限", False)]
)
def test_only_plain_words_are_corrected(word, may):
    assert is_correctable(word) is may


def test_corrections_are_near_frequent_and_few(publish, make_view):
    words = ["contact"] * 3 + ["contract"] * 5 + ["contrast", "compact"]
    directory = publish(
        make_view(id=f"{number:016x}", error_message=f"the {word} failed") for number, word in enumerate(words)
    )
    opened = open_revision(1, directory=directory)
    found = corrections("conttract", searcher=opened.words_searcher, schema=opened.words_schema)
    assert [(entry.word, entry.distance, entry.count) for entry in found] == [("contract", 1, 5)]
    found = corrections("contact", searcher=opened.words_searcher, schema=opened.words_schema)
    assert [entry.word for entry in found] == ["contract"]
    assert corrections("con", searcher=opened.words_searcher, schema=opened.words_schema) == ()
