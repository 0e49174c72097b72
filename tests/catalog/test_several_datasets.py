"""A record that several datasets hold: whose copy is shown, who else has it, and what is said of a dataset's trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from kb.catalog import queries
from kb.imports.ranking import run_ranking

NOT_TRUSTED = "dataset not marked as trusted"


@pytest.fixture
def shown() -> Callable[[str], dict[str, str]]:
    """What page, Markdown and API say of a record."""

    def asked(record_id: str) -> dict[str, str]:
        client = Client()
        return {
            "page": client.get(f"/e/{record_id}/", headers={"accept": "text/html"}).content.decode(),
            "markdown": client.get(f"/e/{record_id}/", headers={"accept": "text/markdown"}).content.decode(),
            "api": client.get(f"/api/v1/errors/{record_id}/").content.decode(),
        }

    return asked


def test_other_holders_are_named_in_rank(import_records: Any, record: Any, shown: Any) -> None:
    row = record(1)
    import_records(row, dataset="public")
    view = queries.record_by_id(row["id"])
    assert view is not None
    assert (view.dataset, view.holders) == ("public", ())
    assert "Also in" not in shown(row["id"])["page"]
    import_records(row, dataset="second", priority=-1)
    import_records(row, dataset="ours", priority=5)
    view = queries.record_by_id(row["id"])
    assert view is not None
    assert (view.dataset, view.holders) == ("ours", ("public", "second"))
    found = shown(row["id"])
    assert "Also in" in found["page"]
    assert "public, second" in found["page"]
    assert "public, second" in found["markdown"]
    assert '"alsoIn":["public","second"]' in found["api"]


def test_a_dataset_that_is_not_trusted_says_so_and_stands_behind(import_records: Any, record: Any, shown: Any) -> None:
    row = record(1)
    import_records(row, dataset="found", priority=100, trusted=False)
    found = shown(row["id"])
    assert NOT_TRUSTED in found["page"]
    assert NOT_TRUSTED in found["markdown"]
    assert '"trusted":false' in found["api"]
    import_records(row, dataset="ours")
    view = queries.record_by_id(row["id"])
    assert view is not None
    assert (view.dataset, view.trusted, view.holders) == ("ours", True, ("found",))
    assert not any(NOT_TRUSTED in text for text in shown(row["id"]).values())


def test_a_change_of_trust_is_a_new_revision(import_records: Any, record: Any) -> None:
    import_records(record(1), dataset="ours")
    before = queries.state().revision
    assert run_ranking("ours", trusted=False).outcome == "published"
    assert queries.state().revision == before + 1
    assert run_ranking("ours", trusted=False).outcome == "unchanged"


def test_a_copy_behind_another_is_a_new_revision_since_pages_name_it(import_records: Any, record: Any) -> None:
    import_records(record(1), record(2), dataset="ours", priority=1)
    import_records(record(1), dataset="other")
    before = queries.state().revision
    import_records(record(1), record(2), dataset="other")
    assert queries.state().revision == before + 1
    import_records(record(1), dataset="other", complete=True)
    assert queries.state().revision == before + 2
