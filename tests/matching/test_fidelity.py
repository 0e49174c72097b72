"""Every record is found by its own message, and the report tells those that are not, with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from kb.catalog import queries
from kb.matching import fidelity
from kb.matching.fidelity import Checked, Report
from kb.matching.filling import literal_characters
from kb.search.errors import SearchUnavailable
from tests.api.conftest import made_record

Import = Callable[..., Any]


@pytest.fixture
def catalog(import_sources: Import, project_root: Path) -> None:
    """The datasets seed and starter."""
    datasets = project_root / "fixtures" / "datasets"
    import_sources(datasets / "seed" / "seed-record.json", dataset="seed")
    import_sources(datasets / "starter", dataset="starter")


def told(**options: Any) -> tuple[int, Any]:
    """Exit code and output of the command, decoded when it is JSON."""
    output, code = StringIO(), 0
    try:
        call_command("check_catalog", findable=True, stdout=output, **options)
    except SystemExit as end:
        code = int(str(end.code))
    return code, json.loads(output.getvalue()) if options.get("json") else output.getvalue()


def test_every_record_of_ours_is_found_by_its_own_message(catalog: None) -> None:
    found = fidelity.report(fidelity.check())
    assert found.total.checked == queries.state().records >= 60
    assert found.total.weighty >= 60
    misses = [(row.message, row.why) for row in found.missed]
    assert found.total.share >= 0.995, misses


def test_the_report_counts_by_repository(catalog: None) -> None:
    found = fidelity.report(fidelity.check())
    assert sum(row.checked for row in found.repositories.values()) == found.total.checked
    assert sum(row.missed for row in found.repositories.values()) == found.total.missed == sum(found.reasons.values())


PLANTED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"errorMessage": "{a}: {b}", "messagePattern": "(.+?): (.+?)", "errorClass": None}, "few_literals"),
    (
        {
            "errorMessage": "the warp core of {ship} was breached at {deck}",
            "messagePattern": "an entirely different sentence about (.+?) tea kettles",
            "errorClass": None,
        },
        "pattern_misses",
    ),
)


@pytest.mark.parametrize(("fields", "reason"), PLANTED)
def test_a_record_that_cannot_be_found_is_told_with_the_reason(
    fields: dict[str, Any], reason: str, catalog: None, import_records: Import
) -> None:
    planted = made_record(errorCode=None, slug="planted", filePath="src/planted.py", **fields)
    import_records(planted)
    (row,) = fidelity.check([planted["id"]])
    assert (row.outcome, row.reason) == ("missed", reason)
    code, body = told(json=True, repo="acme/rocket")
    expected = 0 if reason == "few_literals" else 3  # nobody can find it
    assert code == expected
    assert body["reasons"] == {reason: 1}
    assert [(missed["id"], missed["reason"]) for missed in body["notFound"]] == [(planted["id"], reason)]
    assert body["repositories"] == {"acme/rocket": {name: body[name] for name in body["repositories"]["acme/rocket"]}}
    code, text = told(repo="acme/rocket")
    assert code == expected
    assert fidelity.REASONS[row.reason] in text
    assert planted["id"] in text


def test_records_that_no_text_can_tell_apart_are_tied(catalog: None, import_records: Import) -> None:
    fields = {"errorCode": None, "errorMessage": "the warp core of {ship} was breached", "errorClass": "WarpError"}
    pattern = {"messagePattern": "the warp core of (.+?) was breached"}
    copies = [made_record(slug=f"copy-{n}", filePath=f"src/{n}.py", **fields, **pattern) for n in "abc"]
    import_records(*copies)
    outcomes = [row.outcome for row in fidelity.check([row["id"] for row in copies])]
    assert sorted(outcomes) == ["first", "tied", "tied"]


def test_a_sample_is_the_same_each_time_and_all_of_it_is_counted(catalog: None) -> None:
    one, other = ([row.id for row in fidelity.check(sample=7)] for _ in range(2))
    assert one == other
    assert len(one) == 7
    _, body = told(json=True, sample=7)
    assert body["checked"] == body["first"] + body["tied"] + body["missed"] == 7


def test_an_empty_catalog_has_nothing_to_check(db: None) -> None:
    assert told() == (0, "The catalog has no records to check.\n")


def test_a_repository_that_is_not_there(catalog: None, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = told(repo="no/such")
    assert (code, output) == (1, "")
    assert "no/such" in capsys.readouterr().err


def test_an_index_that_is_away(
    catalog: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_revision: int) -> None:
        raise SearchUnavailable("it was never made")

    monkeypatch.setattr("kb.matching.fidelity.current_index", fail)
    assert told()[0] == 1
    assert "it was never made" in capsys.readouterr().err


def row(number: int) -> Checked:
    """A miss."""
    return Checked(id=str(number), repo="a/b", message="x", outcome="missed", weighty=True, reason="not_found")


def test_a_report_stays_small() -> None:
    def many() -> Iterator[Checked]:
        return map(row, range(5_000))

    found: Report = fidelity.report(many())
    assert found.total.missed == found.reasons["not_found"] == 5_000
    assert len(found.missed) == 1_000
    assert found.total.share == found.total.share_of_all == 0


def test_universal_messages_are_counted_apart() -> None:
    universal = replace(row(1), universal=True, reason="universal")
    total = fidelity.report([universal, row(2), replace(row(3), outcome="first", reason=None)]).total
    assert (total.weighty, total.universal, total.own_missed) == (3, 1, 1)
    assert total.share == 1 / 2
    assert total.share_of_all == pytest.approx(1 / 3)


def test_few_literals_are_those_of_the_index() -> None:
    assert literal_characters("abcde {x}") < fidelity.FEWEST_LITERALS <= literal_characters("abcdef {x}")
