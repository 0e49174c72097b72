"""Records leave the store as they came: the bytes that an export reads are those of the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

STRANGE: dict[str, dict[str, Any]] = {
    "unknown fields": {"zulu": {"b": 1, "a": [1.5, -0.0, 1e22, 10**18, None, True]}, "alpha": "ä\u2028\u00ad"},
    "lists that are empty": {"solutions": [], "tags": [], "preventionTips": []},
    "nulls": {"errorCode": None, "httpStatus": None, "contentChangedAt": None, "backgroundTag": None},
    "text of every kind": {"sourceCode": '\t\r\n"\\ \x7f\U0001f600 </script>', "errorMessage": "a\u0000b"},
    "numbers": {"sourceCodeStart": 1, "sourceCodeEnd": 900, "lineNumber": 7, "httpStatus": 599},
}


@pytest.fixture
def strange(import_sources: Any, record: Any, tmp_path: Path) -> list[dict[str, Any]]:
    """A catalog with a record of each kind, and those that a dataset left out."""
    rows = [record(number, **fields) for number, fields in enumerate(STRANGE.values(), 1)]
    bare = record(99)
    for name in ("lineNumber", "errorClass", "tags", "solutions", "backgroundTag"):
        del bare[name]
    path = tmp_path / "strange.json"
    path.write_text(json.dumps([*rows, bare]))
    import_sources(path)
    return [*rows, bare]


def test_their_bytes_are_those_of_the_record(strange: Any) -> None:
    from kb.catalog import queries
    from kb.records.encode import encode_json

    expected = {view.record.id: encode_json(view.record) for view in queries.iter_records()}
    exported = {record.id: record.raw for record in queries.export_records()}
    assert exported == expected
    assert len(exported) == len(strange)


def test_they_come_by_repository_and_slug_whatever_the_size_of_batches(
    import_records: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.catalog import export_queries, queries

    rows = [record(n, repo=repo, slug=f"s-{n}") for n in range(1, 31) for repo in ("b/b", "a/a", "A/z", "a-b/c")]
    import_records(*rows)
    expected = sorted((row["repo"], row["slug"], row["id"]) for row in rows)
    assert [found.key for found in queries.export_records()] == expected
    monkeypatch.setattr(export_queries, "_BATCH_BYTES", 1)
    assert [found.key for found in queries.export_records()] == expected
    assert [found.key for found in queries.export_records(repo="a/a")] == [k for k in expected if k[0] == "a/a"]


def test_what_the_index_says_is_what_the_record_says(strange: Any) -> None:
    from kb.catalog import queries

    for found in queries.export_records():
        row = json.loads(found.raw)
        said = (found.repo, found.slug, found.id, found.code, found.message, found.pattern, found.type, found.cls)
        names = ("repo", "slug", "id", "errorCode", "errorMessage", "messagePattern", "errorType", "errorClass")
        assert said == tuple(row.get(name) for name in names)
        assert (found.severity, json.loads(found.tags)) == (row["severity"], row.get("tags", []))
