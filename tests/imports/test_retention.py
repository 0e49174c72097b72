"""What old releases leave behind goes as the setting says; the rest stays, and nothing grows without bound."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RELEASES = 30
RECORDS = 40


@pytest.fixture
def nightly(run: Any, layout: Any, record: Any) -> Callable[..., Any]:
    """One release after another of a dataset: some records change, one is rejected, the last one comes and goes."""

    def released(number: int, **options: Any) -> Any:
        rows = [
            record(n, documentation=f"As of night {number if n <= RECORDS // 4 else 0}. " * 30)
            for n in range(1, RECORDS + number % 2)
        ]
        version = f"2026-02-01T00:00:{number:02}.000Z"
        report = run(layout([*rows, record(99, severity="awful")], version=version), confirm=True, **options)
        assert (report.outcome, report.revision, report.rejected) == ("published", number, 1), report.error
        return report

    return released


def _sizes(directory: Path) -> int:
    """Bytes of the files below a directory; a file with two names counts once."""
    return sum({path.stat().st_ino: path.stat().st_size for path in directory.rglob("*") if path.is_file()}.values())


def _database_size() -> int:
    from django.db import connection

    if connection.vendor == "sqlite":
        return Path(connection.settings_dict["NAME"]).stat().st_size
    with connection.cursor() as cursor:
        cursor.execute("SELECT SUM(pg_table_size(relid)) FROM pg_stat_user_tables WHERE relname LIKE 'catalog_%'")
        return int(cursor.fetchone()[0])


def _counts() -> dict[str, int]:
    from kb.catalog import models

    tables = (models.Change, models.CopyBefore, models.Rejection, models.Record, models.Holding, models.RecordFinding)
    return {table.__name__: table.objects.count() for table in tables}


def test_everything_is_kept_by_default(nightly: Any) -> None:
    from kb.catalog import models
    from kb.catalog.retention import Pruned, prune

    for number in range(1, 6):
        nightly(number)
    assert prune() == Pruned()
    assert models.Change.objects.filter(revision=1).count() == RECORDS
    assert models.Rejection.objects.count() == 5
    assert not models.Release.objects.filter(before=None).exists()


def test_the_newest_releases_are_kept(nightly: Any, catalog_records: Any, settings: Any) -> None:
    from kb.catalog import models, queries
    from kb.catalog.retention import FORGOTTEN, Pruned, prune

    settings.KB_KEEP_RELEASES = 2
    for number in range(1, 6):
        nightly(number)
    before = catalog_records()
    assert set(models.Change.objects.values_list("revision", flat=True)) == {4, 5}
    rows = list(models.Release.objects.order_by("pk"))
    assert [row.before is None for row in rows] == [True, True, True, False, False]
    assert [row.notices == [FORGOTTEN] for row in rows] == [True, True, True, False, False]
    assert [queries.rejections(row.pk).items != () for row in rows] == [False, False, False, True, True]
    kept = {row.pk for row in rows[3:]}
    assert set(models.CopyBefore.objects.values_list("release_id", flat=True)) == kept
    assert set(models.Rejection.objects.values_list("release_id", flat=True)) == kept
    assert [row.rejected for row in rows] == [1] * 5
    assert prune() == Pruned()  # nothing is left to do
    assert catalog_records() == before


def test_what_is_left_is_sound_and_the_feed_says_from_where(nightly: Any, settings: Any, client: Any) -> None:
    from django.core.management import call_command

    settings.KB_KEEP_RELEASES = 2
    for number in range(1, 6):
        nightly(number)
    told = io.StringIO()
    call_command("verify", stdout=told)
    assert "The catalog is sound." in told.getvalue()
    asked = {after: client.get(f"/api/v1/changes/?after={after}", SERVER_NAME="localhost") for after in range(6)}
    assert [answer.status_code for answer in asked.values()] == [410, 410, 410, 200, 200, 200]


def test_each_dataset_keeps_its_own(nightly: Any, run: Any, layout: Any, record: Any, settings: Any) -> None:
    from kb.catalog import models

    settings.KB_KEEP_RELEASES = 2
    for severity in ("error", "info"):
        rows = [record(n, repo="umbrella/tanks", severity=severity) for n in range(1, 4)]
        other = run(layout(rows), dataset="yearly")
    assert other.revision == 2
    for number in range(3, 7):
        nightly(number)
    release = models.Release.objects.get(pk=other.release)
    assert release.before is not None
    assert models.CopyBefore.objects.filter(release=release).count() == 3
    assert not models.Change.objects.filter(revision=2).exists()


def test_releases_that_published_nothing_are_forgotten_apart(nightly: Any, run: Any, settings: Any) -> None:
    from kb.catalog import models
    from kb.catalog.retention import FORGOTTEN

    settings.KB_KEEP_RELEASES = 2
    published = nightly(1)
    for _ in range(4):
        assert run("missing.json").outcome == "refused"
    nightly(2)
    refused = models.Release.objects.filter(state="refused").order_by("pk")
    assert [row.notices == [FORGOTTEN] for row in refused] == [True, True, False, False]
    assert models.Rejection.objects.filter(release_id=published.release).count() == 1


def test_what_is_stopped_half_way_goes_on_the_next_time(
    nightly: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.catalog import models, retention

    for number in range(1, 5):
        nightly(number)
    delete, calls = retention._delete, 0

    def stopping(*words: Any) -> int:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return delete(*words)

    monkeypatch.setattr(retention, "_BATCH", 3)
    with monkeypatch.context() as patched:
        patched.setattr(retention, "_delete", stopping)
        with pytest.raises(KeyboardInterrupt):
            retention.prune(1)
    retention.prune(1)
    assert set(models.Change.objects.values_list("revision", flat=True)) == {4}
    newest = models.Release.objects.latest("pk")
    for table in (models.CopyBefore, models.Rejection):
        assert set(table.objects.values_list("release_id", flat=True)) == {newest.pk}


def test_a_release_that_is_forgotten_is_not_taken_back(nightly: Any, settings: Any, stored: Any) -> None:
    from kb.catalog import models
    from kb.imports.rollback import run_rollback

    settings.KB_KEEP_RELEASES = 2
    for number in range(1, 5):
        nightly(number)
    before = stored()
    oldest = models.Release.objects.order_by("pk").first()
    assert oldest is not None
    report = run_rollback(oldest.pk)
    assert report.outcome == "refused", report
    assert stored() == before
    assert run_rollback(oldest.pk + 2).outcome == "published"


@pytest.mark.django_db(transaction=True)
def test_thirty_releases_in_a_row_stay_small(
    transactional_db: None, nightly: Any, settings: Any, tmp_path: Path
) -> None:
    from django.db import connection

    settings.KB_KEEP_RELEASES = 3
    settings.KB_DATA_DIR = tmp_path / "data"
    sizes: list[tuple[int, int]] = []
    counts: list[dict[str, int]] = []
    for number in range(1, RELEASES + 1):
        nightly(number)
        sizes.append((_database_size(), _sizes(settings.KB_INDEX_DIR)))
        counts.append(_counts())
        if connection.vendor == "sqlite":
            log = Path(str(connection.settings_dict["NAME"]) + "-wal")
            assert not log.exists() or log.stat().st_size == 0
    assert max(row["Change"] for row in counts[10:]) <= max(row["Change"] for row in counts[4:10])
    assert {key: value for key, value in counts[-1].items() if key != "Record"} == {
        key: value for key, value in counts[-3].items() if key != "Record"
    }
    database, index = zip(*sizes, strict=True)
    # PostgreSQL gives room that was freed back to the next release once it has been vacuumed.
    assert max(database[15:]) <= max(database[5:15]) * (1.1 if connection.vendor == "sqlite" else 2)
    assert max(index[15:]) <= max(index[5:15]) * 1.1
    assert sorted(path.name for path in settings.KB_INDEX_DIR.iterdir() if path.name.isdigit()) == ["29", "30"]
    assert [path for path in (settings.KB_DATA_DIR / "spool").rglob("*") if path.is_file()] == []
    assert not [path for path in settings.KB_INDEX_DIR.iterdir() if path.name.startswith(".")]
