"""What is exported comes back: the same catalog elsewhere, and the same bytes each time."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DATASETS = Path(__file__).resolve().parents[2] / "fixtures" / "datasets"


def export(target: Path | str, **options: Any) -> Any:
    """The report of an export."""
    from kb.imports.export.options import ExportOptions
    from kb.imports.export.running import run_export

    return run_export(ExportOptions(target=str(target), **options))


def files(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def without_version(directory: Path) -> dict[str, bytes]:
    """The files less the served version and the hashes that contain it (decisions 7)."""
    found = files(directory)
    manifest = json.loads(found["manifest.json"])
    version = manifest["datasetVersion"].encode()
    for name in ("index", "index.gz"):
        manifest["files"][name] = {}
    found["manifest.json"] = json.dumps(manifest).encode()
    del found["index.json.gz"]
    found["index.json"] = found["index.json"].replace(version, b"", 1)
    found["manifest.json"] = found["manifest.json"].replace(version, b"", 1)
    return found


def forget_everything() -> None:
    """An empty catalog, as elsewhere."""
    from django.apps import apps
    from django.conf import settings as django_settings
    from django.db import connection

    with connection.cursor() as cursor:  # keys of other tables are checked at the end of the transaction
        for model in apps.get_app_config("catalog").get_models():
            cursor.execute(f"DELETE FROM {model._meta.db_table}")
    shutil.rmtree(django_settings.KB_INDEX_DIR, ignore_errors=True)


def told() -> dict[str, Any]:
    """What readers see of the catalog, less what tells when and by whom it came."""
    from kb.catalog import queries

    families = queries.terms("family").items
    return {
        "records": {
            view.record.id: (view.raw, view.content_hash, view.row, view.findings, view.canonical_id)
            for view in queries.iter_records()
            if view.retired_revision is None
        },
        "repositories": queries.repositories().items,
        "terms": [queries.terms(kind).items for kind in ("family", "code", "class", "tag")],
        "articles": [queries.article_for("family", term.label) for term in families],
    }


@pytest.fixture
def starter(import_sources: Any) -> None:
    """The committed datasets, one of them with background articles."""
    import_sources(DATASETS / "starter", dataset="starter")
    import_sources(DATASETS / "seed" / "seed-record.json", dataset="seed")


# --- the same catalog elsewhere ---------------------------------------------------------------------------------------


def test_a_layout_makes_the_same_catalog_elsewhere(starter: None, run: Any, tmp_path: Path) -> None:
    before = told()
    report = export(tmp_path / "out")
    assert (report.outcome, report.records, report.articles) == ("exported", len(before["records"]), 5), report.error
    forget_everything()
    assert run(tmp_path / "out", dataset="copy").outcome == "published"
    assert told() == before
    assert export(tmp_path / "again").outcome == "exported"
    assert without_version(tmp_path / "again") == without_version(tmp_path / "out")


def test_archives_hold_the_same_files_and_the_same_bytes_each_time(starter: None, tmp_path: Path) -> None:
    export(tmp_path / "out")
    expected = files(tmp_path / "out")
    for name in ("a.tar", "a.tar.gz", "a.tar.zst", "a.zip"):
        report = export(tmp_path / name)
        content = (tmp_path / name).read_bytes()
        assert (report.outcome, report.size) == ("exported", len(content))
        assert _members(tmp_path / name) == expected
        export(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir() if "partial" in path.name) == []


def _members(path: Path) -> dict[str, bytes]:
    if path.name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    content = path.read_bytes()
    if path.name.endswith(".zst"):
        content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {row.name: archive.extractfile(row).read() for row in archive}


def test_lines_hold_the_same_records(starter: None, run: Any, tmp_path: Path, catalog_records: Any) -> None:
    before = catalog_records()
    contents = []
    for name in ("a.jsonl", "a.ndjson.gz", "a.jsonl.zst"):
        report = export(tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
        assert (report.outcome, report.records, report.size) == ("exported", len(before), len(contents[-1]))
        export(tmp_path / name)
        assert (tmp_path / name).read_bytes() == contents[-1]
    assert gzip.decompress(contents[1]) == contents[0]
    forget_everything()
    assert run(tmp_path / "a.jsonl.zst").outcome == "published"
    assert catalog_records() == before


FIELDS = st.fixed_dictionaries(
    {"slug": st.from_regex(r"[a-z0-9](?:[a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)},
    optional={
        "repo": st.sampled_from(["acme/rockets", "Acme/tank", "acme/a.b", "x/-"]),
        "errorCode": st.none() | st.text(min_size=1, max_size=6).filter(str.strip),
        "errorMessage": st.text(min_size=1, max_size=9).filter(str.strip),
        "documentation": st.text(min_size=1, max_size=9).filter(str.strip),
        "httpStatus": st.none() | st.integers(100, 599),
        "sourceCode": st.none() | st.text(max_size=9),
        "solutions": st.lists(st.text(max_size=5), max_size=3),
        "tags": st.lists(st.sampled_from(["a", "b-c", "d1"]), max_size=3),
        "analyzedAt": st.sampled_from(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.60Z"]),
        "unknown": st.recursive(
            st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=4),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=5,
        ),
    },
)  # fmt: skip


@settings(
    max_examples=400 if os.environ.get("KB_SOAK") == "1" else 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=st.lists(FIELDS, min_size=1, max_size=6), left_out=st.sets(st.sampled_from(["lineNumber", "tags"])))
@pytest.mark.django_db
def test_whatever_was_imported_comes_back_field_for_field(
    rows: Any, left_out: set[str], run: Any, record: Any, tmp_path: Path, catalog_records: Any
) -> None:
    from django.conf import settings as django_settings
    from django.db import transaction

    made = [{k: v for k, v in record(n, **row).items() if k not in left_out} for n, row in enumerate(rows, 1)]
    source = tmp_path / "source.json"
    source.write_text(json.dumps(made))

    def imported(path: Path) -> dict[str, Any]:
        shutil.rmtree(django_settings.KB_INDEX_DIR, ignore_errors=True)
        assert run(path).outcome == "published"
        return dict(catalog_records())

    with transaction.atomic():
        before = imported(source)
        reports = [export(tmp_path / name) for name in ("out", "out.jsonl")]
        assert [report.outcome for report in reports] == ["exported", "exported"]
        transaction.set_rollback(True)
    for name in ("out", "out.jsonl"):
        with transaction.atomic():
            after = imported(tmp_path / name)
            assert {i: list(row.items()) for i, row in after.items()} == {
                i: list(row.items()) for i, row in before.items()
            }
            transaction.set_rollback(True)


# --- what is written --------------------------------------------------------------------------------------------------


def test_the_manifest_has_the_hash_of_every_file(starter: None, tmp_path: Path) -> None:
    from kb.catalog import queries

    report = export(tmp_path / "out")
    found = files(tmp_path / "out")
    manifest = json.loads(found.pop("manifest.json"))
    assert manifest["schemaVersion"] == 2
    assert manifest["datasetVersion"] == queries.state().version
    assert manifest["counts"] == {"repos": report.repositories, "errors": report.records, "infoPages": 5}
    hashes = {entry["path"]: entry["sha256"] for entry in manifest["files"].values()}
    assert hashes == {f"/data/{name}": hashlib.sha256(content).hexdigest() for name, content in found.items()}
    assert all(entry["bytes"] == len(found[entry["path"][6:]]) for entry in manifest["files"].values())
    assert manifest["files"]["index"].keys() == {"path", "bytes", "sha256"}  # older clients go by that
    packed = manifest["files"]["index.gz"]
    assert (packed["encoding"], packed["rawBytes"]) == ("gzip", len(found["index.json"]))
    assert gzip.decompress(found["index.json.gz"]) == found["index.json"]


def test_the_index_has_a_line_for_each_record(starter: None, tmp_path: Path) -> None:
    export(tmp_path / "out")
    index = json.loads((tmp_path / "out" / "index.json").read_bytes())
    rows = [row for path in (tmp_path / "out" / "repos").rglob("*.json") for row in json.loads(path.read_bytes())]
    assert sorted(map(repr, index["errors"])) == sorted(
        repr({
            "id": row["id"], "repo": row["repo"], "slug": row["slug"], "code": row.get("errorCode"),
            "msg": row["errorMessage"], "pattern": row["messagePattern"], "type": row["errorType"],
            "cls": row.get("errorClass"), "tags": row.get("tags", []), "sev": row["severity"],
        })
        for row in rows
    )  # fmt: skip
    listed = json.loads((tmp_path / "out" / "repos.json").read_bytes())
    assert sum(row["errorCount"] for row in listed) == len(rows)


def test_the_way_to_a_state_leaves_no_trace(import_records: Any, record: Any, tmp_path: Path) -> None:
    one, other = record(1), record(2)
    import_records(one, other, complete=True)
    export(tmp_path / "first")
    import_records(record(1, severity="info"), record(3), complete=True)
    export(tmp_path / "second")
    import_records(other, one, complete=True)
    export(tmp_path / "third")
    assert without_version(tmp_path / "first") == without_version(tmp_path / "third")
    assert without_version(tmp_path / "first") != without_version(tmp_path / "second")


def test_three_releases_forward_and_two_rollbacks_make_equal_exports(
    run: Any, layout: Any, record: Any, tmp_path: Path
) -> None:
    from kb.imports.rollback import run_rollback

    releases = (
        [record(1), record(2), record(3, repo="acme/tanks")],
        [record(1, slug="moved"), record(2, severity="info"), record(4, slug="engine-1-failed")],
        [record(2), record(5, repo="acme/pumps", unknown=[1.5])],
    )
    for number, rows in enumerate(releases, 1):
        source = layout(rows, version=f"2026-01-0{number}T00:00:00Z")
        assert run(source, confirm=True).outcome == "published"
        export(tmp_path / f"at-{number}")
    for number in (2, 1):
        assert run_rollback(None).outcome == "published"
        export(tmp_path / f"back-{number}")
        assert without_version(tmp_path / f"back-{number}") == without_version(tmp_path / f"at-{number}")


def test_a_retired_record_is_not_exported(import_records: Any, record: Any, tmp_path: Path) -> None:
    import_records(record(1), record(2, repo="acme/tanks"), complete=True)
    import_records(record(1), complete=True)
    assert export(tmp_path / "out").records == 1
    assert [row["repo"] for row in json.loads((tmp_path / "out" / "repos.json").read_bytes())] == ["acme/rockets"]


# --- one dataset, some repositories -----------------------------------------------------------------------------------


def test_a_dataset_is_exported_with_its_copies_behind_others(
    import_records: Any, record: Any, run: Any, tmp_path: Path, catalog_records: Any
) -> None:
    own = [record(n, repo=repo, severity="info") for n in (1, 2, 3) for repo in ("acme/rockets", "acme/tanks")]
    import_records(*own, dataset="own")
    import_records(record(2, slug="other-slug"), record(9), dataset="public", priority=5)
    export(tmp_path / "own", dataset="own")
    export(tmp_path / "shown")
    forget_everything()
    run(tmp_path / "own")
    assert catalog_records() == {row["id"]: row for row in own}
    slugs = [row["slug"] for row in json.loads((tmp_path / "own/repos/acme/rockets.json").read_bytes())]
    assert slugs == sorted(slugs)
    assert without_version(tmp_path / "own") != without_version(tmp_path / "shown")


def test_a_dataset_by_itself_is_exported_like_the_catalog(starter: None, tmp_path: Path, import_sources: Any) -> None:
    forget_everything()
    import_sources(DATASETS / "starter", dataset="starter")
    export(tmp_path / "shown")
    report = export(tmp_path / "own", dataset="starter")
    assert report.dataset_version == json.loads((DATASETS / "starter/manifest.json").read_bytes())["datasetVersion"]
    assert without_version(tmp_path / "shown") == without_version(tmp_path / "own")


def test_of_two_articles_about_the_same_the_one_that_is_shown_is_exported(
    starter: None, tmp_path: Path, run: Any
) -> None:
    other = tmp_path / "other"
    shutil.copytree(DATASETS / "starter", other)
    for path in [*other.rglob("*"), other]:
        path.chmod(0o755)
    (other / "manifest.json").write_text(json.dumps(json.loads((other / "manifest.json").read_bytes()) | {"files": {}}))
    for slug, new in (("connection-lost", "connection-lost"), ("resource-closed", "use-after-close")):
        article = json.loads((other / f"info/{slug}.json").read_bytes())
        (other / f"info/{slug}.json").write_text(json.dumps({**article, "slug": new, "title": "Another title"}))
    assert run(other, dataset="other", priority=3).outcome == "published"

    def titles(directory: Path) -> dict[str, bool]:
        paths = [path for path in (directory / "info").iterdir() if path.name != "index.json"]
        return {path.stem: json.loads(path.read_bytes())["title"] == "Another title" for path in paths}

    same = {"invalid-url": False, "missing-dependency": False, "tls-configuration": False}
    export(tmp_path / "shown")
    assert titles(tmp_path / "shown") == {**same, "connection-lost": True, "use-after-close": True}
    export(tmp_path / "starter", dataset="starter")
    assert titles(tmp_path / "starter") == {**same, "connection-lost": False, "resource-closed": False}


def test_only_some_repositories(starter: None, tmp_path: Path) -> None:
    report = export(tmp_path / "out", repositories=("psf/requests", "urllib3/urllib3"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["counts"] == {"repos": 2, "errors": report.records}
    assert not (tmp_path / "out" / "info").exists()


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"dataset": "nobody's"}, "unknown_dataset"),
        ({"repositories": ("no/such",)}, "unknown_repository"),
    ],
)
def test_what_there_is_none_of_is_refused(starter: None, tmp_path: Path, options: Any, code: str) -> None:
    report = export(tmp_path / "out", **options)
    assert (report.outcome, report.code) == ("refused", code)
    assert list(tmp_path.glob("*out*")) == []


def test_an_empty_catalog_is_refused(db: None, tmp_path: Path) -> None:
    assert export(tmp_path / "out").code == "nothing_to_export"


def test_names_that_differ_in_case_fit_into_lines_only(import_records: Any, record: Any, tmp_path: Path) -> None:
    import_records(record(1, repo="acme/rockets"), record(1, repo="Acme/Rockets"))
    report = export(tmp_path / "out")
    assert (report.outcome, report.code) == ("refused", "case_collision")
    assert "acme/rockets" in report.error
    assert export(tmp_path / "out.jsonl").outcome == "exported"


def test_a_damaged_copy_fails_the_export(import_records: Any, record: Any, tmp_path: Path) -> None:
    from django.db import connection

    import_records(record(1))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalog_record SET extra = '{broken'")
    report = export(tmp_path / "out")
    assert (report.outcome, report.code) == ("failed", "damaged")
    assert list(tmp_path.glob("*out*")) == []
