"""Raw records that are known again by their bytes: the import comes to the same as one that decodes everything."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.imports.recognized import Known, Notes, Recognized, raw_digest


def noted(path: Path, rows: list[tuple[bytes, Known]], *, program: str = "1") -> None:
    notes = Notes(path, program=program)
    for digest, known in rows:
        notes.note(digest, known)
    notes.keep(unknown=["rating"])


def test_what_was_noted_is_found_again(tmp_path: Path) -> None:
    rows = [
        (raw_digest(b"%d" % number, "a/b"), Known(f"{number:016x}", f"{number:032x}", ("w",) * (number % 3)))
        for number in range(300)
    ]
    noted(tmp_path / "notes", rows)
    found = Recognized.load(tmp_path / "notes", program="1")
    assert [found.find(digest) for digest, _ in rows] == [known for _, known in rows]
    assert found.unknown == ("rating",)
    assert found.find(raw_digest(b"7", "other/repo")) is None
    assert found.find(raw_digest(b"unknown", "a/b")) is None
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_nothing_is_found_of_another_program_or_in_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    assert not Recognized.load(path, program="1")
    noted(path, [(raw_digest(b"1", None), Known("0" * 16, "0" * 32, ()))])
    assert not Recognized.load(path, program="2")
    whole = path.read_bytes()
    for damaged in (b"", b"recognized 1\n", whole[:-1], b"x" + whole, whole.replace(b"{", b"[", 1), b"\xff" * 90):
        path.write_bytes(damaged)
        assert not Recognized.load(path, program="1")


def test_a_dropped_reading_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    noted(path, [(raw_digest(b"1", None), Known("0" * 16, "0" * 32, ()))])
    before = path.read_bytes()
    notes = Notes(path, program="1")
    notes.note(raw_digest(b"2", None), Known("1" * 16, "0" * 32, ()))
    notes.drop()
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("place", ["mkdir", "open", "replace"])
def test_what_cannot_be_noted_stops_no_import(
    place: str, run: Any, layout: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.catalog import queries
    from kb.imports import recognized

    class Full(type(Path())):
        """A path on a disk without room."""

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    setattr(Full, place, fail)
    real = recognized.Notes.__init__
    monkeypatch.setattr(recognized.Notes, "__init__", lambda self, path, **more: real(self, Full(path), **more))
    report = run(layout([record(1)]))
    assert (report.outcome, report.added, report.error) == ("published", 1, "")
    release = queries.release(report.release)
    assert release is not None
    assert release.state == "published"


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """The raw records that were decoded."""
    from kb.imports import preparing

    seen: list[bytes] = []
    real = preparing.decode_record

    def decoding(raw: bytes, **more: Any) -> Any:
        seen.append(raw)
        return real(raw, **more)

    monkeypatch.setattr(preparing, "decode_record", decoding)
    return seen


def test_only_what_changed_is_decoded(run: Any, layout: Any, record: Any, decoded: list[bytes]) -> None:
    rows = [record(number, rating=number) for number in range(1, 40)]
    first = run(layout(rows))
    assert (first.added, len(decoded), first.unknown_fields) == (39, 39, ["rating"])
    decoded.clear()
    rows[3] = record(4, severity="info")
    second = run(layout(rows[:-1], version="2026-01-02T00:00:00Z"))
    assert (second.changed, second.retired, second.unchanged, len(decoded)) == (1, 1, 37, 1)
    assert (second.unknown_fields, second.rejected) == (["rating"], 0)
    decoded.clear()
    assert run(layout(rows[:-1], version="2026-01-03T00:00:00Z"), force=True).unchanged == 38
    assert len(decoded) == 38


def test_warnings_are_counted_again(run: Any, layout: Any, record: Any) -> None:
    from kb.records.rules import FIELDS

    tolerated = next(row.tolerated for row in FIELDS if row.name == "errorType")[0]
    rows = [record(number, errorType=tolerated if number < 3 else "http") for number in range(1, 5)]
    rows[3]["severity"] = "awful"
    first = run(layout(rows))
    second = run(layout([*rows, record(9)], version="2026-01-02T00:00:00Z"))
    assert first.warnings > 0
    assert (second.warnings, second.problem_counts, second.rejected) == (
        first.warnings, first.problem_counts, first.rejected,
    )  # fmt: skip


def test_what_is_no_longer_held_is_decoded(run: Any, layout: Any, record: Any, decoded: list[bytes]) -> None:
    from kb.imports.removal import run_removal

    rows = [record(number) for number in range(1, 9)]
    run(layout(rows))
    run_removal("local")
    decoded.clear()
    assert run(layout(rows)).restored == 8
    assert len(decoded) == 8


def test_a_record_in_the_file_of_another_repository_is_rejected_all_the_same(
    run: Any, layout: Any, record: Any
) -> None:
    run(layout([record(1), record(2)]))
    source = layout([record(1), record(2)], version="2026-01-02T00:00:00Z")
    other = source / "repos" / "acme" / "boats.json"
    (source / "repos" / "acme" / "rockets.json").rename(other)
    listing = (source / "repos.json").read_text().replace("acme/rockets", "acme/boats")
    (source / "repos.json").write_text(listing)
    manifest = json.loads((source / "manifest.json").read_text())
    manifest["files"] = {}
    (source / "manifest.json").write_text(json.dumps(manifest))
    report = run(source)
    assert (report.rejected, report.problem_counts) == (2, {"repo_mismatch": 2})


@pytest.mark.parametrize("later", ["held", "changed"])
def test_of_a_repeated_id_the_last_one_wins(
    later: str, run: Any, layout: Any, record: Any, catalog_records: Any
) -> None:
    run(layout([record(1), *(record(number) for number in range(3, 12))]))
    held, changed = record(1), record(1, severity="info")
    pair = [changed, held] if later == "held" else [held, changed]
    report = run(layout([*pair, *(record(number) for number in range(3, 12))], version="2026-01-02T00:00:00Z"))
    assert report.problem_counts == {"repeated_id": 1}
    assert catalog_records()[held["id"]]["severity"] == ("error" if later == "held" else "info")


def test_random_releases_come_to_the_same_as_with_decoding(run: Any, layout: Any, record: Any, stored: Any) -> None:
    from django.db import transaction

    rng = random.Random(7)
    for day in range(1, 6):
        rows = [
            record(number, severity=rng.choice(["info", "error"]), slug=f"slug-{number + rng.randrange(2)}")
            for number in range(1, 30, 2)
            if rng.random() < 0.8
        ]
        source = layout(rows, version=f"2026-01-0{day}T00:00:00Z")
        outcomes = []
        for force in (True, False):
            with transaction.atomic():
                report = run(source, force=force, confirm=True)
                names = ("added", "changed", "retired", "restored", "unchanged", "rejected", "warnings")
                rows_after = {name: [row[1:] for row in table] for name, table in stored().items()}
                outcomes.append(([getattr(report, name) for name in names], rows_after["Record"]))
                transaction.set_rollback(force)
        assert outcomes[0][0] == outcomes[1][0]
        assert len(outcomes[0][1]) == len(outcomes[1][1])
