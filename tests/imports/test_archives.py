"""A published layout in an archive is the layout, however it is packed and wherever it comes from."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kb.imports.refusals import Refusal
from kb.imports.sources.opening import open_source


def tar(directory: Path, *, prefix: str = "", shape: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=shape) as archive:
        archive.add(directory, arcname=prefix or ".")
    return made.getvalue()


def packed_zip(directory: Path, *, prefix: str = "", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for path in sorted(directory.rglob("*")):
            archive.write(path, f"{prefix}{path.relative_to(directory)}")
    return made.getvalue()


PACKINGS: dict[str, Callable[[Path], bytes]] = {
    "pax.tar": tar,
    "gnu.tar": lambda directory: tar(directory, shape=tarfile.GNU_FORMAT),
    "ustar.tar": lambda directory: tar(directory, shape=tarfile.USTAR_FORMAT),
    "below.tar": lambda directory: tar(directory, prefix="dataset-2026"),
    "data.tar": lambda directory: tar(directory, prefix="data"),
    "deep.tar": lambda directory: tar(directory, prefix="dataset/data"),
    "some.tar.gz": lambda directory: gzip.compress(tar(directory)),
    "some.tar.zst": lambda directory: zstandard.compress(tar(directory)),
    "some.zip": packed_zip,
    "stored.zip": lambda directory: packed_zip(directory, method=zipfile.ZIP_STORED),
    "below.zip": lambda directory: packed_zip(directory, prefix="dataset/"),
    "some.zip.gz": lambda directory: gzip.compress(packed_zip(directory)),
    "no-name-of-an-archive": tar,
}


def contents(name: str | Path) -> list[tuple[Any, ...]]:
    """What a source yields, without the places where it lies."""
    source = open_source(str(name))
    try:
        found = [(type(item).__name__, getattr(item, "repo", None), item.raw) for item in source.read()]
    finally:
        source.close()
    assert source.complete
    return found


def spooled() -> list[Path]:
    from django.conf import settings

    return [path for path in (Path(settings.KB_DATA_DIR) / "spool").rglob("*") if path.is_file()]


@pytest.fixture(autouse=True)
def _own_spool(settings: Any, tmp_path: Path) -> None:
    settings.KB_DATA_DIR = tmp_path / "own"


@pytest.fixture
def packed(datasets: Path) -> Path:
    return datasets / "starter"


@pytest.mark.parametrize("name", PACKINGS)
def test_an_archive_holds_what_the_directory_holds(name: str, packed: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(PACKINGS[name](packed))
    assert contents(path) == contents(packed)
    assert spooled() == []


@pytest.mark.parametrize("name", ["pax.tar", "some.tar.gz", "some.zip"])
def test_an_archive_may_come_through_a_pipe(
    name: str, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = PACKINGS[name](packed)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert contents("-") == contents(packed)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    assert contents(tmp_path / "pipe") == contents(packed)
    writer.join()
    assert spooled() == []


@pytest.mark.parametrize("shape", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_names_of_any_length_and_letters(shape: int, layout: Any, record: Any, tmp_path: Path) -> None:
    directory = layout([record(1, repo="o" * 127 + "/" + "n" * 126), record(1, repo="é/ü")])
    path = tmp_path / "long.tar"
    path.write_bytes(tar(directory, shape=shape))
    assert contents(path) == contents(directory)


def test_an_archive_is_imported_as_the_directory_is(
    packed: Path, tmp_path: Path, run: Any, catalog_records: Any
) -> None:
    path = tmp_path / "starter.tar.gz"
    path.write_bytes(PACKINGS["some.tar.gz"](packed))
    first = run(packed, dataset="starter")
    before = catalog_records()
    report = run(path, dataset="starter", force=True)
    assert (first.outcome, report.outcome, report.unchanged) == ("published", "unchanged", len(before))
    assert catalog_records() == before


def test_places_are_named_with_their_archive(layout: Any, record: Any, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "some.zip"
    path.write_bytes(packed_zip(layout([record(1), record(2, severity="awful")])))
    assert run(path).rejections[0]["origin"] == f"{path}/repos/acme/rockets.json[1]"


def test_an_archive_of_something_else_is_refused(tmp_path: Path, run: Any) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "file.json").write_text("{}")
    for name, pack in PACKINGS.items():
        path = tmp_path / name
        path.write_bytes(pack(tmp_path / "some"))
        report = run(path)
        assert (report.outcome, report.code) == ("refused", "no_manifest"), name


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    directory = tmp_path_factory.mktemp("small")
    (directory / "manifest.json").write_text(
        '{"schemaVersion": 2, "datasetVersion": "2026-01-01T00:00:00Z", "counts": {"repos": 0, "errors": 0}}'
    )
    (directory / "repos.json").write_text("[]")
    return {"tar": tar(directory), "zip": packed_zip(directory), "tar.gz": gzip.compress(tar(directory), mtime=0)}


@given(data=st.data())
def test_whatever_is_damaged_is_refused_or_read(
    data: Any, small: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    kind = data.draw(st.sampled_from(sorted(small)))
    spoilt = bytearray(small[kind])
    for _ in range(data.draw(st.integers(0, 4))):
        spoilt[data.draw(st.integers(0, len(spoilt) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(spoilt)) | st.just(len(spoilt)))
    path = tmp_path_factory.getbasetemp() / f"spoilt.{kind}"
    path.write_bytes(bytes(spoilt[:end]))
    try:
        contents_or_records = list(open_source(str(path)).read())
    except Refusal as refusal:
        assert refusal.message
    else:
        assert len(contents_or_records) <= 1
