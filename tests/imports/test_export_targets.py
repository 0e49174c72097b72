"""An export takes its name when it is whole, and replaces nothing but an export."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from kb.imports.export import targets
from kb.imports.export.options import ExportOptions
from kb.imports.export.running import run_export

pytestmark = pytest.mark.no_db_matrix


@pytest.fixture
def one(import_records: Any, record: Any) -> None:
    import_records(record(1))


def export(target: Path | str) -> Any:
    return run_export(ExportOptions(target=str(target)))


def left_beside(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir() if entry.name.endswith(".partial"))


@pytest.mark.parametrize(
    ("name", "kind", "packing"),
    [
        ("out", "directory", ""),
        ("a.b", "directory", ""),
        ("x.tar", "tar", ""),
        ("x.TAR.GZ", "tar", "gzip"),
        ("x.tgz", "tar", "gzip"),
        ("x.tar.zst", "tar", "zstd"),
        ("x.zip", "zip", ""),
        ("x.jsonl", "lines", ""),
        ("x.ndjson.gz", "lines", "gzip"),
        ("x.jsonl.zst", "lines", "zstd"),
        ("-", "lines", ""),
    ],
)
def test_the_name_says_what_is_written(name: str, kind: str, packing: str) -> None:
    target = targets.target_of(name)
    assert (target.kind, target.packing) == (kind, packing)


@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "x.7z", "x.zst", "", "a\0b"])
def test_other_endings_are_no_directories(name: str) -> None:
    with pytest.raises(ValueError, match=r"ending|name"):
        targets.target_of(name)


def test_a_format_that_contradicts_the_name_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\.jsonl"):
        targets.target_of("out", "jsonl")
    assert targets.target_of("-", "layout").kind == "tar"


def test_an_earlier_export_is_replaced_whole(one: None, import_records: Any, record: Any, tmp_path: Path) -> None:
    import_records(record(2, repo="acme/tanks"), dataset="other")
    export(tmp_path / "out")
    import_records(record(3), dataset="other", complete=True)
    assert export(tmp_path / "out").outcome == "exported"
    assert sorted(path.name for path in (tmp_path / "out/repos").rglob("*.json")) == ["rockets.json"]
    assert left_beside(tmp_path / "out") == []


@pytest.mark.parametrize("stranger", ["notes.txt", ".git", "search"])
def test_a_directory_with_anything_else_is_left_alone(one: None, tmp_path: Path, stranger: str) -> None:
    (tmp_path / "out" / stranger).mkdir(parents=True)
    report = export(tmp_path / "out")
    assert (report.outcome, report.code) == ("refused", "bad_target")
    assert stranger in report.error
    assert [path.name for path in (tmp_path / "out").iterdir()] == [stranger]


def test_what_is_no_file_is_left_alone(one: None, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "dir.tar").mkdir()
    (tmp_path / "file").write_text("mine")
    for name in ("pipe.jsonl", "dir.tar", "file", "no/such/out", "no/such.tar"):
        assert export(tmp_path / name).code == "bad_target", name
    assert (tmp_path / "file").read_text() == "mine"


def test_of_a_link_what_it_leads_to_is_replaced(one: None, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert export(tmp_path / "link").outcome == "exported"
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "manifest.json").is_file()


def test_two_exports_to_one_target_do_not_meet(one: None, tmp_path: Path) -> None:
    beside = tmp_path / ".out.partial"
    beside.mkdir()
    handle = os.open(beside, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert export(tmp_path / "out").code == "locked"
    assert beside.is_dir()
    os.close(handle)
    assert export(tmp_path / "out").outcome == "exported"


def test_what_a_killed_export_left_goes_with_the_next(one: None, tmp_path: Path) -> None:
    export(tmp_path / "out")
    (tmp_path / ".out.partial" / "new" / "repos").mkdir(parents=True)
    (tmp_path / ".out.partial" / "new" / "repos.json").write_text("[")
    assert export(tmp_path / "out").outcome == "exported"
    assert left_beside(tmp_path / "out") == []
    assert json.loads((tmp_path / "out" / "repos.json").read_bytes())


def test_a_layout_that_was_just_moved_away_comes_back(one: None, tmp_path: Path, monkeypatch: Any) -> None:
    """Killed between the two renames, and then an export that fails."""
    export(tmp_path / "out")
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.partial" / "old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kb.imports.export.layout.LayoutWriter.write", full)
    report = export(tmp_path / "out")
    assert (report.outcome, report.code) == ("failed", "unwritable")
    assert "No space left" in report.error
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert left_beside(tmp_path / "out") == []


@pytest.mark.parametrize("name", ["out", "out.tar.gz", "out.tar.zst", "out.zip", "out.jsonl.gz", "out.jsonl.zst"])
def test_a_full_disk_leaves_what_was_there(
    one: None, import_records: Any, record: Any, tmp_path: Path, name: str, monkeypatch: Any
) -> None:
    """The limit of the size of files stands for a disk that fills up."""
    import resource

    export(tmp_path / name)
    before = _content(tmp_path / name)
    noise = [os.urandom(9_000).hex() for _ in range(60)]
    import_records(*(record(n, documentation=text) for n, text in enumerate(noise, 2)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        report = export(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert (report.outcome, report.code) == ("failed", "unwritable"), report.error
    assert _content(tmp_path / name) == before
    assert left_beside(tmp_path / name) == []


def _content(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(found): found.read_bytes() for found in path.rglob("*") if found.is_file()}
