"""URL keys of codes and classes."""

from __future__ import annotations

import itertools
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.keys import MAX_KEY, url_key


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("ERR_BAD_RESPONSE", "err-bad-response-1a5851"),
        ("std::out_of_range", "std-out-of-range-ec4bb9"),
        ("auth/invalid-email", "auth-invalid-email-c0e339"),
        ("a.B c", "a-b-c-9849be"),
        ("w" * 60, f"{'w' * 60}-e0bd8d"),
        ("", "x-e3b0c44298fc"),
        ("错误", "x-0bc1fb72ae1b"),
        ("$E", "e-c17eb82b2e89"),
        ("E__1", "e-1-fb618d048135"),
        ("_E", "e-e58e1960e4c4"),
        ("E[1]", "e-1-f266be87769c"),
        ("\u212aey", "key-89cd788489ad"),
        ("w" * 61, f"{'w' * 60}-c1a35cf85870"),
        ("word " * 20, "word-word-word-word-word-word-word-word-word-word-word-word-f4acd9dd627a"),
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
    assert len(key) <= MAX_KEY


def test_a_lone_surrogate_has_a_key_too():
    assert url_key("\ud83d").startswith("x-")


def test_no_two_short_labels_share_a_key():
    labels = ["".join(letters) for size in range(3) for letters in itertools.product(string.printable, repeat=size)]
    labels += ["".join(letters) for letters in itertools.product("eE1_-.:/ $*@", repeat=4)]
    assert_no_key_twice(set(labels))


def test_no_two_codes_share_a_key_that_differ_only_in_what_a_slug_drops():
    dropped = ("_", ".", "$", "*", "@", ":", "^", "-", " ", "é", "误")
    labels = {f"E{''.join(between)}1" for size in range(5) for between in itertools.product(dropped, repeat=size)}
    assert {"E._$*1", "E.@:^1"} <= labels  # which had the same six digits
    assert_no_key_twice(labels)


@given(st.lists(st.text("ab1_-.:/ $*@é", max_size=70), max_size=200, unique=True))
def test_no_two_labels_of_a_catalog_share_a_key(labels):
    assert_no_key_twice(set(labels))


def assert_no_key_twice(labels):
    first = {}
    assert [(label, first[key]) for label in labels if first.setdefault(key := url_key(label), label) != label] == []
