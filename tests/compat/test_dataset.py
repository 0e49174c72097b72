"""The files below ``/data/``: whole, of one revision, known by their hashes, and made once."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
GZIP = {"HTTP_ACCEPT_ENCODING": "gzip, deflate"}
Read = Callable[..., Any]


@pytest.fixture
def manifest(import_records: Any, record: Any, served: Any, read_json: Read) -> dict[str, Any]:
    """The manifest of two records."""
    import_records(record("one"), record("two", repo="acme/wall"))
    served()
    found: dict[str, Any] = read_json("/data/manifest.json")
    return found


@pytest.fixture
def full_manifest(starter: None, served: Any, read_json: Read) -> dict[str, Any]:
    """The manifest of the committed datasets, which have background articles."""
    served()
    found: dict[str, Any] = read_json("/data/manifest.json")
    return found


def home(settings: Any) -> Path:
    return Path(settings.KB_DATA_DIR) / "served"


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_the_manifest_names_every_file_of_its_revision_with_its_hash(
    full_manifest: dict[str, Any], client: Client, body: Any, settings: Any
) -> None:
    from kb.catalog import queries

    state = queries.state()
    assert full_manifest["datasetVersion"] == state.version
    assert full_manifest["counts"]["errors"] == state.records
    paths = set()
    for entry in full_manifest["files"].values():
        assert entry["path"].startswith(f"/data/r/{state.revision}/")
        content = body(client.get(entry["path"]))
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["bytes"], entry["sha256"])
        fixed = "/data/" + entry["path"].removeprefix(f"/data/r/{state.revision}/")
        paths.add(fixed)
    data = home(settings) / str(state.revision) / "data"
    on_disk = {f"/data/{path.relative_to(data).as_posix()}" for path in data.rglob("*") if path.is_file()}
    assert on_disk == paths | {"/data/manifest.json"}
    assert {"index", "index.gz", "repos", "searchSummary"} <= set(full_manifest["files"])
    assert "encoding" not in full_manifest["files"]["index"]
    assert full_manifest["files"]["index"]["path"].endswith("/index.json")


def test_fixed_addresses_answer_what_those_of_the_revision_do(
    manifest: dict[str, Any], client: Client, body: Any
) -> None:
    for entry in list(manifest["files"].values())[::40]:
        fixed = "/data/" + entry["path"].split("/", 4)[4]
        assert body(client.get(fixed)) == body(client.get(entry["path"]))
    revision = manifest["files"]["index"]["path"].split("/")[3]
    assert body(client.get(f"/data/r/{revision}/manifest.json")) == body(client.get("/data/manifest.json"))


def test_articles_and_repositories_are_in_the_published_shapes(full_manifest: dict[str, Any], read_json: Read) -> None:
    repos = read_json("/data/repos.json")
    assert len(repos) == full_manifest["counts"]["repos"]
    for row in repos:
        assert {"repo", "description", "errorCount"} <= set(row)
        assert len(read_json(f"/data/repos/{row['repo']}.json")) == row["errorCount"]
    articles = read_json("/data/info/index.json")
    assert len(articles) == full_manifest["counts"]["infoPages"] > 0
    assert [read_json(f"/data/info/{row['slug']}.json")["title"] for row in articles] == [r["title"] for r in articles]


def test_the_import_reads_it_back_and_leaves_the_shards(
    starter: None, served: Any, settings: Any, import_sources: Any
) -> None:
    from kb.catalog import queries

    served()
    records = queries.state().records
    copied = Path(settings.KB_DATA_DIR) / "copied" / "data"
    shutil.copytree(home(settings) / str(queries.state().revision) / "data", copied)
    shutil.rmtree(copied / "search")
    report = import_sources(copied, dataset="copy")
    assert (report.outcome, report.rejected) == ("published", 0)
    copy = queries.dataset("copy")
    assert copy is not None
    assert copy.records == records


def test_names_that_differ_in_case_only_are_served(
    import_records: Any, record: Any, served: Any, read_json: Read
) -> None:
    import_records(record("one"), record("two", repo="Acme/Gate"))
    served()
    assert [row["id"] for row in read_json("/data/repos/acme/gate.json")] == [record("one")["id"]]
    assert [row["id"] for row in read_json("/data/repos/Acme/Gate.json")] == [record("two")["id"]]


# --- how it is answered -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["manifest.json", "index.json", "index.json.gz", "search/summary.json"])
def test_a_client_that_has_a_file_gets_no_body_and_costs_one_query_at_most(
    manifest: dict[str, Any], client: Client, body: Any, django_assert_num_queries: Any, name: str
) -> None:
    from kb.catalog import queries

    revision = queries.state().revision
    for address, count in ((f"/data/{name}", 1), (f"/data/r/{revision}/{name}", 0)):
        for more in ({}, GZIP):
            first = client.get(address, **more)
            body(first)
            with django_assert_num_queries(count):
                again = client.get(address, HTTP_IF_NONE_MATCH=first["ETag"], **more)
            assert (again.status_code, again.content) == (304, b"")
            assert again["ETag"].strip('"').removesuffix("-gzip") == first["ETag"].strip('"').removesuffix("-gzip")
            with django_assert_num_queries(count):
                body(client.get(address, HTTP_IF_NONE_MATCH='"other"', **more))


def test_compression_is_negotiated_and_hashes_hold_after_it(
    manifest: dict[str, Any], client: Client, body: Any
) -> None:
    plain, packed = client.get("/data/index.json"), client.get("/data/index.json", **GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert plain["ETag"] != packed["ETag"]
    assert plain["Vary"] == packed["Vary"] == "Accept-Encoding"
    content = body(plain)
    assert gzip.decompress(body(packed)) == content
    assert hashlib.sha256(content).hexdigest() == manifest["files"]["index"]["sha256"]
    for accepted in ("gzip;q=0", "br", "identity, gzip; q=0.000"):
        refused = client.get("/data/index.json", HTTP_ACCEPT_ENCODING=accepted)
        assert "Content-Encoding" not in refused
        assert body(refused) == content
    archive = client.get("/data/index.json.gz", **GZIP)
    assert "Content-Encoding" not in archive
    assert archive["Content-Type"] == "application/gzip"
    assert gzip.decompress(body(archive)) == content


def test_scripts_of_other_sites_may_read_it(manifest: dict[str, Any], client: Client, body: Any) -> None:
    for address in ("/data/manifest.json", "/data/nowhere.json", "/data/r/77/manifest.json"):
        response = client.get(address, HTTP_ORIGIN="https://elsewhere.example")
        assert response["Access-Control-Allow-Origin"] == "*"
        body(response)
        assert client.options(address, HTTP_ACCESS_CONTROL_REQUEST_METHOD="GET").status_code == 204
        refused = client.post(address)
        assert (refused.status_code, refused.json()) == (405, {"error": "method not allowed"})
        assert "GET" in refused["Allow"]


def test_head_tells_the_length(manifest: dict[str, Any], client: Client, body: Any) -> None:
    for more in ({}, GZIP):
        content = body(client.get("/data/index.json", **more))
        head = client.head("/data/index.json", **more)
        assert (head.status_code, head.content, head["Content-Length"]) == (200, b"", str(len(content)))


ELSEWHERE = (
    "/data/",
    "/data/nothing.json",
    "/data/../manifest.json",
    "/data/repos/../manifest.json",
    "/data//etc/passwd",
    "/data/%2e%2e/stamp.json",
    "/data/stamp.json",
    "/data/packed/index.json.gz",
    "/data/r/1/../stamp.json",
    "/data/r/0/manifest.json",
    "/data/r/999999999999999999999999999/manifest.json",
    "/data/r/one/manifest.json",
)


def test_nothing_else_of_the_disk_is_answered(manifest: dict[str, Any], client: Client) -> None:
    for address in ELSEWHERE:
        response = client.get(address)
        assert (response.status_code, response.json()) == (404, {"error": "not found"}), address


# --- revisions --------------------------------------------------------------------------------------------------------


def test_an_empty_catalog_has_none_yet(client: Client) -> None:
    response = client.get("/data/manifest.json")
    assert (response.status_code, response.json()) == (503, {"error": "dataset unavailable"})
    assert int(response["Retry-After"]) > 0


def test_what_was_served_before_is_served_until_the_next_is_made(
    import_records: Any, record: Any, served: Any, read_json: Read, client: Client
) -> None:
    import_records(record("one"))
    assert client.get("/data/manifest.json").status_code == 503  # no process makes it in these tests
    served()
    first = read_json("/data/manifest.json")
    import_records(record("one"), record("two"))
    assert read_json("/data/manifest.json") == first
    served()
    second = read_json("/data/manifest.json")
    assert second["datasetVersion"] > first["datasetVersion"]
    assert second["counts"]["errors"] == 2
    assert read_json("/data/r/1/manifest.json") == first


def test_two_revisions_stay_and_share_what_they_have_in_common(
    import_records: Any, record: Any, served: Any, settings: Any, client: Client, body: Any
) -> None:
    other = record("other", repo="acme/other")
    tags = []
    for number in range(1, 4):
        import_records(other, record("one", documentation=f"The gate is shut. {number}"))
        served()
        tags.append([client.head(f"/data/repos/acme/{name}.json")["ETag"] for name in ("other", "gate")])
    assert sorted(path.name for path in home(settings).iterdir()) == ["2", "3", "lock"]
    assert client.get("/data/r/1/manifest.json").status_code == 404
    assert tags[0][0] == tags[1][0] == tags[2][0]
    assert len({row[1] for row in tags}) == 3
    files = [home(settings) / str(number) / "data/repos/acme" for number in (2, 3)]
    assert (files[0] / "other.json").samefile(files[1] / "other.json")
    assert not (files[0] / "gate.json").samefile(files[1] / "gate.json")


def test_what_a_crash_cut_short_is_made_anew(
    manifest: dict[str, Any], served: Any, settings: Any, client: Client, read_json: Read
) -> None:
    from kb.catalog import queries
    from kb.imports.export import served as layouts

    directory = home(settings) / str(queries.state().revision)
    (directory / "data" / "repos.json").write_bytes(b"")
    layouts._open.clear()  # as in a process that starts
    assert client.get("/data/manifest.json").status_code == 503
    assert served().files > 500
    assert read_json("/data/manifest.json") == manifest


def test_what_another_catalog_left_is_not_served(
    manifest: dict[str, Any], served: Any, settings: Any, client: Client, read_json: Read
) -> None:
    from kb.catalog import queries
    from kb.imports.export import served as layouts

    directory = home(settings) / str(queries.state().revision)
    stamp = json.loads((directory / "stamp.json").read_bytes())
    for revision, version in ((stamp["revision"], "2001-01-01T00:00:00.000Z"), (99, "2999-01-01T00:00:00.000Z")):
        foreign = home(settings) / str(revision)
        if foreign != directory:
            shutil.copytree(directory, foreign)
        (foreign / "stamp.json").write_text(json.dumps({**stamp, "revision": revision, "version": version}))
    layouts._open.clear()
    assert client.get("/data/manifest.json").status_code == 503
    served()
    assert read_json("/data/manifest.json") == manifest
    assert sorted(path.name for path in home(settings).iterdir()) == [directory.name, "lock"]


def test_it_is_made_once_and_by_one_process(
    manifest: dict[str, Any], served: Any, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    import fcntl

    from django.core.management import call_command

    from kb.imports.export.serving import is_being_made, serve_layout

    assert served().files == 0
    assert served(force=True).files > 500
    call_command("static_dataset", "--json")
    assert json.loads(capsys.readouterr().out)["outcome"] == "exported"
    assert not is_being_made()
    with (home(settings) / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert is_being_made()
        report = serve_layout(force=True)
        assert (report.outcome, report.code) == ("refused", "locked")
        with pytest.raises(SystemExit) as ended:
            call_command("static_dataset", "--force")
    assert ended.value.code == 4
    assert "another process" in capsys.readouterr().err


def test_a_failure_leaves_what_was_there(
    manifest: dict[str, Any], settings: Any, read_json: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.export import serving
    from kb.imports.export.layout import LayoutWriter

    (home(settings) / ".partial").mkdir()  # of a process that was killed
    (home(settings) / ".partial" / "file").touch()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(LayoutWriter, "write", full)
    report = serving.serve_layout(force=True)
    assert (report.outcome, report.code) == ("failed", "unwritable")
    assert "No space left" in report.error
    assert read_json("/data/manifest.json") == manifest
    assert [path.name for path in home(settings).glob(".*")] == []
    monkeypatch.setattr(serving, "_SPARE", 2**60)
    report = serving.serve_layout(force=True)
    assert (report.outcome, report.code) == ("refused", "no_space")
