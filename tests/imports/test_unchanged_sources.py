"""A source that is what it was is told by a look, and never taken for one that it is not."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.imports.sources.opening import open_source


def read(path: Path) -> dict[str, Any]:
    source = open_source(str(path))
    assert source.memory() == {}
    assert list(source.read())
    memory = source.memory()
    source.close()
    assert json.loads(json.dumps(memory)) == memory
    return memory


def unchanged(path: Path, memory: dict[str, Any]) -> bool:
    source = open_source(str(path))
    try:
        return source.unchanged(memory)
    finally:
        source.close()


def _layout(directory: Path, write: Callable[..., Path], rows: list[dict[str, Any]]) -> Path:
    return write(directory / "layout", rows)


def _file(directory: Path, write: Callable[..., Path], rows: list[dict[str, Any]]) -> Path:
    path = directory / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def _packed(directory: Path, write: Callable[..., Path], rows: list[dict[str, Any]]) -> Path:
    path = _file(directory, write, rows)
    packed = path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    return packed


def _tar(directory: Path, write: Callable[..., Path], rows: list[dict[str, Any]], mode: str = "w") -> Path:
    path = directory / "rows.tar"
    with tarfile.open(path, mode) as archive:
        archive.add(write(directory / "layout", rows), arcname=".")
    return path


KINDS = {"layout": _layout, "file": _file, "packed": _packed, "tar": _tar}


@pytest.fixture
def write(layout: Any) -> Callable[..., Path]:
    """A layout in a directory that may be written again."""

    def written(directory: Path, rows: list[dict[str, Any]]) -> Path:
        fresh = layout(rows)
        directory.mkdir(exist_ok=True)
        shutil.copytree(fresh, directory, dirs_exist_ok=True)
        return directory

    return written


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_unchanged_and_another_is_not(kind: str, tmp_path: Path, write: Any, record: Any) -> None:
    rows = [record(1), record(2)]
    path = KINDS[kind](tmp_path, write, rows)
    memory = read(path)
    assert memory
    assert unchanged(path, memory)
    assert not unchanged(path, {})
    assert not unchanged(path, {"kind": memory["kind"], "sha256": 5, "bytes": None, "stamps": None})
    rows[1]["severity"] = "fatal"  # as long as before
    assert not unchanged(KINDS[kind](tmp_path, write, rows), memory)


def test_a_file_under_the_same_manifest_is_noticed(layout: Any, record: Any) -> None:
    directory = layout([record(1), record(2)])
    path = directory / "repos" / "acme" / "rockets.json"
    times = path.stat()
    memory = read(directory)
    path.write_text(path.read_text().replace('"error"', '"fatal"', 1))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert not unchanged(directory, memory)
    memory = read(directory)
    (directory / "info").mkdir()
    (directory / "info" / "more.json").write_text("{}")
    assert not unchanged(directory, memory)


def test_a_copy_with_hashes_of_everything_is_unchanged(layout: Any, record: Any, tmp_path: Path) -> None:
    import hashlib

    directory = layout([record(1)])
    manifest = json.loads((directory / "manifest.json").read_text())
    data = (directory / "repos" / "acme" / "rockets.json").read_bytes()
    manifest["files"]["rockets"] = {
        "path": "/data/repos/acme/rockets.json", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(),
    }  # fmt: skip
    (directory / "manifest.json").write_text(json.dumps(manifest))
    memory = read(directory)
    shutil.copytree(directory, tmp_path / "copy")
    assert unchanged(tmp_path / "copy", memory)


def test_what_changes_while_it_is_read_is_read_again(layout: Any, record: Any) -> None:
    directory = layout([record(1), record(1, repo="acme/boats")])
    source = open_source(str(directory))
    reading = source.read()
    next(reading)
    path = directory / "repos" / "acme" / "boats.json"
    path.write_text(path.read_text().replace('"error"', '"fatal"'))
    list(reading)
    assert not unchanged(directory, source.memory())


def test_standard_input_is_never_known(record: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(record(1)).encode())))
    source = open_source("-")
    assert list(source.read())
    assert source.memory() == {}
    assert not source.unchanged({"kind": "file", "bytes": 0, "sha256": ""})


def test_a_second_import_looks_and_does_not_read(layout: Any, record: Any, run: Any, stored: Any) -> None:
    directory = layout([record(1), record(2)])
    assert run(directory).added == 2
    before = stored()
    report = run(directory)
    assert (report.outcome, report.unchanged, report.release is not None) == ("unchanged", 2, True)
    assert any("same" in notice for notice in report.notices)
    assert stored() == before
    assert not any("same" in notice for notice in run(directory, force=True).notices)


def test_counts_of_the_listing_are_held_against_the_files(layout: Any, record: Any, run: Any) -> None:
    import hashlib

    directory = layout([record(1), record(2), record(1, repo="acme/boats")])
    rows = json.loads((directory / "repos.json").read_text())
    rows[0]["errorCount"], rows[1]["errorCount"] = 1, 2
    text = json.dumps(rows).encode()
    (directory / "repos.json").write_bytes(text)
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["files"]["repos"].update(bytes=len(text), sha256=hashlib.sha256(text).hexdigest())
    (directory / "manifest.json").write_text(json.dumps(manifest))
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", "count_mismatch")
    assert "repos/acme/rockets.json" in report.error


def test_commits_that_do_not_fit_are_told(layout: Any, record: Any, run: Any) -> None:
    directory = layout([record(1, analyzedSha="1" * 40), record(1, repo="acme/boats")])
    report = run(directory)
    assert report.outcome == "published"
    assert [notice for notice in report.notices if "commit" in notice] == [
        "In 1 repository no record is of the commit that repos.json names (acme/rockets)."
    ]
