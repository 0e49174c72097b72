"""Orders on columns that may hold NULL: SQLite puts it first, PostgreSQL last, and readers must see one order."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.apps import apps

NULLABLE = {
    model._meta.db_table: {field.column for field in model._meta.concrete_fields if field.null}
    for model in apps.get_app_config("catalog").get_models()
}


def nulls_without_a_place(statement: str) -> set[str]:
    """The columns in the orders of a statement that may hold NULL, unless their NULLs have a place or are left out."""
    statement = statement.replace('"', "")
    nullable = {name for table, columns in NULLABLE.items() if table in statement for name in columns}
    found = set()
    for order in re.findall(r"ORDER BY (.+?)(?: LIMIT|\)|$)", statement):
        columns = re.findall(r"(\w+)(?: DESC| ASC)?(?:,|$)", re.sub(r"\w+ IS NULL( DESC)?(,|$)", "", order))
        placed = re.findall(r"(\w+) IS NULL", order) + re.findall(r"(\w+) = ", statement)
        found |= (set(columns) & nullable) - set(placed)
    return found


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT a FROM catalog_record ORDER BY line_number, id LIMIT 3", {"line_number"}),
        ('SELECT a FROM catalog_record ORDER BY "catalog_record"."line_number" DESC', {"line_number"}),
        ("SELECT a FROM catalog_record ORDER BY line_number IS NULL, line_number, id LIMIT 3", set()),
        ("SELECT * FROM (SELECT a FROM catalog_record ORDER BY retired_revision DESC) AS x", {"retired_revision"}),
        ("SELECT a FROM catalog_record WHERE family = 'x' ORDER BY family, repo", set()),
        ("SELECT a FROM catalog_record ORDER BY repo, slug", set()),
    ],
)
def test_the_guard_sees_an_order_that_leaves_it_open(statement: str, found: set[str]) -> None:
    assert nulls_without_a_place(statement) == found


@pytest.fixture
def places(import_records: Any, record: Any) -> list[dict[str, Any]]:
    """Ten records of one file, every other one without a line number."""
    rows = [record(number, lineNumber=None if number % 2 else 100 - number) for number in range(1, 11)]
    import_records(*rows)
    return rows


@pytest.mark.parametrize("limit", [1, 3, 5, 7, 20])
def test_records_without_a_line_stand_behind_those_with_one(places: Any, limit: int) -> None:
    from kb.catalog import queries

    view = queries.record_by_id(places[0]["id"])
    assert view is not None
    expected = sorted(places[1:], key=lambda row: (row["lineNumber"] is None, row["lineNumber"] or 0, row["id"]))
    assert [row.id for row in queries.related(view, limit=limit).file] == [row["id"] for row in expected[:limit]]


def test_the_living_owner_of_a_slug_stands_before_retired_ones(import_records: Any, record: Any) -> None:
    from kb.catalog import queries

    def publish(*rows: dict[str, Any]) -> None:
        import_records(*rows, record(99), complete=True)

    old, older, living = (record(number, slug="shared") for number in (1, 2, 3))
    for rows in ([older], [], [old], []):
        publish(*rows)
    answer = queries.record_by_slug("acme", "rockets", "shared")
    assert answer.current is not None
    assert answer.current.record.id == old["id"]
    assert [row.id for row in answer.former] == [older["id"]]
    publish(living)
    answer = queries.record_by_slug("acme", "rockets", "shared")
    assert answer.current is not None
    assert answer.current.record.id == living["id"]
    assert [row.id for row in answer.former] == [old["id"], older["id"]]


def test_no_read_leaves_the_place_of_null_open(places: Any) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from kb.catalog import queries
    from kb.catalog.answers import RecordFilter

    view = queries.record_by_id(places[0]["id"])
    assert view is not None
    with CaptureQueriesContext(connection) as captured:
        queries.home()
        queries.related(view)
        queries.record_by_slug("acme", "rockets", places[0]["slug"])
        queries.repository("acme", "rockets")
        queries.repositories()
        queries.records_of_code("E")
        queries.holders(view.record.id)
        queries.record_addresses("0", "g", limit=9)
        queries.article_for("family", "engine-failure")
        queries.rejections(1)
        for filters in ({}, {"tag": "engine"}, {"family": "engine-failure"}, {"status": "all"}, {"severity": "error"}):
            queries.list_rows(RecordFilter(**filters))  # type: ignore[arg-type]
            queries.list_records(RecordFilter(**filters))  # type: ignore[arg-type]
        for kind in ("family", "code", "class", "tag"):
            queries.terms(kind)  # type: ignore[arg-type]
            queries.top_terms(kind, 5)  # type: ignore[arg-type]
    ordered = [row["sql"] for row in captured.captured_queries if "ORDER BY" in row["sql"]]
    assert len(ordered) > 20
    assert [(nulls_without_a_place(sql), sql) for sql in ordered if nulls_without_a_place(sql)] == []
