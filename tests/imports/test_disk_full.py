"""A disk without room: refused before anything is written, or failed half way and nothing is changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from tests.imports.marked import Importer, environment, marked_release, readers, start

RECORDS = 60  # in each of two repositories
SOAK = os.environ.get("KB_SOAK") == "1"
KIB = 1024


class SmallDisk:
    """A file system in memory whose size can be changed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        self.path.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=256m", "faultbook-test", str(self.path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        return self

    def __exit__(self, *unused: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.path)], check=True)

    def leave(self, room: int | None) -> None:
        """Lets so many bytes be free; ``None`` for plenty."""
        for _ in range(100):
            size = shutil.disk_usage(self.path).used + room if room is not None else 256 * KIB * KIB
            words = ["mount", "-o", f"remount,size={size}", str(self.path)]
            if subprocess.run(words, capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.05)  # somebody wrote in between, so that this is less than what is used
        raise AssertionError(words)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with SmallDisk(tmp_path / "disk") as small:
        yield small


def _installation(directory: Path, **more: str) -> dict[str, str]:
    """A migrated SQLite installation, wholly in the directory."""
    address = f"sqlite:///{directory}/catalog.sqlite3"
    site = environment(address, directory, directory / "index", DJANGO_SETTINGS_MODULE="kb.settings", **more)
    migration = start(["migrate", "--verbosity", "0"], site)
    assert migration.end() == ("", "")
    return site


def _run_out(importer: Importer, source: Path, *, leave: Any, limits: bool) -> list[str]:
    """Imports a release again and again with more and more room until there is enough; the errors meanwhile."""
    errors: list[str] = []
    grows = 1.5 if SOAK else 2.0
    for step in range(40):
        room = int(8 * KIB * grows**step)
        leave(None if limits else room)
        report = importer.run(source, limit=room if limits else None)
        leave(None)
        if report["outcome"] == "published":
            return errors
        assert report["outcome"] == "failed", report
        importer.check(1, records=RECORDS, settled=False)
        errors.append(report["error"])
    raise AssertionError(errors)


@pytest.mark.parametrize("kind", ["disk", "quota"])
def test_whenever_the_room_ends_nothing_is_changed(kind: str, tmp_path: Path, request: Any) -> None:
    small = request.getfixturevalue("disk") if kind == "disk" else None
    site = _installation(small.path if small else tmp_path / "data")
    sources = [marked_release(tmp_path / f"release-{number}", number, records=RECORDS) for number in (1, 2, 3)]
    with Importer(site) as importer:
        assert importer.run(sources[0])["outcome"] == "published"
        # Patient: without any room SQLite may find none for a reader's part of the log's index either.
        with readers(site, "--patient") as crowd:
            errors = _run_out(
                importer, sources[1], leave=small.leave if small else lambda _room: None, limits=not small
            )
            importer.check(2, records=RECORDS)
            assert importer.run(sources[2])["outcome"] == "published"
            importer.check(3, records=RECORDS)
            seen = crowd.stop()
    assert len(errors) >= 3
    assert [row["failures"] for row in seen] == [[]] * 8
    words = ("No space left", "full", "File too large", "disk I/O error", "os error", "writing failed", "Cannot")
    assert [error for error in errors if not any(word in error for word in words)] == []


def test_too_little_room_is_refused_with_what_is_needed(disk: SmallDisk, tmp_path: Path) -> None:
    site = _installation(disk.path)
    source = marked_release(tmp_path / "release-1", 1, records=RECORDS)
    disk.leave(20 * KIB * KIB)
    program = start(["import_dataset", source, "--quiet"], site)
    output, error = program.end()
    assert (program.process.returncode, error) == (4, "")
    assert output.startswith("Refused: the disk of disk is too full for this import: ")
    assert "[no_space]" in output


@pytest.mark.django_db
@pytest.mark.parametrize(("free", "refused"), [(0, True), (32, True), (39, True), (43, False), (1000, False)])
def test_what_is_needed_grows_with_what_changes(
    free: int, refused: bool, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports import disk
    from kb.imports.refusals import Refusal

    settings.KB_DATA_DIR = tmp_path
    settings.KB_INDEX_DIR = tmp_path / "not" / "yet" / "there"
    monkeypatch.setitem(disk.connection.settings_dict, "NAME", str(tmp_path / "catalog.sqlite3"))
    monkeypatch.setattr(disk, "_free", lambda _directory: free * KIB * KIB)
    extent = disk.Extent(waiting=40_000, changing=10, arriving=0, catalog=0)
    if refused:
        with pytest.raises(Refusal, match="no_space"):
            disk.check_space(extent)
    else:
        disk.check_space(extent)
