"""Identifiers in many texts at once."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from kb.search.identifiers import parts_of_all
from kb.search.tokens import identifier_parts

WORDS = st.text(alphabet="aZbQ09_. \n-é漢İ", max_size=30) | st.text(max_size=12)
LONG = "Aa0" * 200


@given(st.lists(WORDS, max_size=6))
@example([])
@example([""])
@example(["HTTPServerError2", "plain Words only", "x", "A1", "aB", "ABc", "Abc", "ABC", "1a", "123"])
@example(["camelCase\nsnakeCase", "", "camelCase camelCase otherCase", LONG])
def test_many_texts_have_the_identifiers_of_each(texts):
    assert parts_of_all(texts) == [identifier_parts(text) for text in texts]
