"""The last word of a search while it is being typed: a beginning of words, until something stands behind it."""

from __future__ import annotations

import pytest

from kb.search import tuning
from kb.search.engine import search


@pytest.fixture(scope="module")
def typed(directory, catalog):
    names = {view.record.id: view.record.slug for view in catalog}

    def found(text, **options):
        return [names[hit.id] for hit in search(text, revision=1, directory=directory, unfinished=True, **options).hits]

    return found


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("timeo", "econnaborted"),
        ("TIMEO", "econnaborted"),
        ("request took lon", "econnaborted"),
        ("E03", "e0382"),
        ("econnab", "econnaborted"),
        ("ERR_BAD_RESP", "err-bad-response"),
        ("NullPointerEx", "npe"),
        ("java.lang.NullPo", "npe"),
        ("requireNon", "npe"),
        ("caf", "cafe-not-found"),
        ("stras", "cafe-not-found"),
        ("权限", "permission"),
        ("repo:axios/axios timeo", "econnaborted"),
        ("timeou", "econnaborted"),
    ],
)
def test_a_beginning_finds(typed, text, first):
    assert typed(text)[:1] == [first]


@pytest.mark.parametrize("text", ["econnab ", '"econnab"', "econnab,", "econnab exceeded", "e", "timeout -econnab"])
def test_a_finished_word_is_no_beginning(typed, slugs_of, text):
    assert typed(text) == slugs_of(text)


@pytest.fixture(scope="module")
def slugs_of(directory, catalog):
    names = {view.record.id: view.record.slug for view in catalog}
    return lambda text: [names[hit.id] for hit in search(text, revision=1, directory=directory).hits]


def test_an_excluded_word_excludes_itself_alone(typed):
    assert "econnaborted" in typed("network -timeou")


def test_the_word_itself_comes_before_what_it_begins(publish, make_view):
    messages = ["the timer ran out"] * 3 + ["no time is left", "timeouts are near"]
    directory = publish(make_view(id=f"{place:016x}", error_message=text) for place, text in enumerate(messages))
    answer = search("time", revision=1, directory=directory, unfinished=True)
    assert answer.count == 5
    assert answer.hits[0].id == f"{3:016x}"
    assert search("time", revision=1, directory=directory).count == 1


def test_what_a_beginning_found_is_marked(directory):
    answer = search("timeo", revision=1, directory=directory, unfinished=True)
    message = dict(answer.hits[0].highlights)["message"]
    assert [text for text, marked in message if marked] == ["timeout"]


def test_every_letter_on_the_way_finds_the_record(typed):
    """Nothing flickers: whoever types a word of a record sees it from the shortest beginning on."""
    for text, slug in {"connection": "connection-refused", "exceeded": "econnaborted", "borrow": "e0382"}.items():
        for length in range(tuning.SHORTEST_COMPLETED, len(text) + 1):
            assert slug in typed(text[:length]), text[:length]


def test_pages_and_facets_of_a_beginning_are_not_those_of_the_word(publish, make_view):
    messages = ["time"] * 3 + ["timers"] * 30
    directory = publish(
        make_view(id=f"{place:016x}", slug=f"s{place}", error_message=f"{text} {place}", severity="info")
        for place, text in enumerate(messages)
    )

    def page(cursor=None):
        return search("time", revision=1, directory=directory, unfinished=True, limit=20, cursor=cursor)

    first = page()
    second = page(first.next)
    assert len({hit.id for hit in (*first.hits, *second.hits)}) == first.count == 33
    assert first.facets["severity"][0].count == 33
    whole = search("time", revision=1, directory=directory)
    assert whole.count == whole.facets["severity"][0].count == 3


def test_half_a_code_of_several_words_finds_it_among_many_words_that_begin_alike(publish, make_view):
    words = " ".join(f"e3{letter}" for letter in "abcdefghijklmnop")
    others = [make_view(id=f"{place:016x}", error_message=f"{words} {place}") for place in range(3)]
    meant = f"{9:016x}"
    directory = publish([*others, make_view(id=meant, error_code="fields.E300", error_message="a lazy reference")])

    def found(text, *, unfinished=True):
        return [hit.id for hit in search(text, revision=1, directory=directory, unfinished=unfinished).hits]

    for text in ("fields.E3", "FIELDS.E30", "fields.E300"):
        assert found(text) == [meant]
    for text in ("fieldsxE3", "fields.[E3", "fields.E3*", "fields.E31", "fields.E3 "):
        assert found(text) == []
    assert found("fields.E3", unfinished=False) == []
