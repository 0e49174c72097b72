"""Broken sources: each gets its clear report, and the catalog stays what it was."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.records.problems import PROBLEM_CODES, SOURCE_CODES, WARNING_CODES

BROKEN = Path(__file__).resolve().parents[2] / "fixtures" / "datasets" / "broken"
CODES = sorted({path.name.split(".")[0] for path in BROKEN.iterdir()})
# What stops the whole import; everything else that is an error rejects single records.
REFUSED = (set(SOURCE_CODES) | {"not_json", "unsupported_schema_version"}) - {
    "slug_taken", "repeated_id", "repo_mismatch", "unknown_shape",
}  # fmt: skip


def sources(code: str) -> list[Path]:
    return [path for path in BROKEN.iterdir() if path.name.split(".")[0] == code]


def test_there_is_a_fixture_for_every_kind_of_problem() -> None:
    # These two are a matter of time, not of a file; see below, and test_lock.py.
    assert set(PROBLEM_CODES) - {"vanished", "locked", "no_space", "unsafe_address", "unreachable"} <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_broken_fixture_is_reported_and_changes_nothing(
    code: str, run: Any, record: Any, layout: Any, stored: Any
) -> None:
    run(layout([record(1), record(2)]))
    before = stored()
    for source in sources(code):
        options = {"max_rejects": 0} if code == "too_many_rejections" else {}
        report = run(source, **options)
        if code in WARNING_CODES:
            assert report.outcome == "published", report.error
            assert code in report.problem_counts
            before = stored()
        elif report.outcome == "refused":
            assert (report.code, report.error != "") == (code, True), report.error
            assert source.name in report.error
        else:
            assert report.rejected
            assert code in report.problem_counts, report.rejections
            first = next(row for row in report.rejections if row["code"] == code)
            assert source.name in first["origin"]
            assert first["message"]
        if not report.added:
            assert stored() == before


@pytest.mark.parametrize("code", sorted(REFUSED & set(CODES) - {"too_many_rejections", "unreadable", "too_large"}))
def test_what_is_wrong_with_a_source_refuses_it(code: str, run: Any) -> None:
    for source in sources(code):
        assert run(source).outcome == "refused", source


def test_rejections_are_kept_with_what_was_offered(run: Any, datasets: Path) -> None:
    from kb.catalog import queries

    report = run(datasets / "broken" / "unknown_value.json")
    (kept,) = queries.rejections(report.release).items
    assert (kept.rule, kept.path.startswith("$."), kept.value != "") == ("unknown_value", True, True)
    assert json.loads(kept.raw)
    assert list(queries.iter_rejections(report.release)) == [kept]
    release = queries.release(report.release)
    assert release is not None
    assert (release.state, release.rejected) == ("unchanged", 1)


def test_what_is_written_down_names_no_directory_of_the_machine(run: Any, layout: Any, record: Any) -> None:
    from kb.catalog import queries

    directory = layout([record(1), record(2, severity="awful")])
    report = run(directory)
    assert str(directory) in report.rejections[0]["origin"]
    (kept,) = queries.rejections(report.release).items
    release = queries.release(report.release)
    assert release is not None
    assert (kept.origin, release.source) == (f"{directory.name}/repos/acme/rockets.json[1]", directory.name)
    assert release.seconds
    refused = queries.release(run(directory / "repos").release)
    assert refused is not None
    assert "no_manifest" in refused.error
    assert str(directory.parent) not in refused.error


def test_strict_refuses_at_the_first_rejection(tmp_path: Path, run: Any, record: Any, stored: Any) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps([record(1), record(2, severity="awful"), record(3)]))
    before = stored()
    report = run(path, strict=True)
    assert (report.outcome, report.code) == ("refused", "unknown_value")
    assert "some.json[1]" in report.error
    assert "severity" in report.error
    assert stored() == before


def test_max_rejects_is_how_many_are_still_taken(tmp_path: Path, run: Any, record: Any) -> None:
    path = tmp_path / "some.json"
    path.write_text(json.dumps([record(1), record(2, severity="awful"), record(3, severity="bad")]))
    assert run(path, max_rejects=1).code == "too_many_rejections"
    assert run(path, max_rejects=2).added == 1


def test_a_dry_run_says_what_would_change_and_changes_nothing(run: Any, record: Any, layout: Any, stored: Any) -> None:
    from kb.catalog.models import Release
    from kb.search import index

    run(layout([record(1), record(2), record(4)]))
    before, releases, indexes = stored(), Release.objects.count(), index.status()
    report = run(layout([record(1), record(2, severity="info"), record(3)]), dry_run=True, dataset="local")
    assert (report.outcome, report.added, report.changed, report.retired) == ("dry-run", 1, 1, 1)
    assert {(row.kind, row.id) for row in report.samples} == {
        ("added", record(3)["id"]), ("changed", record(2)["id"]), ("retired", record(4)["id"]),
    }  # fmt: skip
    assert (stored(), Release.objects.count(), index.status()) == (before, releases, indexes)


# --- faults of files ----------------------------------------------------------------------------------------


def test_a_truncated_gzip(tmp_path: Path, run: Any, record: Any, stored: Any) -> None:
    data = gzip.compress(("\n".join(json.dumps(record(number)) for number in range(400))).encode())
    path = tmp_path / "records.jsonl.gz"
    for end in (5, len(data) // 2, len(data) - 4):
        path.write_bytes(data[:end])
        before = stored()
        report = run(path)
        assert (report.outcome, report.code) == ("refused", "truncated")
        assert stored() == before


def test_a_truncated_zstd(tmp_path: Path, run: Any, record: Any) -> None:
    import zstandard

    path = tmp_path / "records.jsonl.zst"
    path.write_bytes(zstandard.compress(json.dumps(record()).encode() * 50)[:-3])
    assert run(path).code == "truncated"


def test_a_bomb_is_refused(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.imports.sources import streams

    monkeypatch.setattr(streams, "RATIO_FROM", 1024 * 1024)
    path = tmp_path / "zeros.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * (20 * 1024 * 1024)))
    report = run(path)
    assert (report.outcome, report.code) == ("refused", "too_large")


def test_a_line_of_any_length_is_rejected_alone_in_little_memory(
    tmp_path: Path, run: Any, record: Any, soak: bool
) -> None:
    import tracemalloc

    path = tmp_path / "records.jsonl"
    size = 1024**3 if soak else 96 * 1024**2
    with path.open("wb") as file:
        file.write(json.dumps(record(1)).encode() + b'\n{"documentation": "')
        for _ in range(size // 1024**2):
            file.write(b"x" * 1024**2)
        file.write(b'"}\n' + json.dumps(record(2)).encode())
    tracemalloc.start()
    report = run(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (report.added, report.rejected, report.problem_counts) == (2, 1, {"too_large": 1})
    assert peak < 64 * 1024**2


def test_a_file_that_vanishes_half_way(
    layout: Any, run: Any, record: Any, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = layout([record(1), record(1, repo="acme/boats"), record(1, repo="acme/cars")])
    from kb.imports.sources.layout import LayoutSource

    original = LayoutSource._records

    def removing(self: Any, name: str) -> Any:
        if name == "acme/boats":
            (directory / "repos" / "acme" / "cars.json").unlink()
        return original(self, name)

    monkeypatch.setattr(LayoutSource, "_records", removing)
    before = stored()
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", "missing_file")
    assert "cars.json" in report.error
    assert stored() == before


def test_a_dataset_that_is_replaced_while_it_is_read(
    layout: Any, run: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.sources.layout import LayoutSource

    directory = layout([record(1)])
    original = LayoutSource._records

    def replacing(self: Any, name: str) -> Any:
        manifest = json.loads((directory / "manifest.json").read_text())
        manifest["note"] = manifest.get("note", 0) + 1
        (directory / "manifest.json").write_text(json.dumps(manifest))
        return original(self, name)

    monkeypatch.setattr(LayoutSource, "_records", replacing)
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", "vanished")


def test_a_read_error_in_the_middle(tmp_path: Path, run: Any, record: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(min(size or 1, 50))
            if self.tell() > 200:
                raise OSError(5, "Input/output error")
            return data

    from kb.imports.sources import files
    from kb.imports.sources.streams import ByteStream

    text = "\n".join(json.dumps(record(number)) for number in range(9)).encode()
    monkeypatch.setattr(files, "wrap_stream", lambda _raw, origin: ByteStream(Failing(text), None, origin))
    report = run("-")
    assert (report.outcome, report.code) == ("refused", "vanished")


def test_a_layout_may_not_leave_its_directory(layout: Any, run: Any, record: Any, tmp_path: Path) -> None:
    directory = layout([record(1)])
    target = directory / "repos" / "acme" / "rockets.json"
    shutil.move(target, tmp_path / "elsewhere.json")
    target.symlink_to(tmp_path / "elsewhere.json")
    assert run(directory).code == "unsafe_path"
    target.unlink()
    os.mkfifo(tmp_path / "pipe")
    assert run(directory).code == "missing_file"


def _wrong(directory: Path, **fields: Any) -> None:
    manifest = json.loads((directory / "manifest.json").read_text())
    manifest["files"]["repos"].update(fields)
    (directory / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda directory: _wrong(directory, sha256="0" * 64), "wrong_hash"),
        (lambda directory: _wrong(directory, bytes=3), "wrong_size"),
        (lambda directory: _wrong(directory, path="/data/../../../etc/passwd"), "unsafe_path"),
        (lambda directory: _wrong(directory, path="/data/gone.json"), "missing_file"),
        (lambda directory: (directory / "manifest.json").write_text("{"), "not_json"),
        (lambda directory: (directory / "manifest.json").unlink(), "no_manifest"),
        (lambda directory: (directory / "repos" / "acme" / "rockets.json").unlink(), "missing_file"),
        (lambda directory: (directory / "repos" / "acme" / "more.json").write_text("[]"), "count_mismatch"),
        (lambda directory: (directory / "repos" / "acme" / "rockets.json").write_text("[]"), "count_mismatch"),
    ],
)
def test_a_spoilt_layout_is_refused(
    spoil: Callable[[Path], None], code: str, layout: Any, run: Any, record: Any, stored: Any
) -> None:
    directory = layout([record(1)])
    before = stored()
    spoil(directory)
    report = run(directory)
    assert (report.outcome, report.code) == ("refused", code)
    assert stored() == before
