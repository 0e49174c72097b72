"""Codes and classes that look alike in an address are terms of their own."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

ALIKE = ("E._$*1", "E.@:^1", "E_1", "e_1", "E 1", "E__1", "E-1é", "E-1误", "$E-1", "E" * 100 + "1", "E" * 100 + "2")


@pytest.mark.parametrize(("field", "kind"), [("errorCode", "code"), ("errorClass", "class")])
def test_each_label_has_its_own_page_with_its_own_records(
    import_records: Any, record: Any, settings: Any, tmp_path: Any, field: str, kind: str
) -> None:
    from kb.catalog import queries

    settings.KB_INDEX_DIR = tmp_path / "index"
    rows = [record(number, **{field: label}) for number, label in enumerate(ALIKE, 1)]
    import_records(*rows)
    terms = queries.terms(kind, limit=100).items  # type: ignore[arg-type]
    counted = {term.label: term.record_count for term in terms if term.label != "EngineError"}
    assert counted == dict.fromkeys(ALIKE, 1)
    many = "codes" if kind == "code" else "classes"
    client = Client()
    for term in terms:
        if term.label not in ALIKE:
            continue
        page = client.get(f"/{many}/{term.key}/").content.decode()
        assert [row["slug"] for row in rows if f"/{row['slug']}/" in page] == [rows[ALIKE.index(term.label)]["slug"]]
        assert client.get(f"/api/v1/{many}/{term.key}/").json()["term"]["label"] == term.label
        found = client.get("/api/v1/errors/", {kind: term.label}).json()["results"]
        expected = {label for label in ALIKE if kind == "code" and label.casefold() == term.label.casefold()}
        assert len(found) == max(1, len(expected))
