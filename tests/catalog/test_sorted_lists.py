"""Lists of repositories and terms in every order, whole and page by page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb.catalog.answers import BadCursor, ListOrder, RepositorySort, TermSort

STARS = {"acme/a": 5, "acme/b": 5, "acme/c": None, "acme/d": 90, "acme/e": 0, "acme/f": None}
LANGUAGES = {"acme/a": "Go", "acme/b": "C", "acme/c": None, "acme/d": "C++", "acme/e": "", "acme/f": "c\u202e%"}
ANALYZED = {"acme/a": 3, "acme/b": 1, "acme/c": 2, "acme/d": 3, "acme/e": 1, "acme/f": 9}


@pytest.fixture
def repositories(import_records: Callable[..., Any], record: Callable[..., Any]) -> list[Any]:
    """Six repositories with two of everything that may be the same, and two without stars and language."""
    from kb.catalog import queries
    from kb.catalog.models import Repository

    import_records(
        *(record(10 * place + nr, repo=repo) for place, repo in enumerate(STARS, 1) for nr in range(place // 2 + 1))
    )
    for repo, stars in STARS.items():
        analyzed = f"2026-08-0{ANALYZED[repo]}T00:00:00Z"
        Repository.objects.filter(full_name=repo).update(
            stars=stars, language=LANGUAGES[repo], analyzed_at="" if repo == "acme/f" else analyzed
        )
    return list(queries.repositories().items)


def walked(read: Callable[..., Any], limit: int) -> list[Any]:
    """All items of a list, ``limit`` a page."""
    items, cursor = [], None
    while True:
        page = read(cursor=cursor, limit=limit)
        assert len(page.items) <= limit
        items += page.items
        cursor = page.next
        if cursor is None:
            return items


def in_order(items: list[Any], value: Callable[[Any], Any], tie: Callable[[Any], str], *, down: bool) -> list[Any]:
    """What is known by ``value``, then by ``tie``; then the rest by ``tie``. ``down`` puts the largest first."""
    known = sorted((item for item in items if value(item) not in {None, ""}), key=tie)
    return sorted(known, key=value, reverse=down) + sorted((i for i in items if value(i) in {None, ""}), key=tie)


@pytest.mark.parametrize(
    ("by", "field", "down"),
    [
        ("name", "full_name", False),
        ("records", "record_count", True),
        ("stars", "stars", True),
        ("language", "language", False),
        ("analyzed", "analyzed_at", True),
    ],
)
def test_repositories_come_in_every_order(by: RepositorySort, field: str, down: bool, repositories: list[Any]) -> None:
    from kb.catalog import queries

    def value(view: Any) -> Any:
        return getattr(view, field)

    expected = in_order(repositories, value, lambda view: view.full_name, down=down)
    unknown = [view for view in expected if value(view) in {None, ""}]
    turned = [*reversed(expected[: len(expected) - len(unknown)]), *reversed(unknown)]
    for reverse, wanted in ((False, expected), (True, turned)):
        order = ListOrder(by, reverse)
        for limit in (1, 2, 4, 6, 50):
            found = walked(
                lambda limit, cursor, order=order: queries.repositories(cursor=cursor, limit=limit, order=order), limit
            )
            assert [view.full_name for view in found] == [view.full_name for view in wanted], (reverse, limit)


@pytest.mark.parametrize(("by", "field"), [("records", "record_count"), ("repositories", "repository_count")])
def test_terms_come_in_every_order(
    by: TermSort, field: str, import_records: Callable[..., Any], record: Callable[..., Any]
) -> None:
    from kb.catalog import queries

    groups = {"one": ("a/a",), "two": ("a/a", "a/b"), "three": ("a/a", "a/a", "a/a"), "four": ("b/b",)}
    rows = [(tag, repo) for tag, repos in groups.items() for repo in repos]
    import_records(*(record(number, repo=repo, tags=[tag]) for number, (tag, repo) in enumerate(rows, 1)))
    every = list(queries.terms("tag").items)
    assert len(every) == 4
    expected = in_order(every, lambda term: getattr(term, field), lambda term: term.key, down=True)
    for reverse, wanted in ((False, expected), (True, expected[::-1])):
        order = ListOrder(by, reverse)
        for limit in (1, 2, 3, 10):
            found = walked(
                lambda limit, cursor, order=order: queries.terms("tag", cursor=cursor, limit=limit, order=order), limit
            )
            assert found == wanted, (reverse, limit)
    assert [term.label for term in queries.terms("tag", prefix="t", order=ListOrder(by)).items] == [
        term.label for term in expected if term.label.startswith("t")
    ]


def test_a_cursor_belongs_to_its_order(repositories: list[Any]) -> None:
    from kb.catalog import queries

    cursor = queries.repositories(limit=2, order=ListOrder("stars")).next
    assert queries.repositories(limit=2, cursor=cursor, order=ListOrder("stars")).items
    for order in (ListOrder("name"), ListOrder("records"), ListOrder("stars", reverse=True)):
        with pytest.raises(BadCursor):
            queries.repositories(limit=2, cursor=cursor, order=order)


def test_a_page_in_any_order_costs_few_queries(repositories: list[Any], django_assert_max_num_queries: Any) -> None:
    from kb.catalog import queries

    for by in ("name", "records", "stars", "language", "analyzed"):
        first = queries.repositories(limit=1, order=ListOrder(by))
        with django_assert_max_num_queries(3):
            assert queries.repositories(limit=9, cursor=first.next, order=ListOrder(by)).items


def test_the_course_of_the_catalog_ends_with_what_it_holds(
    import_records: Callable[..., Any], record: Callable[..., Any]
) -> None:
    from kb.catalog import queries

    rows = [record(number) for number in range(1, 6)]
    sizes = []
    for kept in (rows[:3], rows, rows[1:], rows):
        import_records(*kept, complete=True)
        sizes.append(queries.state().records)
    assert sizes == [3, 5, 4, 5]
    assert queries.record_course(sizes[-1]) == tuple(enumerate(sizes, 1))
    assert queries.record_course(sizes[-1], limit=2) == ((3, 4), (4, 5))
