"""Every shape a source can have on the local disk gives the same records."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kb.records.encode import encode

VERSION = "2026-02-03T04:05:06.789Z"
Write = Callable[[Path, list[dict[str, Any]]], Path]


def _envelope(record: dict[str, Any]) -> dict[str, Any]:
    return {"datasetVersion": VERSION, "record": record}


def _file(name: str, text: Callable[[list[dict[str, Any]]], str], pack: Callable[[bytes], bytes] = bytes) -> Write:
    def write(directory: Path, records: list[dict[str, Any]]) -> Path:
        path = directory / name
        path.write_bytes(pack(text(records).encode()))
        return path

    return write


def _lines(records: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(record) for record in records) + "\n"


def _zstd(data: bytes) -> bytes:
    half = len(data) // 2  # two frames in a row are one stream
    return zstandard.compress(data[:half]) + zstandard.compress(data[half:])


MANY: dict[str, Write] = {
    "array": _file("records.json", json.dumps),
    "pretty array": _file("records.json", lambda records: "\n\n" + json.dumps(records, indent=2)),
    "array of envelopes": _file("records.json", lambda records: json.dumps([_envelope(record) for record in records])),
    "lines": _file("records.jsonl", _lines),
    "lines under another name": _file("records.txt", _lines),
    "lines with blanks and CRLF": _file(
        "records.ndjson", lambda records: "\r\n\r\n" + _lines(records).replace("\n", "\r\n")
    ),
    "lines of envelopes": _file("records.jsonl", lambda records: _lines([_envelope(record) for record in records])),
    "lines after a byte order mark": _file("records.jsonl", lambda records: "\ufeff" + _lines(records)),
    "gzip": _file("records.json.gz", json.dumps, gzip.compress),
    "gzip under a plain name": _file("records.jsonl", _lines, gzip.compress),
    "zstd": _file("records.jsonl.zst", _lines, _zstd),
}


@pytest.mark.parametrize("shape", MANY)
def test_a_file_of_many(shape: str, tmp_path: Path, run: Any, record: Any, catalog_records: Any) -> None:
    records = [record(number, extraField={"kept": [number, None]}) for number in range(1, 6)]
    report = run(MANY[shape](tmp_path, records))
    assert (report.outcome, report.added, report.rejected) == ("published", 5, 0)
    assert catalog_records() == {row["id"]: row for row in records}
    assert report.unknown_fields == ["extraField"]
    assert report.dataset_version == (VERSION if "envelope" in shape else "")


ONE: dict[str, Callable[[dict[str, Any]], str]] = {
    "bare": json.dumps,
    "bare, pretty": lambda record: json.dumps(record, indent=4),
    "envelope": lambda record: json.dumps(_envelope(record)),
    "envelope, pretty": lambda record: json.dumps(_envelope(record), indent=1),
    "array of one": lambda record: json.dumps([record]),
}


@pytest.mark.parametrize("shape", ONE)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_file_of_one(shape: str, pack: Any, tmp_path: Path, run: Any, record: Any, catalog_records: Any) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(pack(ONE[shape](record()).encode()))
    assert run(path).added == 1
    assert list(catalog_records().values()) == [record()]


def test_an_empty_array_adds_nothing(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "none.json"
    path.write_text("[]")
    assert (run(path).outcome, run(path).added) == ("unchanged", 0)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack: Any, monkeypatch: pytest.MonkeyPatch, run: Any, record: Any) -> None:
    data = pack(_lines([record(1), record(2)]).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run("-").added == 2


@pytest.mark.parametrize("name", ["", "manifest.json"])
def test_a_published_layout_or_its_manifest(
    name: str, run: Any, record: Any, layout: Any, catalog_records: Any
) -> None:
    records = [record(1), record(2), record(1, repo="acme/boats")]
    report = run(layout(records, version=VERSION) / name)
    assert (report.added, report.dataset_version) == (3, VERSION)
    assert catalog_records() == {row["id"]: row for row in records}


def test_several_sources_are_one_release(tmp_path: Path, run: Any, record: Any) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(json.dumps(record(number)))
    report = run(tmp_path / "1.json", tmp_path / "2.json")
    assert (report.added, report.revision) == (2, 1)


def test_repositories_and_articles_come_with_a_layout(datasets: Path, run: Any) -> None:
    from kb.catalog import queries

    report = run(datasets / "starter", dataset="starter")
    manifest = json.loads((datasets / "starter" / "manifest.json").read_text())
    assert report.added == manifest["counts"]["errors"] == queries.state().records
    assert queries.state().repositories == manifest["counts"]["repos"]
    described = json.loads((datasets / "starter" / "repos.json").read_text())[0]
    owner, name = described["repo"].split("/")
    found = queries.repository(owner.upper(), name)
    assert found is not None
    assert (found.language, found.stars, found.record_count) == (
        described["language"], described["stars"], described["errorCount"],
    )  # fmt: skip
    article = json.loads(
        next(p for p in (datasets / "starter" / "info").glob("*.json") if p.name != "index.json").read_text()
    )
    kind, _, label = article["clusterKey"].rpartition(":")
    shown = queries.article_for(kind or "family", label)  # type: ignore[arg-type]
    assert shown is not None
    assert (shown.slug, shown.title) == (article["slug"], article["title"])


def test_the_seed_record_comes_back_field_for_field(datasets: Path, run: Any) -> None:
    from kb.catalog import queries

    source = json.loads((datasets / "seed" / "seed-record.json").read_text())
    assert run(datasets / "seed" / "seed-record.json").added == 1
    view = queries.record_by_id(source["record"]["id"])
    assert view is not None
    assert encode(view.record) == json.loads(view.raw) == source["record"]
    again = run(datasets / "seed" / "seed-record.json")
    assert (again.outcome, again.unchanged, again.revision) == ("unchanged", 1, 1)
