"""Reads of the catalog: lists by key, cursors, what is near a record, one view a request."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.catalog.answers import BadCursor
from kb.catalog.cursors import decode_cursor, encode_cursor, signature

KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=20)


@given(st.lists(KEYS | st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=4))
def test_a_cursor_comes_back_as_it_was(keys: list[Any]) -> None:
    mark = signature("some list")
    cursor = encode_cursor(mark, tuple(keys))
    assert decode_cursor(mark, cursor, tuple(type(key) for key in keys)) == tuple(keys)
    with pytest.raises(BadCursor):
        decode_cursor(signature("another list"), cursor, tuple(type(key) for key in keys))


@given(st.text(max_size=60) | st.binary(max_size=40).map(lambda data: data.hex()))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        decode_cursor("abcdef", text, (str, str, str))


@pytest.mark.parametrize("keys", [("a\x00b", "s", "i"), ("a", "s"), ("a", "s", 3), ("\ud800", "s", "i")])
def test_keys_that_no_list_has_are_refused(keys: Any) -> None:
    with pytest.raises(BadCursor):
        decode_cursor("abcdef", encode_cursor("abcdef", keys), (str, str, str))


@pytest.fixture
def catalog(import_records: Any, record: Any) -> list[dict[str, Any]]:
    """60 records in names that sort differently by bytes and by language."""
    rows = [
        record(number, repo=repo, severity=("info", "error")[number % 2], tags=["all", f"tag-{number % 3}"])
        for repo in ("Zeta/a", "alpha/B", "alpha/a", "alpha/Ä", "beta/a-b", "beta/a.b")
        for number in range(1, 11)
    ]
    import_records(*rows)
    return rows


def pages(read: Any, **options: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        page = read(cursor=cursor, **options)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found
        assert page.items


@pytest.mark.parametrize("limit", [1, 7, 60, 100])
@pytest.mark.parametrize(
    "filters", [{}, {"severity": "info"}, {"tag": "tag-1"}, {"repo": "alpha/a", "tag": "all"}, {"status": "all"}]
)
def test_pages_give_every_record_once_in_the_order_of_bytes(limit: int, filters: Any, catalog: Any) -> None:
    from kb.catalog import queries
    from kb.catalog.answers import RecordFilter

    rows = pages(lambda **options: queries.list_rows(RecordFilter(**filters), **options), limit=limit)
    expected = sorted(
        (row["repo"].encode(), row["slug"].encode(), row["id"])
        for row in catalog
        if all(
            value in row["tags"] if name == "tag" else row.get(name) == value
            for name, value in filters.items()
            if name != "status"
        )
    )
    assert [(row.repo.encode(), row.slug.encode(), row.id) for row in rows] == expected
    views = pages(lambda **options: queries.list_records(RecordFilter(**filters), **options), limit=limit)
    assert [view.record.id for view in views] == [row.id for row in rows]


def test_a_cursor_goes_on_after_a_new_revision(catalog: Any, import_records: Any, record: Any) -> None:
    from kb.catalog import queries
    from kb.catalog.answers import RecordFilter

    first = queries.list_rows(RecordFilter(), limit=30)
    import_records(record(99, repo="alpha/B", slug="aaa"), record(99, repo="zz/z"))
    rest = pages(
        lambda cursor, **options: queries.list_rows(RecordFilter(), cursor=cursor or first.next, **options), limit=50
    )
    assert {row.id for row in first.items} | {row.id for row in rest} >= {row["id"] for row in catalog}
    assert len({row.id for row in rest}) == len(rest) == 31


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("repositories", lambda queries, **options: queries.repositories(**options)),
        ("tags", lambda queries, **options: queries.terms("tag", **options)),
        ("families", lambda queries, **options: queries.terms("family", **options)),
        ("releases", lambda queries, **options: queries.releases(**options)),
    ],
)
def test_other_lists_page_the_same_way(name: str, read: Any, catalog: Any, import_records: Any, record: Any) -> None:
    from kb.catalog import queries

    for number in range(3):
        import_records(record(50 + number, backgroundTag=f"family-{number}"))
    whole = pages(lambda **options: read(queries, **options), limit=100)
    assert len(whole) > 3
    assert pages(lambda **options: read(queries, **options), limit=1) == whole
    with pytest.raises(BadCursor):
        read(queries, cursor="x", limit=5)


def test_a_folded_name_finds_a_repository(catalog: Any) -> None:
    from kb.catalog import queries

    assert queries.repository("ALPHA", "ä").full_name == "alpha/Ä"  # type: ignore[union-attr]
    assert queries.repository("alpha", "b").full_name == "alpha/B"  # type: ignore[union-attr]
    assert queries.repository("alpha", "nothing") is None
    assert [row.full_name for row in queries.repositories(query="BETA/A_").items] == []
    assert [row.full_name for row in queries.repositories(query="%").items] == []
    assert [row.full_name for row in queries.repositories(query="ＢＥＴＡ").items] == ["beta/a-b", "beta/a.b"]


def test_related_records_are_found_in_one_query(catalog: Any, django_assert_num_queries: Any) -> None:
    from kb.catalog import queries

    view = queries.record_by_id(catalog[0]["id"])
    assert view is not None
    with django_assert_num_queries(1):
        related = queries.related(view, limit=4)
    assert len(related.family) == len(related.alike) == len(related.file) == 4
    assert all(row.repo != view.record.repo for row in related.family)
    assert all(row.file_path == view.record.file_path and row.id != view.record.id for row in related.file)


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_sees_one_revision(import_sources: Any, tmp_path: Any, transactional_db: None, record: Any) -> None:
    import json

    from django.db import connections

    from kb.catalog import queries

    one, two = tmp_path / "1.json", tmp_path / "2.json"
    one.write_text(json.dumps(record(1)))
    two.write_text(json.dumps(record(2)))
    import_sources(one)
    failures: list[BaseException] = []

    def importing() -> None:
        try:
            import_sources(two)
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            connections.close_all()

    with queries.snapshot() as state:
        assert state.revision == 1
        thread = threading.Thread(target=importing)
        thread.start()
        thread.join()
        assert failures == []
        assert queries.state().revision == 1
        assert queries.record_by_id(record(2)["id"]) is None
    assert queries.state().revision == 2
    assert queries.record_by_id(record(2)["id"]) is not None


def test_reads_take_no_write_lock(catalog: Any, django_assert_num_queries: Any) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from kb.catalog import queries

    with CaptureQueriesContext(connection) as captured, queries.snapshot():
        queries.home()
        queries.record_by_slug("alpha", "a", "engine-1-failed")
    assert captured.captured_queries
    assert not any("BEGIN IMMEDIATE" in query["sql"].upper() for query in captured.captured_queries)
