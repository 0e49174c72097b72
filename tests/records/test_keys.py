"""URL keys of codes and classes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.keys import MAX_SLUG, url_key


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("ERR_BAD_RESPONSE", "err-bad-response-1a5851"),
        ("std::out_of_range", "std-out-of-range-ec4bb9"),
        ("", "x-e3b0c4"),
        ("错误", "x-0bc1fb"),
        ("word " * 20, "word-word-word-word-word-word-word-word-word-word-word-word-f4acd9"),
    ],
)
def test_a_key_says_the_words_and_never_changes(label, key):
    assert url_key(label) == key


def test_labels_with_the_same_words_have_different_keys():
    assert len({url_key(label) for label in ("E 1", "E-1", "e_1", "E::1", "错误", "錯誤")}) == 6


@given(st.text())
def test_any_label_has_a_key_that_is_safe_in_a_path(label):
    key = url_key(label)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", key)
    assert len(key) <= MAX_SLUG + 7


def test_a_lone_surrogate_has_a_key_too():
    assert url_key("\ud83d").startswith("x-")
