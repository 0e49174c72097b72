"""A published layout is foreign: its names, its files that are none, its listing."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def alarm() -> Iterator[None]:
    """What waits for ever fails here instead."""

    def ring(*_: object) -> None:
        raise AssertionError("the import waits")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _listing(directory: Path, rows: Any, **counts: int) -> None:
    text = json.dumps(rows).encode()
    (directory / "repos.json").write_bytes(text)
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["files"]["repos"].update(bytes=len(text), sha256=hashlib.sha256(text).hexdigest())
    manifest["counts"].update(counts)
    (directory / "manifest.json").write_text(json.dumps(manifest))


def _without_listing(directory: Path, **counts: int) -> None:
    (directory / "repos.json").unlink()
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["files"] = {}
    manifest["counts"].update(counts)
    (directory / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "name",
    [
        b"o\xe9/name", b"owner/n\xff", b"o wner/name", b"o\nwner/name", b"owner/na\x1bme", b"own:er/name",
        b"o" * 200 + b"/" + b"n" * 200, "o\u202ewner/name".encode(),
    ],
)  # fmt: skip
@pytest.mark.parametrize("listed", [False, True])
def test_names_on_the_disk_follow_the_rule_of_records(
    name: bytes, listed: bool, layout: Any, run: Any, record: Any, stored: Any
) -> None:
    directory = layout([record(1)])
    path = directory / "repos" / os.fsdecode(name + b".json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([record(2, severity="awful"), {"id": 5}]))
    if not listed:
        _without_listing(directory, repos=2, errors=3)
    before = stored()
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", "count_mismatch" if listed else "unsafe_path"), report.error
    report.error.encode()
    assert stored() == before


@pytest.mark.parametrize("name", ["é/ü", "a.b/c+d", "o" * 127 + "/" + "n" * 127, "_/~"])
def test_every_name_that_a_record_may_have_is_taken_from_the_disk(
    name: str, layout: Any, run: Any, record: Any
) -> None:
    directory = layout([record(1, repo=name)])
    _without_listing(directory)
    report = run(directory)
    assert (report.outcome, report.added) == ("published", 1), report.rejections or report.error


@pytest.mark.parametrize("name", ["../x", "a/..", "a/b/c", "a", "", "a\\b/c", "o" * 200 + "/" + "n" * 200, 5, None])
def test_names_in_the_listing_follow_it_too(name: Any, layout: Any, run: Any, record: Any) -> None:
    directory = layout([record(1)])
    rows = json.loads((directory / "repos.json").read_text())
    _listing(directory, [*rows, {**rows[0], "repo": name}], repos=2)
    report = run(directory)
    assert report.outcome == "refused"
    assert "repos.json[1]" in report.error


def test_a_repository_that_is_listed_twice_is_named(layout: Any, run: Any, record: Any, stored: Any) -> None:
    directory = layout([record(1), record(1, repo="acme/boats")])
    rows = json.loads((directory / "repos.json").read_text())
    before = stored()
    for repos in (2, 3):
        _listing(directory, [*rows, {**rows[0], "stars": 9}], repos=repos)
        report = run(directory)
        assert (report.outcome, report.code) == ("refused", "count_mismatch")
        assert rows[0]["repo"] in report.error
    assert stored() == before


# --- files that are none --------------------------------------------------------------------------------------------


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)  # addresses are short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.fchdir(here)
    os.close(here)


@pytest.mark.parametrize("make", [_pipe, _socket, Path.mkdir])
@pytest.mark.parametrize(
    "name", ["manifest.json", "repos.json", "repos/acme/rockets.json", "info/article.json", "more.json"]
)
def test_what_is_no_file_is_refused_and_not_waited_for(
    make: Any, name: str, layout: Any, run: Any, record: Any, stored: Any, alarm: None
) -> None:
    directory = layout([record(1)])
    if name == "more.json":  # named by the manifest only
        manifest = json.loads((directory / "manifest.json").read_text())
        manifest["files"]["more"] = {"path": "/data/more.json", "bytes": 1, "sha256": "0" * 64}
        (directory / "manifest.json").write_text(json.dumps(manifest))
    victim = directory / name
    victim.parent.mkdir(exist_ok=True)
    victim.unlink(missing_ok=True)
    make(victim)
    before = stored()
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", "unreadable"), report.error
    assert name in report.error
    assert stored() == before


# --- which problem is named -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", ["manifest", "repository", "article"])
def test_the_error_is_named_and_not_a_warning_before_it(document: str, layout: Any, run: Any, record: Any) -> None:
    directory = layout([record(1)])
    if document == "manifest":
        manifest = json.loads((directory / "manifest.json").read_text())
        text = json.dumps({"note": "\ud800", **manifest, "datasetVersion": "late"})
        (directory / "manifest.json").write_text(text)
    elif document == "repository":
        rows = json.loads((directory / "repos.json").read_text())
        _listing(directory, [{**rows[0], "description": "\ud800", "stars": "many"}])
    else:
        (directory / "info").mkdir()
        article = {"schemaVersion": 1, "slug": "a", "clusterKey": "\ud800", "title": 5}
        (directory / "info" / "a.json").write_text(json.dumps(article))
    report = run(directory)
    said = report.error or " ".join(report.notices)
    assert "replaced_characters" not in said + report.code
    assert {"manifest": "$.datasetVersion", "repository": "$.stars", "article": "$.title"}[document] in said
