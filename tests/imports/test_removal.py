"""A dataset that is removed, or ranked anew: what nobody else holds retires, other copies come forward."""

from __future__ import annotations

from typing import Any

from kb.imports.ranking import run_ranking
from kb.imports.removal import run_removal
from kb.imports.rollback import run_rollback


def severities() -> dict[str, str]:
    from kb.catalog import queries

    return {view.record.id: view.record.severity for view in queries.iter_records() if view.retired_revision is None}


def test_only_what_nobody_else_holds_retires(run: Any, layout: Any, record: Any) -> None:
    from kb.catalog.models import Article, Dataset

    one, two = record(1)["id"], record(2)["id"]
    run(layout([record(1, severity="info"), record(3)]), dataset="private")
    run(layout([record(1), record(2)]), dataset="public", priority=5)
    assert severities()[one] == "error"
    report = run_removal("public")
    assert (report.outcome, report.kind, report.retired, report.changed) == ("published", "removal", 1, 1)
    assert severities() == {one: "info", record(3)["id"]: "error"}
    assert Dataset.objects.get(name="public").removed_at is not None
    assert not Article.objects.filter(dataset__name="public").exists()
    assert run_removal("public").code == "unknown_dataset"
    assert run_rollback().restored == 1
    assert severities()[two] == "error"
    assert Dataset.objects.get(name="public").removed_at is None


def test_a_dry_run_of_a_removal_changes_nothing(run: Any, layout: Any, record: Any, stored: Any) -> None:
    run(layout([record(1)]))
    before = stored()
    report = run_removal("local", dry_run=True)
    assert (report.outcome, report.retired) == ("dry-run", 1)
    assert stored() == before


def test_an_unknown_dataset(run: Any) -> None:
    for report in (run_removal("nobody"), run_ranking("nobody", priority=1)):
        assert (report.outcome, report.code) == ("refused", "unknown_dataset")


def test_a_rank_decides_again_what_is_shown(run: Any, layout: Any, record: Any) -> None:
    one = record(1)["id"]
    run(layout([record(1, severity="info")]), dataset="private")
    run(layout([record(1)]), dataset="public")
    assert severities()[one] == "info"  # by name
    assert run_ranking("public", priority=3).changed == 1
    assert severities()[one] == "error"
    assert run_ranking("public", priority=3).outcome == "unchanged"
    assert run_ranking("public", trusted=False).changed == 1  # whatever its priority
    assert severities()[one] == "info"
    assert run_rollback().changed == 1
    assert severities()[one] == "error"


def test_an_untrusted_dataset_never_comes_before_a_trusted_one(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1, severity="info")]), dataset="strange", priority=900, trusted=False)
    run(layout([record(1)]), dataset="own")
    assert list(severities().values()) == ["error"]


def test_what_pages_say_of_holders_and_of_trust_is_a_revision(run: Any, layout: Any, record: Any) -> None:
    assert run(layout([record(1)]), dataset="public", priority=5).revision == 1
    hidden = run(layout([record(1, severity="info")]), dataset="private")
    assert (hidden.outcome, hidden.revision, hidden.added, hidden.changed) == ("published", 2, 0, 0)
    assert run_ranking("public", trusted=True).outcome == "unchanged"
    assert run_ranking("private", trusted=False).revision == 3
    assert run_removal("private").revision == 4
    assert run_rollback(hidden.release).outcome == "published"
