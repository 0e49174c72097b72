"""``verify`` names everything that is not what it should be, and its repair brings back what was."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.core.management import call_command
from django.db import connection

from kb.catalog import models, queries
from kb.imports.lock import import_lock
from kb.imports.verification.checks import VerifyOptions, run_verify
from kb.imports.verification.report import VerifyReport, last_verification
from kb.matching.index.open import match_root
from kb.search.files import MANIFEST
from tests.imports.conftest import make_record

ONE, TWO, GONE, AGAIN, THIN = (make_record(number)["id"] for number in range(1, 6))
NO = "f" * 16
TERM = "INSERT INTO catalog_term (kind, key, label, folded, record_count, repository_count) VALUES"


@pytest.fixture
def catalog(import_records: Callable[..., Any]) -> None:
    """Two datasets with a record in common, a duplicate, a retired record, and one with findings; three revisions."""
    rows = [make_record(number) for number in range(1, 6)]
    rows[3] |= {"messagePattern": "ENGINE 1 failed with (.+?)", "slug": "engine-1-failed-again", "tags": []}
    rows[4] |= {"documentation": "Thin.", "solutions": [], "errorCode": "E5"}
    import_records(*rows, dataset="ours", priority=5, complete=True)
    import_records(make_record(1, documentation="Another text. " * 30), dataset="theirs")
    import_records(*rows[:2], *rows[3:], dataset="ours", complete=True)


def _verified(**options: Any) -> VerifyReport:
    return run_verify(VerifyOptions(**{"sample": None, **options}))


def _found(report: VerifyReport) -> set[tuple[str, str]]:
    return {(fault.check, fault.subject) for check in report.checks for fault in check.faults}


def _damage(statement: str, *params: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        assert cursor.rowcount > 0


def _contents() -> dict[str, list[str]]:
    """What the tables say, without the numbers of their rows and what a repair makes new."""
    tables = (
        models.CatalogState, models.Repository, models.Record, models.RecordTag, models.RecordFinding, models.Holding,
        models.Change, models.Term, models.FindingTally, models.FindingTrend,
        models.Release,
    )  # fmt: skip
    contents = {}
    for table in tables:
        left_out = {"version", "content"} | (set() if table is models.Record else {"id"})
        rows: list[Any] = list(table.objects.values())
        contents[table.__name__] = sorted(repr([row[name] for name in row if name not in left_out]) for row in rows)
    return contents


@pytest.mark.usefixtures("catalog")
def test_a_catalog_that_was_only_imported_is_sound() -> None:
    report = _verified()
    assert (report.outcome, _found(report)) == ("sound", set())
    assert (report.revision, report.records, report.sampled) == (3, 5, 5)


@pytest.mark.django_db
def test_an_empty_catalog_is_sound() -> None:
    assert _verified().outcome == "sound"


# Statements, with what they are found by; those of one group leave each other alone.
DAMAGES = {
    "records": [
        ("UPDATE catalog_record SET documentation = 'gone wrong' WHERE id = %s", [ONE], "content", ONE),
        ("UPDATE catalog_record SET solutions = '[' WHERE id = %s", [TWO], "content", TWO),
        ("UPDATE catalog_record SET slug = 'x' WHERE id = %s", [GONE], "content", GONE),
        ("UPDATE catalog_record SET content_hash = %s WHERE id = %s", ["0" * 32, AGAIN], "content", AGAIN),
        ("UPDATE catalog_record SET excerpt = 'x', code_key = 'x' WHERE id = %s", [THIN], "derived", THIN),
    ],
    "lines": [
        ("DELETE FROM catalog_recordtag WHERE record_id = %s", [ONE], "tags", ONE),
        ("UPDATE catalog_recordtag SET slug = 'x' WHERE record_id = %s", [TWO], "tags", TWO),
        ("INSERT INTO catalog_recordtag (tag, repo, slug, record_id) VALUES ('t', 'a/b', 's', %s)", [NO], "tags", NO),
        ("DELETE FROM catalog_recordfinding WHERE record_id = %s", [THIN], "findings", THIN),
        ("INSERT INTO catalog_recordfinding (finding, repo, record_id) VALUES ('x', 'a/b', %s)", [NO], "findings", NO),
        ("UPDATE catalog_findingtally SET record_count = 99", [], "tallies", "thin_text in acme/rockets"),
        ("UPDATE catalog_findingtrend SET record_count = 98 WHERE revision = 3", [], "trend", "thin_text"),
    ],
    "copies and changes": [
        ("DELETE FROM catalog_holding WHERE record_id = %s", [TWO], "copies", TWO),
        ("UPDATE catalog_holding SET content_hash = 'x' WHERE record_id = %s", [THIN], "copies", THIN),
        ("UPDATE catalog_change SET content = %s WHERE record_id = %s", [b"x", TWO], "feed", TWO),
        ("UPDATE catalog_record SET changed_revision = 7 WHERE id = %s", [AGAIN], "feed", AGAIN),
        ("UPDATE catalog_release SET retired = 9 WHERE revision = 3", [], "releases", None),
    ],
    "counts": [
        ("UPDATE catalog_term SET record_count = 7 WHERE kind = 'tag'", [], "terms", "tag engine"),
        ("DELETE FROM catalog_term WHERE kind = 'class'", [], "terms", None),
        (f"{TERM} ('code', 'x', 'X', 'x', 1, 1)", [], "terms", "code x"),
        ("UPDATE catalog_term SET folded = 'x' WHERE kind = 'family'", [], "terms", "family engine-failure"),
        ("UPDATE catalog_repository SET record_count = 9", [], "repositories", "acme/rockets"),
        ("UPDATE catalog_record SET canonical_id = NULL WHERE canonical_id IS NOT NULL", [], "duplicates", None),
        ("UPDATE catalog_record SET canonical_id = %s WHERE id = %s", [ONE, TWO], "duplicates", TWO),
        ("UPDATE catalog_catalogstate SET records = 99, families = 0", [], "totals", "records"),
    ],
}


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("group", DAMAGES)
def test_damage_is_named_and_mended(group: str) -> None:
    before = _contents()
    for statement, params, _, _ in DAMAGES[group]:
        _damage(statement, *params)

    report = _verified()

    assert report.outcome == "faulty"
    found = _found(report)
    for statement, _, check, subject in DAMAGES[group]:
        assert any(check == name and subject in {None, at} for name, at in found), (statement, found)
    assert _verified(repair=True).outcome == "mended"
    assert _verified().outcome == "sound"
    assert _contents() == before


@pytest.mark.usefixtures("catalog")
def test_a_repair_gives_the_revision_a_new_version_and_its_indexes_the_true_content() -> None:
    before = queries.state()
    _damage("UPDATE catalog_record SET documentation = 'gone wrong' WHERE id = %s", ONE)
    assert run_verify(VerifyOptions(repair=True)).outcome == "mended"
    after = queries.state()
    assert (after.revision, after.version > before.version) == (before.revision, True)
    for root in (Path(_index_dir()), match_root()):
        assert json.loads((root / "3" / MANIFEST).read_text())["catalog"] == after.version


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("damage", ["documentation = 'gone wrong'", "solutions = '['"])
def test_what_nothing_tells_is_named_and_comes_with_the_next_import(
    damage: str, import_records: Callable[..., Any]
) -> None:
    _damage("DELETE FROM catalog_change WHERE record_id = %s", TWO)
    _damage(f"UPDATE catalog_record SET {damage} WHERE id = %s", TWO)
    report = _verified(repair=True)
    assert report.outcome == "faulty"
    told = [fault for check in report.checks for fault in check.faults if fault.check == "content"]
    assert [(fault.subject, fault.cure) for fault in told] == [(TWO, "none")]
    assert "next import" in told[0].message
    assert ("feed", TWO) in _found(report)
    assert not {("copies", TWO), ("derived", TWO)} & _found(report)
    import_records(make_record(2), dataset="ours")
    assert {check for check, _ in _found(_verified())} == set()


@pytest.mark.usefixtures("catalog")
def test_changes_that_retention_forgot_are_no_fault() -> None:
    _damage("DELETE FROM catalog_change WHERE revision < 3")
    assert _verified().outcome == "sound"


@pytest.mark.usefixtures("catalog")
def test_a_damaged_copy_is_forgotten_so_that_the_next_import_brings_it(import_records: Callable[..., Any]) -> None:
    _damage("UPDATE catalog_holding SET content = %s WHERE content IS NOT NULL", b"x")
    assert ("copies", ONE) in _found(_verified())
    assert _verified(repair=True).outcome == "mended"
    assert queries.holders(ONE) == ("ours",)
    import_records(make_record(1, documentation="Another text. " * 30), dataset="theirs")
    assert queries.holders(ONE) == ("ours", "theirs")


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("kind", ["search", "match"])
def test_a_damaged_index_is_named_and_built_anew(kind: str) -> None:
    folder = (Path(_index_dir()) if kind == "search" else match_root()) / "3"
    largest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    raw = bytearray(largest.read_bytes())
    raw[len(raw) // 2] ^= 1
    largest.write_bytes(raw)
    report = _verified()
    assert (f"{kind} index", "revision 3") in _found(report)
    assert _verified(repair=True).outcome == "mended"
    assert _verified().outcome == "sound"


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("kind", ["search", "match"])
def test_an_index_of_another_content_is_named(kind: str, import_records: Callable[..., Any]) -> None:
    root = Path(_index_dir()) if kind == "search" else match_root()
    old = root.parent / f"{kind}-before"
    (root / "3").rename(old)
    import_records(make_record(7), make_record(1), dataset="late", priority=9)
    (root / "4" / MANIFEST).unlink()
    for path in sorted((root / "4").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (root / "4").rmdir()
    raw = json.loads((old / MANIFEST).read_text()) | {"revision": 4, "catalog": ""}
    (old / MANIFEST).write_text(json.dumps(raw))
    old.rename(root / "4")
    found = _found(_verified())
    assert (f"{kind} index", make_record(7)["id"]) in found
    assert (f"{kind} index", "count") in found


@pytest.mark.usefixtures("catalog")
def test_an_index_of_another_catalog_is_named() -> None:
    for root in (Path(_index_dir()), match_root()):
        path = root / "3" / MANIFEST
        raw = json.loads(path.read_text()) | {"catalog": "2001-01-01T00:00:00.000Z"}
        path.write_text(json.dumps(raw))
    assert {("search index", "revision 3"), ("match index", "revision 3")} <= _found(_verified())


@pytest.mark.usefixtures("catalog")
def test_the_last_result_is_kept(settings: Any, tmp_path: Path) -> None:
    settings.KB_DATA_DIR = tmp_path / "data"
    assert last_verification() is None
    report = _verified()
    kept = last_verification()
    assert kept is not None
    assert msgspec.to_builtins(kept) == msgspec.to_builtins(report)
    (tmp_path / "data" / "verify.json").write_text("{")
    assert last_verification() is None


@pytest.mark.usefixtures("catalog")
def test_a_sample_finds_what_it_looks_at_and_everything_is_hashed() -> None:
    _damage("UPDATE catalog_record SET excerpt = 'x'")
    _damage("UPDATE catalog_record SET documentation = 'gone wrong' WHERE id = %s", ONE)
    report = _verified(sample=0)
    assert {check for check, _ in _found(report)} == {"content"}
    assert report.sampled == 0


@pytest.mark.usefixtures("catalog")
def test_the_command_tells_and_exits() -> None:
    output = io.StringIO()
    call_command("verify", "--quiet", stdout=output)
    assert "The catalog is sound." in output.getvalue()
    _damage("UPDATE catalog_term SET record_count = 7 WHERE kind = 'tag'")
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify", "--quiet", stdout=output)
    assert ended.value.code == 1
    assert "tag engine: counted 7 records" in output.getvalue()
    output = io.StringIO()
    call_command("verify", "--repair", "--json", stdout=output)
    told = json.loads(output.getvalue())
    assert (told["outcome"], told["revision"]) == ("mended", 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.no_db_matrix
def test_a_repair_is_refused_beside_an_import_and_a_verification_is_not() -> None:
    with import_lock():
        assert _verified().outcome == "sound"
        output = io.StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("verify", "--repair", "--quiet", stdout=output)
    assert ended.value.code == 4
    assert "another import is running" in output.getvalue()


def _index_dir() -> str:
    from django.conf import settings

    return str(settings.KB_INDEX_DIR)
