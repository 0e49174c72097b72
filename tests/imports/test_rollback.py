"""A release that is taken back: its dataset holds what it held before, whatever other datasets did meanwhile."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.imports.rollback import run_rollback


def whole_state() -> dict[str, Any]:
    """Everything that a release can change, by dataset and as shown, without revisions and times."""
    from kb.catalog import models
    from kb.catalog.contents import unpack_json
    from kb.catalog.rows import record_of
    from kb.records.encode import encode_json

    shown = {row.pk: row for row in models.Record.objects.all()}
    held: dict[str, dict[str, Any]] = {}
    for row in models.Holding.objects.select_related("dataset"):
        content = encode_json(record_of(shown[row.record_id])) if row.content is None else unpack_json(row.content)
        held.setdefault(row.dataset.name, {})[row.record_id] = (row.content_hash, content)
    return {
        "held": held,
        "shown": {
            pk: (encode_json(record_of(row)), row.dataset_id, row.canonical_id)
            for pk, row in shown.items()
            if row.retired_revision is None
        },
        "repositories": {
            row.full_name: (row.description, row.stars, row.dataset_id, row.record_count)
            for row in models.Repository.objects.filter(retired=False)
        },
        "articles": sorted((row.dataset_id, row.slug, json.dumps(row.content)) for row in models.Article.objects.all()),
        "datasets": {
            row.name: (row.version, row.priority, row.trusted)
            for row in models.Dataset.objects.all()
            if row.name in held
        },
        "terms": sorted(models.Term.objects.values_list("kind", "key", "record_count", "repository_count")),
        "tags": sorted(models.RecordTag.objects.values_list("tag", "record_id")),
        "findings": sorted(models.RecordFinding.objects.values_list("finding", "repo", "record_id")),
        "tallies": sorted(models.FindingTally.objects.values_list("finding", "repo", "record_count")),
    }


def tags_of_the_living(state: dict[str, Any]) -> dict[str, Any]:
    return {**state, "tags": [row for row in state["tags"] if row[1] in state["shown"]]}


def test_three_releases_forward_and_two_back(run: Any, layout: Any, record: Any) -> None:
    versions = [
        [record(1), record(2), record(3, repo="acme/boats")],
        [record(1, severity="info"), record(3, repo="acme/boats"), record(4)],
        [record(1, slug="another"), record(2), record(5, slug="engine-1-failed")],
    ]
    states = []
    for number, rows in enumerate(versions):
        assert run(layout(rows, version=f"2026-01-0{number + 1}T00:00:00Z")).outcome == "published"
        states.append(tags_of_the_living(whole_state()))
    for wanted in (states[1], states[0]):
        report = run_rollback()
        assert (report.outcome, report.kind, report.rejected) == ("published", "rollback", 0), report.error
        assert tags_of_the_living(whole_state()) == wanted
    assert run_rollback().retired == 3
    assert whole_state()["held"] == {}
    nothing = run_rollback()
    assert (nothing.outcome, nothing.code) == ("refused", "nothing_to_undo")


def test_a_rollback_can_be_taken_back(run: Any, layout: Any, record: Any) -> None:
    from kb.catalog.models import Release

    run(layout([record(1)]))
    second = run(layout([record(1, severity="info"), record(2)], version="2026-01-02T00:00:00Z"))
    after = whole_state()
    back = run_rollback()
    assert Release.objects.get(pk=second.release).undone_by == back.release
    assert run_rollback(back.release).outcome == "published"
    assert whole_state() == after
    assert Release.objects.get(pk=second.release).undone_by is None


def test_later_releases_of_the_dataset_go_with_it_and_those_of_others_stay(run: Any, layout: Any, record: Any) -> None:
    first = run(layout([record(1)]), dataset="one")
    run(layout([record(7), record(8)]), dataset="two")
    run(layout([record(1), record(2)], version="2026-01-02T00:00:00Z"), dataset="one")
    run(layout([record(1), record(2), record(3)], version="2026-01-03T00:00:00Z"), dataset="one")
    report = run_rollback(first.release)
    assert (report.dataset, report.retired) == ("one", 3)
    assert set(whole_state()["held"]) == {"two"}


def test_a_dry_run_shows_what_would_change(run: Any, layout: Any, record: Any, stored: Any) -> None:
    run(layout([record(1)]))
    run(layout([record(2)], version="2026-01-02T00:00:00Z"))
    before = stored()
    report = run_rollback(dry_run=True)
    assert (report.outcome, report.restored, report.retired, report.release) == ("dry-run", 1, 1, None)
    assert stored() == before


@pytest.mark.parametrize("number", [0, -1, 99, 2**70])
def test_a_release_that_is_not_there(number: int, run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1)]))
    report = run_rollback(number)
    assert (report.outcome, report.code) == ("refused", "unknown_release")


def test_copies_behind_another_dataset_come_back(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1, severity="info")]), dataset="low")
    high = run(layout([record(1), record(2)]), dataset="high", priority=5)
    run(layout([record(1, severity="critical")], version="2026-01-02T00:00:00Z"), dataset="low")
    state = whole_state()
    assert state["shown"][record(1)["id"]][0].count(b'"severity":"error"') == 1
    run_rollback()
    copies = whole_state()["held"]["low"]
    assert b'"severity":"info"' in copies[record(1)["id"]][1]
    assert run_rollback(high.release).retired == 1
    assert whole_state()["shown"][record(1)["id"]][0].count(b'"severity":"info"') == 1


RECORDS = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", "c"]), st.sampled_from(["info", "error"])),
    max_size=4,
    unique_by=(lambda row: row[0], lambda row: row[1]),
)
RELEASES = st.lists(st.tuples(st.booleans(), RECORDS), min_size=2, max_size=5)


@settings(
    max_examples=200 if os.environ.get("KB_SOAK") == "1" else 10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=RELEASES, back=st.lists(st.integers(0, 4), min_size=1, max_size=3))
@pytest.mark.django_db
def test_every_state_of_a_random_history_comes_back(
    history: Any, back: list[int], run: Any, record: Any, tmp_path: Path
) -> None:
    from django.conf import settings as django_settings
    from django.db import transaction

    with transaction.atomic():
        shutil.rmtree(django_settings.KB_INDEX_DIR, ignore_errors=True)
        states, releases = [tags_of_the_living(whole_state())], []
        for complete, rows in history:
            path = tmp_path / "release.json"
            path.write_text(json.dumps([record(n, slug=slug, severity=severity) for n, slug, severity in rows]))
            report = run(path, complete=complete)
            if report.outcome == "published":
                releases.append(report.release)
                states.append(tags_of_the_living(whole_state()))
        for number in back:
            if number < len(releases):
                run_rollback(releases[number])
                assert tags_of_the_living(whole_state()) == states[number]
        transaction.set_rollback(True)


def test_the_command_tells_what_it_did(run: Any, layout: Any, record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from django.core.management import call_command

    run(layout([record(1)]))
    run(layout([record(1), record(2)], version="2026-01-02T00:00:00Z"))
    call_command("rollback", json=True, quiet=True)
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["outcome"], report["retired"], report["revision"]) == ("rollback", "published", 1, 3)
    call_command("rollback", quiet=True)
    assert "Published as revision 4" in capsys.readouterr().out
    with pytest.raises(SystemExit) as end:
        call_command("rollback", quiet=True)
    assert end.value.code == 4
    assert "no release stands" in capsys.readouterr().err


@pytest.mark.parametrize("again", [0, 1])
def test_what_was_taken_back_does_not_return_with_the_next_update(
    again: int, run: Any, tmp_path: Path, record: Any
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([record(1)]))
    run(path)
    before = path.read_bytes()
    path.write_text(json.dumps([record(1, severity="critical"), record(2)]))
    bad = run(path).release
    for _ in range(1 + again):  # also when it was let in once more, and taken back again
        assert run_rollback().outcome == "published"
        report = run(path)
        assert (report.outcome, report.code, str(bad) in report.error) == ("refused", "rolled_back", True)
        bad = run(path, force=True).release
        assert bad is not None
    run_rollback()
    newer = json.dumps([record(1, severity="critical"), record(3)])
    for content in (before, newer.encode()):
        path.write_bytes(content)
        assert run(path).outcome in {"published", "unchanged"}
    path.write_bytes(before)
    assert run(path).outcome == "published"


def test_a_rollback_that_is_taken_back_lets_its_source_in_again(run: Any, tmp_path: Path, record: Any) -> None:
    path = tmp_path / "rows.json"
    for rows in ([record(1)], [record(1), record(2)]):
        path.write_text(json.dumps(rows))
        run(path)
    number = run_rollback().release
    assert number is not None
    assert run(path).code == "rolled_back"
    assert run_rollback(number).outcome == "published"
    assert run(path).outcome == "unchanged"
