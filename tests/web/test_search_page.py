"""The search page: words, facets as links, and honest words about what was and was not found."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import RequestFactory

from kb.catalog.answers import Term
from kb.search.facets import FACETS, FacetValue
from kb.web.highlights import message_parts
from kb.web.nothing_found import near_terms
from kb.web.search_request import FACET_TITLES, SearchRequest, facet_groups

Get = Callable[..., Any]


def asked(query: str) -> SearchRequest:
    return SearchRequest.of(RequestFactory().get(f"/search/?{query}"))


def count_of(text: str) -> int:
    found = re.search(r"([\d,]+) records?\s*</h2>", text)
    assert found
    return int(found[1].replace(",", ""))


def test_words_find_records_with_their_words_marked(get: Get) -> None:
    text = get("/search/?q=fuel").text_body
    assert 'has no <mark>fuel</mark> in <span class="ph">{tank}</span></span></a>' in text
    assert count_of(text) == 5


def test_a_facet_narrows_and_the_chip_takes_it_back(get: Get) -> None:
    text = get("/search/?q=fuel").text_body
    links = [unescape(link) for link in re.findall(r'href="(/search/\?[^"]*repo=[^"]+)"', text)]
    assert "/search/?q=fuel&repo=acme%2Frocket" in links
    narrowed = get("/search/?q=fuel&repo=acme/rocket").text_body
    assert count_of(narrowed) == 4
    assert 'href="/search/?q=fuel"' in narrowed
    assert "1 on" in narrowed
    assert '<input type="hidden" name="repo" value="acme/rocket" form="search">' in narrowed


def test_following_every_facet_link_finds_what_it_promised(get: Get) -> None:
    text = get("/search/?q=fuel").text_body
    entries = re.findall(
        r'<a href="(/search/[^"]+)"[^>]*>\s*<span>[^<]+</span>\s*<span class="number">([\d,]+)</', text
    )
    assert entries
    for link, count in entries:
        assert count_of(get(unescape(link)).text_body) == int(count.replace(",", "")), link


def test_a_wrong_filter_is_said_and_left_out(get: Get) -> None:
    text = get("/search/?q=fuel+severity:critcal").text_body
    assert re.search(r'class="notice[^>]*>.*“critcal”.*“critical”', text, re.DOTALL)
    assert count_of(text) == 5


def test_a_typing_error_is_offered_corrected(get: Get) -> None:
    text = get("/search/?q=metadta").text_body
    assert 'href="/search/?q=metadata"' in text
    assert "encode" in text


def test_nothing_found_says_what_to_do(get: Get) -> None:
    assert "leave out names, numbers and paths" in get("/search/?q=qqqqzzzzxxxx").text_body
    assert "Show 5 records without the filters" in get("/search/?q=fuel&severity=info").text_body


def test_pages_of_a_search_follow_each_other_without_repeating(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.web.views.searching._SHOWN", 2)
    seen: list[str] = []
    link: str | None = "/search/?q=fuel"
    while link:
        text = get(unescape(link)).text_body
        seen += re.findall(r'<h3 class="record-title"><a href="([^"]+)"', text)
        following = re.search(r'href="([^"]+)" rel="next"', text)
        link = following[1] if following else None
    assert len(seen) == len(set(seen)) == 5


def test_pages_of_a_list_follow_each_other_without_repeating(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, name in {"/errors/acme/rocket/": "repositories", "/tags/fuel/": "terms"}.items():
        monkeypatch.setattr(f"kb.web.views.{name}.SHOWN_RECORDS", 2)
        seen: list[str] = []
        link: str | None = ""
        while link is not None:
            text = get(path + unescape(link)).text_body
            seen += re.findall(r'<h3 class="record-title"><a href="([^"]+)"', text)
            following = re.search(r'href="([^"]+)" rel="next"', text)
            link = following[1] if following else None
            assert ("First page" in text) == (len(seen) > 2)
        assert len(seen) == len(set(seen)) >= 4


def test_crawlers_are_kept_from_combinations(get: Get) -> None:
    text = get("/search/?q=fuel").text_body
    assert '<meta name="robots" content="noindex">' in text
    assert "Disallow: /search/" in get("/robots.txt").text_body


def test_foreign_parameters_are_passed_over() -> None:
    found = asked("q=a&utm_source=mail&severity=error&severity=error&severity=&tag=x&cursor=c")
    assert found == SearchRequest(text="a", filters={"severity": ("error",), "tag": ("x",)}, cursor="c")


@pytest.mark.parametrize(
    ("query", "name", "value", "address"),
    [
        ("q=a", "tag", "x", "/search/?q=a&tag=x"),
        ("q=a&tag=x", "tag", "x", "/search/?q=a"),
        ("q=a&tag=x&cursor=c", "tag", "y", "/search/?q=a&tag=x&tag=y"),
        ("tag=x", "tag", "X", "/search/"),
        ("q=%26%3D", "repo", "a/b", "/search/?q=%26%3D&repo=a%2Fb"),
    ],
)
def test_a_filter_is_turned_on_and_off(query: str, name: str, value: str, address: str) -> None:
    assert asked(query).toggled(name, value) == address


def test_facets_that_cannot_narrow_are_left_out_and_long_ones_folded() -> None:
    values = tuple(FacetValue(f"v{number}", 20 - number, number == 9) for number in range(12))
    groups = facet_groups(asked("q=a"), {"tag": values, "type": (FacetValue("http", 3),), "severity": ()})
    assert [group.name for group in groups] == ["tag"]
    assert [link.value for link in groups[0].first] == ["v0", "v1", "v2", "v3", "v4", "v5", "v9"]
    assert [link.value for link in groups[0].more] == ["v6", "v7", "v8", "v10", "v11"]


def test_a_single_folded_value_is_shown() -> None:
    values = tuple(FacetValue(f"v{number}", 9, selected=False) for number in range(7))
    (group,) = facet_groups(asked("q=a"), {"tag": values})
    assert (len(group.first), group.more) == (7, ())


def test_every_facet_has_a_title() -> None:
    assert set(FACET_TITLES) == set(FACETS)


def test_marks_stand_inside_placeholders() -> None:
    parts = list(message_parts((("bad {", False), ("time", True), ("out} x", False))))
    shown = [(part.placeholder, [(piece.text, piece.marked) for piece in part.pieces]) for part in parts]
    assert shown == [
        (False, [("bad ", False)]),
        (True, [("{", False), ("time", True), ("out}", False)]),
        (False, [(" x", False)]),
    ]


def test_the_results_alone_are_those_of_the_page(get: Get) -> None:
    for query in ("q=fuel", "q=fue&repo=acme%2Frocket", "q=qqqqzzzzxxxx", "q=metadta", ""):
        whole, part = (get(f"/search/{place}?{query}") for place in ("", "results/"))
        title, _, results = part.text_body.strip().partition("</title>")
        assert results.strip() in whole.text_body
        assert f"{title}</title>" in whole.text_body
        assert "<html" not in part.text_body
        assert part["Cache-Control"] == whole["Cache-Control"]
        assert part["ETag"] != whole["ETag"]
        assert "Vary" not in part.headers or "hx" not in part["Vary"].lower()


def test_a_space_behind_the_last_word_finishes_it(get: Get) -> None:
    assert count_of(get("/search/?q=fue").text_body) == 5
    text = get("/search/?q=encode+").text_body
    assert 'value="encode "' in text
    assert asked("q=++fuel++").address() == "/search/?q=fuel+"
    assert asked("q=+").is_empty


def test_the_start_says_how_to_ask_with_examples_that_find_something(get: Get) -> None:
    text = get("/search/").text_body
    assert "record-title" not in text
    assert "How to ask" in text
    examples = re.findall(r'class="chip machine" href="([^"]+)"', text)
    assert len(examples) >= 3
    for example in examples:
        assert count_of(get(unescape(example)).text_body) > 0, example


def test_families_whose_names_sound_like_it_are_offered(get: Get) -> None:
    text = get("/search/?q=resorces-xqzqx").text_body
    assert "Families that sound like it" in text
    assert 'href="/families/out-of-resources/"' in text
    assert "The largest families" in get("/search/?q=qqqqzzzzxxxx").text_body


def test_the_likest_names_come_first() -> None:
    terms = tuple(
        Term(kind="family", key=key, label=key, record_count=9, repository_count=1)
        for key in ("condition-lost", "connection-lost", "connection-refused", "timeout")
    )
    near = near_terms("Conection REFUSD", terms)
    assert [term.key for term in near] == ["connection-refused", "connection-lost"]
    assert near_terms("", terms) == near_terms("ab cd", terms) == ()
