"""No text breaks the search."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.search.engine import search
from kb.search.errors import BadSearchCursor
from kb.search.facets import FACETS
from kb.search.query import ENUM_VALUES, FIELDS, parse

_PIECES = st.one_of(
    st.sampled_from(
        ["-", '"', ":", "repo:", "tag:", "status:all ", "code:", "file:", "{}", "%s", " ", "\t", "/", "::", "*"]
    ),
    st.sampled_from([*FIELDS, *(value for values in ENUM_VALUES.values() for value in values)]),
    st.sampled_from(["timeout", "network", "ERR_BAD_RESPONSE", "NullPointerException", "权限不足", "Straße", "e0382"]),
    st.characters(),  # lone surrogates and NUL among them
    st.text(max_size=12),
)
_TEXTS = st.one_of(st.text(), st.lists(_PIECES, max_size=60).map("".join))

# More than the samples of other property tests: this is the promise of the search page.
_MANY = settings(max_examples=max(200, settings.default.max_examples))


@_MANY
@given(text=_TEXTS, facets=st.lists(st.sampled_from(FACETS), unique=True, max_size=3), limit=st.integers(-5, 500))
def test_any_text_is_answered(directory, text, facets, limit):
    answer = search(text, revision=1, facets=facets, limit=limit, directory=directory)
    assert len(answer.hits) <= max(1, min(limit, 100))
    assert len(answer.hits) <= answer.count
    assert answer.facets.keys() == set(facets)
    for name in facets:
        assert all(1 <= value.count <= answer.count for value in answer.facets[name])


@given(
    text=st.text(max_size=20),
    filters=st.dictionaries(
        st.one_of(st.sampled_from(tuple(FIELDS)), st.text()), st.lists(st.text(), max_size=3), max_size=4
    ),
)
def test_any_filters_are_answered(directory, text, filters):
    answer = search(text, revision=1, filters=filters, directory=directory)
    assert answer.count >= len(answer.hits)


@given(cursor=st.one_of(st.text(), st.text(alphabet="ABCabc012_-", min_size=14, max_size=14)))
def test_any_cursor_is_taken_or_refused(directory, cursor):
    with suppress(BadSearchCursor):
        search("network", revision=1, cursor=cursor, directory=directory)


@given(text=_TEXTS)
def test_any_text_is_parsed_within_its_limits(text):
    query = parse(text)
    for problem in query.problems:
        assert problem.message
        assert problem.position is None or 0 <= problem.position <= len(query.text)
    for word in query.words:
        assert word.text.strip()
        assert word.text in query.text
