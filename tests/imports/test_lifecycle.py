"""What becomes of records over releases: added, changed, retired, restored, renamed, and shared between datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb.records.encode import encode


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """A file of records."""

    def written(*records: dict[str, Any]) -> Path:
        path = tmp_path / "records.json"
        path.write_text(json.dumps(records))
        return path

    return written


def counts(report: Any) -> dict[str, int]:
    names = ("added", "changed", "unchanged", "retired", "restored", "rejected")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def kinds(record_id: str) -> list[str]:
    from kb.catalog.models import Change

    return list(Change.objects.filter(record_id=record_id).order_by("pk").values_list("kind", flat=True))


def view(record_id: str) -> Any:
    from kb.catalog import queries

    found = queries.record_by_id(record_id)
    assert found is not None
    return found


def test_the_same_source_again_writes_no_row(run: Any, layout: Any, record: Any, stored: Any) -> None:
    source = layout([record(number) for number in range(1, 8)])
    run(source)
    before = stored()
    report = run(source)
    assert (report.outcome, counts(report)) == ("unchanged", {"unchanged": 7})
    assert stored() == before


def test_a_file_of_some_adds_and_updates_only(run: Any, write: Any, record: Any) -> None:
    run(write(record(1), record(2)))
    report = run(write(record(2, documentation="Rewritten, and a good deal longer than it was before."), record(3)))
    assert counts(report) == {"added": 1, "changed": 1}
    assert kinds(record(1)["id"]) == ["added"]
    assert kinds(record(2)["id"]) == ["added", "changed"]


def test_a_layout_retires_what_is_gone_and_restores_what_is_back(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1), record(2), record(1, repo="acme/boats")]))
    assert counts(run(layout([record(1)]))) == {"unchanged": 1, "retired": 2}
    gone = view(record(2)["id"])
    assert (gone.retired_revision, gone.row.retired, encode(gone.record)) == (2, True, record(2))
    assert counts(run(layout([record(1), record(2)]))) == {"unchanged": 1, "restored": 1}
    assert view(record(2)["id"]).retired_revision is None
    assert kinds(record(2)["id"]) == ["added", "retired", "restored"]


@pytest.mark.parametrize(("options", "retired"), [({"complete": True}, 1), ({}, 0), ({"complete": False}, 0)])
def test_a_file_retires_only_when_it_is_said_to_be_complete(
    options: Any, retired: int, run: Any, write: Any, record: Any
) -> None:
    run(write(record(1), record(2)))
    assert run(write(record(1)), **options).retired == retired


def test_a_partial_layout_retires_nothing(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1), record(2)]))
    assert run(layout([record(1)]), complete=False).retired == 0


def test_only_a_moved_analysis_is_a_change_of_its_own_kind(run: Any, write: Any, record: Any) -> None:
    run(write(record(1)))
    moved = "1" * 40
    again = record(
        1,
        analyzedSha=moved,
        analyzedAt="2026-05-05T00:00:00Z",
        githubUrl=record(1)["githubUrl"].replace("0" * 40, moved),
    )
    assert run(write(again)).changed == 1
    assert kinds(again["id"]) == ["added", "reanalysed"]


def test_a_rejected_record_counts_as_present(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1), record(2)]))
    report = run(layout([record(1), record(2, severity="awful")]))
    assert counts(report) == {"unchanged": 1, "rejected": 1}
    assert encode(view(record(2)["id"]).record) == record(2)


def test_nothing_of_a_repository_goes_when_one_of_its_records_has_no_readable_id(
    run: Any, layout: Any, record: Any
) -> None:
    boats = [record(number, repo="acme/boats") for number in (1, 2)]
    run(layout([record(1), record(2), *boats]))
    report = run(layout([record(1), record(3, id="not an id"), boats[0]]))
    assert counts(report) == {"unchanged": 2, "rejected": 1, "retired": 1}
    assert view(record(2)["id"]).retired_revision is None
    assert view(boats[1]["id"]).retired_revision == report.revision
    assert any("acme/rockets" in notice for notice in report.notices)


# --- slugs --------------------------------------------------------------------------------------------------


def answer(slug: str) -> Any:
    from kb.catalog import queries

    return queries.record_by_slug("acme", "rockets", slug)


def test_a_slug_that_passes_on_names_its_former_owner(run: Any, write: Any, record: Any) -> None:
    run(write(record(1, slug="boom"), record(2, slug="bang")))
    report = run(write(record(1, slug="crash"), record(2, slug="boom")))
    assert counts(report) == {"changed": 2}
    boom = answer("boom")
    assert boom.current.record.id == record(2)["id"]
    assert [row.id for row in boom.former] == [record(1)["id"]]
    left = answer("bang")
    assert left.current is None
    assert [row.id for row in left.former] == [record(2)["id"]]


def test_two_records_swap_their_slugs(run: Any, write: Any, record: Any) -> None:
    run(write(record(1, slug="boom"), record(2, slug="bang")))
    assert counts(run(write(record(1, slug="bang"), record(2, slug="boom")))) == {"changed": 2}
    assert answer("boom").current.record.id == record(2)["id"]
    assert answer("bang").current.record.id == record(1)["id"]


def test_a_retired_record_keeps_its_address_until_another_takes_it(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1, slug="boom"), record(2)]))
    run(layout([record(2)]))
    assert answer("boom").current.record.id == record(1)["id"]
    assert counts(run(layout([record(2), record(3, slug="boom")]))) == {"added": 1, "unchanged": 1}
    taken = answer("boom")
    assert taken.current.record.id == record(3)["id"]
    assert [row.id for row in taken.former] == [record(1)["id"]]


def test_a_slug_that_its_owner_keeps_is_refused(run: Any, write: Any, record: Any, stored: Any) -> None:
    run(write(record(1, slug="boom")))
    before = stored()
    report = run(write(record(2, slug="boom")))
    assert (report.rejected, report.problem_counts) == (1, {"slug_taken": 1})
    assert stored() == before


def test_of_two_claims_in_one_source_the_second_is_refused(run: Any, write: Any, record: Any) -> None:
    report = run(write(record(1, slug="boom"), record(2, slug="boom"), record(3)))
    assert (report.added, report.problem_counts) == (2, {"slug_taken": 1})
    assert answer("boom").current.record.id == record(1)["id"]


def test_of_a_repeated_id_the_last_stays(run: Any, write: Any, record: Any) -> None:
    report = run(write(record(1, severity="info"), record(2), record(1, severity="critical")))
    assert (report.added, report.rejected, report.problem_counts) == (2, 0, {"repeated_id": 1})
    assert view(record(1)["id"]).record.severity == "critical"


# --- several datasets -----------------------------------------------------------------------------------------


def test_the_dataset_with_the_higher_priority_is_shown(run: Any, write: Any, record: Any) -> None:
    from kb.catalog import queries

    ours, theirs = record(1, severity="critical"), record(1, severity="info")
    run(write(theirs), dataset="public")
    assert counts(run(write(ours), dataset="own", priority=5)) == {"changed": 1}
    shown = view(ours["id"])
    assert (shown.dataset, shown.record.severity) == ("own", "critical")
    assert queries.holders(ours["id"]) == ("own", "public")
    # What the other one brings from now on waits behind it.
    report = run(write(record(1, severity="warning")), dataset="public")
    assert (report.outcome, counts(report)) == ("published", {})
    assert view(ours["id"]).record.severity == "critical"


def test_the_copy_of_the_other_dataset_comes_forward(run: Any, write: Any, record: Any) -> None:
    ours, theirs = record(1, severity="critical"), record(1, severity="info")
    run(write(theirs), dataset="public")
    run(write(ours, record(2)), dataset="own", priority=5)
    report = run(write(record(2)), dataset="own", complete=True)
    assert counts(report) == {"changed": 1, "unchanged": 1}
    shown = view(ours["id"])
    assert (shown.dataset, encode(shown.record), shown.retired_revision) == ("public", theirs, None)
    assert counts(run(write(record(3)), dataset="public", complete=True)) == {"added": 1, "retired": 1}
    assert view(ours["id"]).retired_revision is not None


def test_retirement_counts_within_one_dataset(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(1)]), dataset="public")
    report = run(layout([record(2)]), dataset="own")
    assert counts(report) == {"added": 1}
    assert view(record(1)["id"]).retired_revision is None


def test_equal_copies_change_hands_without_a_change(run: Any, write: Any, record: Any) -> None:
    run(write(record(1)), dataset="public")
    report = run(write(record(1)), dataset="own", priority=1)
    assert counts(report) == {}
    assert view(record(1)["id"]).dataset == "own"
    assert kinds(record(1)["id"]) == ["added"]


# --- counts and groups ------------------------------------------------------------------------------------------


def test_terms_count_current_records(run: Any, layout: Any, record: Any) -> None:
    from kb.catalog import queries

    coded = record(1, errorCode="E_BOOM", repo="acme/boats", tags=["boat"])
    run(layout([coded, record(1), record(2)]))
    family = queries.term("family", "engine-failure")
    assert (family.record_count, family.repository_count) == (3, 2)  # type: ignore[union-attr]
    (code,) = queries.terms("code").items
    assert (code.label, code.record_count) == ("E_BOOM", 1)
    assert [row.label for row in queries.terms("tag").items] == ["boat", "engine", "hardware"]
    run(layout([record(1)]))
    family = queries.term("family", "engine-failure")
    assert (family.record_count, family.repository_count) == (1, 1)  # type: ignore[union-attr]
    assert queries.terms("code").items == ()
    assert [row.label for row in queries.terms("tag").items] == ["engine", "hardware"]
    assert queries.state().records == 1
    assert [row.full_name for row in queries.repositories().items] == ["acme/rockets"]


def test_a_duplicate_group_has_one_canonical_record(run: Any, write: Any, record: Any) -> None:
    from kb.catalog import queries

    same = {"errorMessage": "out of fuel {x}", "messagePattern": "out of fuel (.+?)"}
    good = record(1, **same, documentation="A long text that says what happened in every detail. " * 20)
    twin = record(2, **same, filePath="rockets/other.py")
    run(write(twin, good, record(3)))
    assert view(good["id"]).canonical_id is None
    assert view(twin["id"]).canonical_id == good["id"]
    assert [row.id for row in queries.related(view(good["id"])).duplicates] == [twin["id"]]
    run(write(record(2, filePath="rockets/other.py")))
    assert view(twin["id"]).canonical_id is None


# --- slugs between datasets ----------------------------------------------------------------


@pytest.fixture
def release(run: Any, write: Any, record: Any) -> Any:
    """``release("a", {1: "s"})``: a complete release of a dataset in which record 1 has the slug s."""
    priorities = {"a": 10, "b": 0, "c": 0}

    def released(dataset: str, slugs: dict[int, str], **options: Any) -> Any:
        rows = [record(number, slug=slug, documentation=f"As {dataset} tells it.") for number, slug in slugs.items()]
        report = run(write(*rows), **{"dataset": dataset, "priority": priorities[dataset], "complete": True, **options})
        assert report.outcome in {"published", "unchanged"}, report.error
        return report

    return released


def shown(record: Any) -> dict[int, tuple[str, str]]:
    """Record number to (slug, dataset) of everything that is current."""
    from kb.catalog import queries

    numbers = {record(number)["id"]: number for number in range(1, 12)}
    living = [found for found in queries.iter_records() if found.retired_revision is None]
    return {numbers[found.record.id]: (found.record.slug, found.dataset) for found in living}


def test_what_arrives_has_the_slug_before_what_would_come_forward(release: Any, record: Any) -> None:
    release("a", {1: "s"})
    release("b", {1: "s"})
    assert release("a", {2: "s"}).rejected == 0
    assert shown(record) == {2: ("s", "a")}
    release("a", {2: "elsewhere"})  # the slug is free again, and the waiting copy takes it
    assert shown(record) == {1: ("s", "b"), 2: ("elsewhere", "a")}


def test_what_a_hidden_copy_leaves_is_not_free(release: Any, record: Any) -> None:
    release("a", {1: "s"})
    release("b", {1: "s"})
    assert release("b", {2: "s"}).problem_counts == {"slug_taken": 1}
    assert shown(record) == {1: ("s", "a")}


def test_a_copy_does_not_come_forward_over_an_arrival(release: Any, record: Any) -> None:
    release("a", {1: "s"})
    release("b", {1: "t"})
    release("a", {3: "t"})
    assert shown(record) == {3: ("t", "a")}
    assert view(record(1)["id"]).retired_reason == "slug_taken"


def test_of_two_copies_that_want_one_slug_the_better_dataset_wins(release: Any, record: Any) -> None:
    release("a", {1: "s", 2: "u"})
    release("b", {1: "t"})
    release("c", {2: "t"})
    release("a", {9: "zz"})
    assert shown(record) == {1: ("t", "b"), 9: ("zz", "a")}
    release("b", {})
    assert shown(record) == {2: ("t", "c"), 9: ("zz", "a")}


def test_copies_swap_back_in_one_release(release: Any, record: Any) -> None:
    release("b", {1: "s", 2: "t"})
    release("a", {1: "t", 2: "s"})
    release("a", {})
    assert shown(record) == {1: ("s", "b"), 2: ("t", "b")}


def test_a_waiting_copy_that_its_dataset_drops_is_simply_gone(release: Any, record: Any) -> None:
    release("a", {1: "s"})
    release("b", {1: "t"})
    release("a", {3: "t"})
    release("b", {})
    assert view(record(1)["id"]).retired_reason == "gone"


def test_a_copy_that_changes_hands_is_a_revision_of_its_own(release: Any, record: Any, run: Any, write: Any) -> None:
    run(write(record(1)), dataset="b")
    assert run(write(record(1)), dataset="a", priority=10).revision == 2
    assert view(record(1)["id"]).dataset == "a"
    assert run(write(), dataset="a", complete=True).revision == 3
    assert view(record(1)["id"]).dataset == "b"


def test_a_priority_decides_from_the_import_that_gives_it(release: Any, record: Any, tmp_path: Path, run: Any) -> None:
    release("a", {1: "s"})
    release("b", {1: "t", 2: "u"})
    assert shown(record) == {1: ("s", "a"), 2: ("u", "b")}
    release("b", {1: "t", 2: "u"}, priority=100)
    assert shown(record) == {1: ("t", "b"), 2: ("u", "b")}
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert run(broken, dataset="b", priority=-5).outcome == "refused"
    release("c", {1: "v"}, priority=50)
    assert shown(record)[1] == ("t", "b")
    release("b", {1: "t", 2: "u"}, priority=0)
    assert shown(record)[1] == ("v", "c")


def test_a_record_that_moves_to_another_repository_frees_its_address(run: Any, write: Any, record: Any) -> None:
    from kb.catalog import queries

    moved = record(1, slug="boom", repo="acme/boats", id=record(1)["id"])
    run(write(record(1, slug="boom")))
    assert run(write(moved, record(2, slug="boom"))).rejected == 0
    there = queries.record_by_slug("acme", "boats", "boom").current
    assert there is not None
    assert there.record.id == record(1)["id"]
    here = answer("boom")
    assert here.current.record.id == record(2)["id"]
    assert [row.id for row in here.former] == [record(1)["id"]]


def test_a_name_that_folds_to_a_long_one_is_imported(run: Any, write: Any, record: Any) -> None:
    from kb.catalog import queries

    long = "\ufdfa" * 60 + "/x"
    assert run(write(record(1, repo=long), record(2))).added == 2
    assert queries.repository(*long.split("/")) is not None


def test_odd_numbers_and_the_order_of_keys_come_back(tmp_path: Path, run: Any, record: Any) -> None:
    odd = '{"z": 1e22, "a": [-0.0, 1e300, 1e16, 0.1, 12345678901234567890], "m": {"y": 1, "b": null}}'
    text = json.dumps(record(1))[:-1] + f', "odd": {odd}}}'
    path = tmp_path / "odd.json"
    path.write_text(text)
    run(path)
    raw = view(record(1)["id"]).raw.decode()
    assert repr(json.loads(raw)["odd"]) == repr(json.loads(odd))
    assert run(path).outcome == "unchanged"


def test_a_repository_with_odd_numbers_is_unchanged_the_second_time(layout: Any, run: Any, record: Any) -> None:
    import hashlib

    directory = layout([record(1)])
    listing = (directory / "repos.json").read_text()[:-2] + ', "extra": {"x": 1e23, "y": -0.0}}]'
    (directory / "repos.json").write_text(listing)
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["files"]["repos"] |= {"bytes": len(listing), "sha256": hashlib.sha256(listing.encode()).hexdigest()}
    (directory / "manifest.json").write_text(json.dumps(manifest))
    assert [run(directory).outcome for _ in range(2)] == ["published", "unchanged"]
