"""A PostgreSQL server that is restarted, killed, starved or cut off while an import runs and eight readers read."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.imports.marked import Importer, Readers, environment, marked_release, readers, start
from tests.imports.test_disk_full import KIB, SmallDisk
from tests.imports.throwaway import Server

RECORDS = 60  # in each of two repositories
BLOWS: dict[str, Callable[[Server], None]] = {
    "restart": lambda server: server.restart("fast"),
    "crash": lambda server: server.restart("immediate"),
    "kill": lambda server: (server.kill(), server.start())[1],
    "cut": Server.end_sessions,
}


def _installation(server: Server, directory: Path) -> dict[str, str]:
    site = environment(server.address, directory / "data", directory / "index", DJANGO_SETTINGS_MODULE="kb.settings")
    migration = start(["migrate", "--verbosity", "0"], site)
    assert migration.end() == ("", "")
    return site


def _check_views(crowd: Readers) -> None:
    """No reader saw a mixed view, and each of them reads again after the last blow."""
    time.sleep(1)
    seen = crowd.stop()
    assert [row["failures"] for row in seen] == [[]] * 8
    assert len({tuple(row["revisions"][-1:]) for row in seen}) == 1


def test_whatever_becomes_of_the_server_nothing_is_torn(tmp_path: Path, soak: bool) -> None:
    chance = random.Random(20261130)
    rounds = 60 if soak else len(BLOWS)
    with Server() as server, Importer(_installation(server, tmp_path)) as importer:
        began = time.monotonic()
        assert importer.run(marked_release(tmp_path / "1", 1, records=RECORDS))["outcome"] == "published"
        span = time.monotonic() - began
        outcomes = []
        with readers(importer.site, "--patient") as crowd:
            for number in range(2, rounds + 2):
                source = marked_release(tmp_path / f"{number}", number, records=RECORDS)
                importer.begin(source)
                time.sleep(chance.uniform(0, span))
                list(BLOWS.values())[number % len(BLOWS)](server)
                report = importer.report()
                assert report["outcome"] in {"published", "failed"}, report
                assert report["outcome"] == "published" or report["error"]
                again = importer.run(source)
                assert again["outcome"] == ("unchanged" if report["outcome"] == "published" else "published"), again
                importer.check(number, records=RECORDS)
                crowd.check()
                outcomes.append(report["outcome"])
            _check_views(crowd)
    assert "failed" in outcomes or not soak


@pytest.mark.parametrize("room", [64, 400])
def test_a_server_whose_disk_is_full(room: int, tmp_path: Path, soak: bool) -> None:
    if room > 64 and not soak:
        pytest.skip("a second size belongs to make soak")
    _let_pass(tmp_path)
    with SmallDisk(tmp_path / "disk") as disk, Server(disk.path) as server:
        sources = [marked_release(tmp_path / f"{number}", number, records=RECORDS) for number in (1, 2)]
        with Importer(_installation(server, tmp_path)) as importer:
            assert importer.run(sources[0])["outcome"] == "published"
            with readers(importer.site, "--patient") as crowd:
                disk.leave(room * KIB)
                report = importer.run(sources[1])
                disk.leave(None)
                assert report["outcome"] == "failed"
                if not server.is_up():  # without room for its own log it gives up
                    server.start()
                importer.check(1, records=RECORDS, settled=False)
                assert importer.run(sources[1])["outcome"] == "published"
                importer.check(2, records=RECORDS)
                _check_views(crowd)


def _let_pass(directory: Path) -> None:
    """Lets the server's own user come to its disk in the directory of this test."""
    for path in (directory, *directory.parents):
        if path.stat().st_uid == directory.stat().st_uid and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o111)


@pytest.mark.parametrize("lost", ["before", "after"])
@pytest.mark.django_db(transaction=True)
def test_a_commit_whose_answer_is_lost(
    lost: str, tmp_path: Path, settings: Any, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError, connection

    from kb.imports import publishing
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import
    from tests.imports.marked import check_sound

    settings.KB_DATA_DIR = tmp_path / "data"
    sources = [marked_release(tmp_path / f"{number}", number, records=3) for number in (1, 2)]
    assert run_import([sources[0]], ImportOptions()).outcome == "published"
    commit, index = connection.connection.commit, publishing._index

    def committing() -> None:
        monkeypatch.undo()
        settings.KB_DATA_DIR = tmp_path / "data"
        if lost == "after":
            commit()
        connection.connection.close()
        raise OperationalError("the connection was lost")

    def indexing(*words: Any) -> None:
        index(*words)
        monkeypatch.setattr(connection, "_commit", committing)

    monkeypatch.setattr(publishing, "_index", indexing)
    report = run_import([sources[1]], ImportOptions())
    assert (report.outcome, report.revision) == (("published", 2) if lost == "after" else ("failed", 1)), report.error
    check_sound(report.revision, records=3)
    assert run_import([sources[1]], ImportOptions()).outcome == ("unchanged" if lost == "after" else "published")
    check_sound(2, records=3)
