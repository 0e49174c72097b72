"""Tables of repositories and terms: they sort by link, narrow by name, and go on page by page."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.web.page_checks import assert_a_page

CASES = {"aa/one": 3, "bb/two": 1, "cc/three": 2, "dd/one-more": 1}


@pytest.fixture
def catalog(import_records: Callable[..., Any], record: Callable[..., Any]) -> None:
    """Four repositories with one to three records; each has a class of its own."""
    from kb.catalog.models import Repository

    rows = [(repo, number) for repo, count in CASES.items() for number in range(count)]
    import_records(
        *(
            record(place, repo=repo, errorClass=f"{repo[:2].upper()}Error", tags=["all", repo[:2]])
            for place, (repo, _) in enumerate(rows, 1)
        )
    )
    for place, repo in enumerate(sorted(CASES)):
        Repository.objects.filter(full_name=repo).update(
            stars=None if repo == "bb/two" else 10 * place,
            language=None if repo == "aa/one" else f"L{9 - place}",
            analyzed_at=f"2026-08-0{1 + place}T00:00:00Z",
        )


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    text = answer.content.decode()
    assert_a_page(text)
    return text


def names(text: str) -> list[str]:
    """What the rows of the table lead to, without the first part of the path."""
    return re.findall(r'<th scope="row">\s*<a[^>]* href="/[a-z]+/([^"]+)/"', text)


def heads(text: str) -> dict[str, tuple[str, str]]:
    """(link, aria-sort) of each heading."""
    found = re.findall(r'<th scope="col"([^>]*)><a href="([^"]*)"[^>]*>([^<]+)</a>', text)
    assert found
    return {
        label: (html.unescape(url), "".join(re.findall(r'aria-sort="(\w+)"', attributes)))
        for attributes, url, label in found
    }


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("column", "first", "rows"),
    [
        ("Repository", "ascending", ["aa/one", "bb/two", "cc/three", "dd/one-more"]),
        ("Language", "ascending", ["dd/one-more", "cc/three", "bb/two", "aa/one"]),
        ("Stars", "descending", ["dd/one-more", "cc/three", "aa/one", "bb/two"]),
        ("Analyzed", "descending", ["dd/one-more", "cc/three", "bb/two", "aa/one"]),
    ],
)
def test_a_heading_sorts_and_sorts_the_other_way(client: Client, column: str, first: str, rows: list[str]) -> None:
    whole = read(client, "/repositories/")
    assert names(whole) == ["aa/one", "cc/three", "bb/two", "dd/one-more"]
    assert {label: order for label, (_, order) in heads(whole).items() if order} == {"Records": "descending"}
    by = read(client, f"/repositories/{heads(whole)[column][0]}")
    assert names(by) == rows
    assert {label: order for label, (_, order) in heads(by).items() if order} == {column: first}
    turned = read(client, f"/repositories/{heads(by)[column][0]}")
    known = [row for row in rows if (column, row) not in {("Stars", "bb/two"), ("Language", "aa/one")}]
    assert names(turned) == [*reversed(known), *(row for row in rows if row not in known)]
    assert heads(turned)[column][1] != first
    assert heads(turned)["Records"][0] == "?"


@pytest.mark.usefixtures("catalog")
def test_sorting_keeps_what_the_list_was_narrowed_to(client: Client) -> None:
    text = read(client, "/repositories/?q=one")
    assert names(text) == ["aa/one", "dd/one-more"]
    by_stars = read(client, f"/repositories/{heads(text)['Stars'][0]}")
    assert names(by_stars) == ["dd/one-more", "aa/one"]
    assert '<input type="hidden" name="sort" value="stars">' in by_stars
    assert "“zz”" in read(client, "/repositories/?q=zz&sort=stars")


@pytest.mark.usefixtures("catalog")
def test_only_the_list_as_it_comes_is_for_crawlers(client: Client) -> None:
    noindex = '<meta name="robots" content="noindex">'
    assert noindex not in read(client, "/repositories/")
    assert noindex not in read(client, "/classes/?sort=records")
    for path in ("/repositories/?sort=name", "/classes/?sort=-records", "/tags/?q=a"):
        assert noindex in read(client, path)
    assert names(read(client, "/repositories/?sort=nonsense")) == names(read(client, "/repositories/"))


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/repositories/", 4),
        ("/repositories/?sort=stars", 4),
        ("/repositories/?sort=-language", 4),
        ("/classes/?sort=repositories", 4),
        ("/tags/?sort=-name", 5),
    ],
)
def test_pages_follow_each_other_in_every_order(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any, path: str, most: int
) -> None:
    whole = names(read(client, path))
    assert len(whole) == most
    for module in ("repository_lists", "term_lists"):
        monkeypatch.setattr(f"kb.web.views.{module}.SHOWN_NAMES", 1)
    found: list[str] = []
    following: str | None = path
    while following:
        with django_assert_max_num_queries(6):
            text = read(client, following)
        assert len(names(text)) == 1
        found += names(text)
        link = re.search(r'href="([^"]+)" rel="next"', text)
        following = f"{path.partition('?')[0]}{html.unescape(link[1])}" if link else None
    assert found == whole
    assert client.get(f"{path.partition('?')[0]}?cursor=x").status_code == 400


@pytest.mark.usefixtures("catalog")
def test_bars_are_drawn_where_they_order_the_list(client: Client) -> None:
    text = read(client, "/tags/")
    assert re.findall(r'<rect class="fill-plain" width="([\d.]+)"', text) == ["100", "42.9", "28.6", "14.3", "14.3"]
    assert '<svg class="bar-line"' not in read(client, "/tags/?sort=name")
