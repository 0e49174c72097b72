"""An importer that is killed at any moment while eight readers read: nobody sees a mixed state, nothing is left."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.imports.marked import check_sound, environment, marked_release, readers, start

RECORDS = 50  # in each of two repositories


@pytest.fixture
def site(transactional_db: None, settings: Any, tmp_path: Path) -> dict[str, str]:
    """The environment of programs that share this test's database and have a data directory of their own."""
    from django.db import connection

    settings.KB_DATA_DIR = tmp_path / "data"
    name, address = connection.settings_dict["NAME"], f"sqlite:///{connection.settings_dict['NAME']}"
    if connection.vendor == "postgresql":
        host = str(connection.settings_dict["HOST"]).replace("/", "%2F")
        address = f"postgresql://{connection.settings_dict['USER']}@{host}/{name}"
    return environment(address, settings.KB_DATA_DIR, settings.KB_INDEX_DIR, DJANGO_SETTINGS_MODULE="kb.settings")


@pytest.fixture
def published(site: dict[str, str], tmp_path: Path) -> Callable[[int], str]:
    """Publishes one of the marked releases by the command, undisturbed; the outcome."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    def publish(number: int) -> str:
        directory = tmp_path / f"release-{number}"
        source = directory if directory.exists() else marked_release(directory, number, records=RECORDS)
        report = run_import([source], ImportOptions())
        assert report.revision == number, report.error
        return report.outcome

    return publish


def _seconds_of_the_last() -> float:
    from kb.catalog.models import Release

    return float(Release.objects.latest("pk").seconds or 0)


def _lock_is_free() -> bool:
    """Whether the import lock can be had; the database may need a moment to notice that a session is gone."""
    from kb.imports.lock import import_lock
    from kb.imports.refusals import Refusal

    for _ in range(200):
        try:
            with import_lock():
                return True
        except Refusal:
            time.sleep(0.05)
    return False


def test_killed_at_random_moments_while_eight_readers_read(
    site: dict[str, str], published: Any, tmp_path: Path, soak: bool
) -> None:
    assert published(1) == "published"
    chance = random.Random(20261130)
    span, outcomes = 0.0, []
    kills = 60 if soak else 6
    with readers(site) as crowd:
        for number in range(2, kills + 3):
            source = marked_release(tmp_path / f"release-{number}", number, records=RECORDS)
            program = start(["import_dataset", source], site)
            program.wait_for_work()
            if span:
                time.sleep(chance.uniform(0, span))
                program.process.send_signal(signal.SIGKILL)
            program.end()
            crowd.check()
            span = span or _seconds_of_the_last()  # the first one runs to its end
            assert _lock_is_free()
            outcomes.append(published(number))
            check_sound(number, records=RECORDS)
        seen = crowd.stop()
    assert [row["failures"] for row in seen] == [[]] * 8
    assert all(row["views"] for row in seen)
    assert set().union(*(row["revisions"] for row in seen)) >= set(range(2, kills + 2))
    assert outcomes[0] == "unchanged"
    assert "published" in outcomes[1:], "no kill came before the commit"


def _markers() -> set[str]:
    from kb.catalog import queries

    living = [view.record for view in queries.iter_records() if view.retired_revision is None]
    assert len(living) == 2 * RECORDS
    return {record.error_message.rsplit(" ", 1)[1] for record in living}


def test_a_rollback_that_is_killed_is_whole_or_did_not_happen(
    site: dict[str, str], published: Any, tmp_path: Path, soak: bool
) -> None:
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import
    from kb.imports.rollback import run_rollback

    for number in (1, 2):
        published(number)
    chance, done = random.Random(4), 0
    for _ in range(20 if soak else 2):
        release = _last_published()
        program = start(["rollback", str(release)], site)
        program.wait_for_work()
        time.sleep(chance.uniform(0, _seconds_of_the_last()))
        program.process.send_signal(signal.SIGKILL)
        program.end()
        assert _lock_is_free()
        assert _markers() in ({"release-1"}, {"release-2"})
        if _markers() == {"release-2"}:
            report = run_rollback(release)
            assert report.outcome == "published", report.error
            assert _markers() == {"release-1"}
            done += 1
        report = run_import([tmp_path / "release-2"], ImportOptions(force=True))
        assert report.outcome == "published", report.error
        assert _markers() == {"release-2"}
    assert done or not soak


def _last_published() -> int:
    from kb.catalog.models import Release

    return Release.objects.filter(state="published").latest("pk").pk
