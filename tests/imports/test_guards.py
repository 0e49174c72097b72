"""What holds an import back although its source is sound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb.imports.guards import is_older, shrinkage


@pytest.mark.parametrize(
    ("gone", "held", "says"),
    [
        ({}, {"a/b": 100}, ""),
        ({"a/b": 9}, {"a/b": 9}, ""),  # so few say nothing
        ({"a/b": 10}, {"a/b": 10}, "10 of the dataset's 10 records are gone (100.0%"),
        ({"a/b": 20}, {"a/b": 1000}, ""),
        ({"a/b": 21}, {"a/b": 1000}, "21 of the dataset's 1,000 records are gone (2.1%"),
        ({"a/b": 10}, {"a/b": 50, "c/d": 10_000}, ""),
        ({"a/b": 11}, {"a/b": 50, "c/d": 10_000}, "more than 20% of a repository is gone: a/b loses 11 of 50"),
        ({"a/b": 11, "c/d": 99}, {"a/b": 50, "c/d": 10_000}, "a repository is gone: a/b loses 11 of 50"),
    ],
)
def test_a_loss_that_is_too_large_is_told(gone: dict[str, int], held: dict[str, int], says: str) -> None:
    found = shrinkage(gone, held)
    assert says in found
    assert bool(found) == bool(says)


def test_the_largest_losses_are_named_first_and_not_all_of_them() -> None:
    held = {f"r/{number}": 100 for number in range(9)}
    found = shrinkage({repo: int(repo[2:]) + 1 for repo in held}, held)
    assert "r/8 loses 9 of 100, r/7 loses 8 of 100" in found
    assert found.endswith("and 4 more repositories")


@pytest.mark.parametrize(
    ("version", "held", "older"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", False),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", False),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", True),
        ("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z", True),
        ("2026-01-01", "2026-01-01T00:00:00Z", False),
        ("v1", "v2", True),
        ("", "v2", False),
        ("v1", "", False),
    ],
)
def test_versions_are_compared_as_times(version: str, held: str, older: bool) -> None:
    assert is_older(version, held) is older


def test_a_shrinking_dataset_waits_until_somebody_confirms_it(
    command: Any, run: Any, layout: Any, record: Any, stored: Any
) -> None:
    from kb.catalog.models import Release

    run(layout([record(number) for number in range(1, 61)]))
    before = stored()
    smaller = layout([record(number) for number in range(1, 51)])
    text, _, code = command(smaller, json=True)
    report = json.loads(text)
    assert (code, report["outcome"], report["code"], report["retired"]) == (4, "held", "held", 0)
    assert "10 of the dataset's 60 records are gone" in report["error"]
    assert "--confirm" in report["error"]
    assert stored() == before
    assert Release.objects.latest("pk").state == "held"
    text, _, code = command(smaller, json=True, confirm=True)
    assert (code, json.loads(text)["retired"]) == (0, 10)


def test_rejected_records_are_not_gone(run: Any, layout: Any, record: Any) -> None:
    run(layout([record(number) for number in range(1, 31)]))
    report = run(layout([record(number, severity="awful" if number > 10 else "info") for number in range(1, 31)]))
    assert (report.outcome, report.rejected, report.retired) == ("published", 20, 0)


def test_an_older_version_is_refused_without_the_flag(run: Any, command: Any, layout: Any, record: Any) -> None:
    run(layout([record(1)], version="2026-03-01T00:00:00Z"))
    older = layout([record(1), record(2)], version="2026-02-01T00:00:00Z")
    text, _, code = command(older, json=True)
    assert (code, json.loads(text)["outcome"], json.loads(text)["code"]) == (4, "refused", "older_version")
    text, _, code = command(older, json=True, allow_older=True)
    assert (code, json.loads(text)["added"]) == (0, 1)
    assert run(older, force=True).outcome == "unchanged"


def test_a_file_of_some_records_has_no_age(run: Any, record: Any, tmp_path: Path) -> None:
    for number, version in enumerate(("2026-03-01T00:00:00Z", "2026-02-01T00:00:00Z"), 1):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps({"record": record(number), "datasetVersion": version}))
        assert run(path).added == 1


def test_a_version_that_was_taken_back_does_not_come_again_by_itself(run: Any, layout: Any, record: Any) -> None:
    from kb.imports.rollback import run_rollback

    run(layout([record(1)], version="2026-01-01T00:00:00Z"))
    bad = layout([record(1), record(2)], version="2026-02-01T00:00:00Z")
    assert run(bad).added == 1
    assert run_rollback().retired == 1
    report = run(bad)
    assert (report.outcome, report.code) == ("refused", "rolled_back")
    assert run(layout([record(1), record(3)], version="2026-02-02T00:00:00Z")).added == 1
    assert run_rollback().retired == 1
    assert run(bad, force=True).restored == 1
    assert run(bad).outcome == "unchanged"  # it stands now


def test_a_source_that_is_replaced_meanwhile_is_read_again(
    run: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports import pipeline
    from kb.imports.refusals import Refusal

    opened: list[Any] = []
    real = pipeline.open_source

    def opening(name: str, **more: Any) -> Any:
        source = real(name, **more)
        opened.append(source)
        if len(opened) <= swaps:
            reading = source.read

            def swapped() -> Any:
                yield from reading()
                raise Refusal("vanished", name, "the dataset was replaced while it was read")

            monkeypatch.setattr(source, "read", swapped)
        return source

    monkeypatch.setattr(pipeline, "open_source", opening)
    swaps = 1
    report = run(layout([record(1), record(2)]))
    assert (report.outcome, report.added, len(opened)) == ("published", 2, 2)
    assert "read again" in report.notices[0]
    swaps = 9
    report = run(layout([record(1), record(2), record(3)]))
    assert (report.outcome, report.code, report.added, len(opened)) == ("refused", "vanished", 0, 4)
