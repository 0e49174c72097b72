"""The static dataset of a running server, read by programs that know nothing of it."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def fetch(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return bytes(answer.read())


class Moved(Exception):
    """A revision went while it was copied."""


def copy(site: str) -> dict[str, Any]:
    """All files that the manifest names, by their names, each as its hash says; begun again when they went."""
    manifest = json.loads(fetch(f"{site}/data/manifest.json"))
    files = {}
    for name, entry in manifest["files"].items():
        try:
            content = fetch(site + entry["path"])
        except urllib.error.HTTPError as error:
            assert error.code == 404
            raise Moved from error
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["bytes"], entry["sha256"]), name
        files[name] = json.loads(content) if not entry["path"].endswith(".gz") else None
    return {"manifest": manifest, **files}


def check_is_of_one_revision(found: dict[str, Any]) -> int:
    """All records carry one mark, and every file speaks of the same ones; the mark."""
    records = [row for name, rows in found.items() if name.startswith("repos/") for row in rows]
    (mark,) = {row["errorMessage"].split()[-1] for row in records}
    ids = sorted(row["id"] for row in records)
    assert found["index"]["datasetVersion"] == found["manifest"]["datasetVersion"]
    assert ids == sorted(row["id"] for row in found["index"]["errors"])
    assert {row["msg"].split()[-1] for row in found["index"]["errors"]} == {mark}
    assert len(ids) == found["manifest"]["counts"]["errors"] == found["searchSummary"]["entryCount"]
    assert sum(row["errorCount"] for row in found["repos"]) == len(ids)
    assert sorted(key for name, rows in found.items() if name.startswith("search/ids/") for key in rows) == ids
    lines = [line for name, rows in found.items() if name.startswith("search/meta/") for line in rows]
    assert lines == found["index"]["errors"]
    return int(mark)


def test_a_copy_taken_while_imports_run_is_of_one_revision(
    live_server: Any, import_records: Any, record: Any, served: Any, soak: bool
) -> None:
    from django.db import connections

    rounds = 12 if soak else 3

    def publish(number: int) -> None:
        rows = [record(f"r{n}", repo=f"acme/r{n % 3}", errorMessage=f"r{n} failed {number}") for n in range(9 + number)]
        import_records(*rows)
        served()

    publish(1)
    ended = threading.Event()
    failures: list[BaseException] = []

    def importing() -> None:
        try:
            for number in range(2, rounds + 2):
                publish(number)
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            ended.set()
            connections.close_all()

    thread = threading.Thread(target=importing)
    thread.start()
    marks = []
    try:
        while not ended.is_set() or not marks:
            try:
                marks.append(check_is_of_one_revision(copy(live_server.url)))
            except Moved:
                continue
    finally:
        thread.join()
    assert failures == []
    marks.append(check_is_of_one_revision(copy(live_server.url)))
    assert marks == sorted(marks)
    assert marks[-1] == rounds + 1


def test_another_installation_imports_it_from_here(
    live_server: Any, starter: None, served: Any, import_sources: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.api.compat import dataset
    from kb.catalog import queries

    served()
    asked = []
    answer = dataset._file
    monkeypatch.setattr(dataset, "_file", lambda *words, **named: asked.append(words[2]) or answer(*words, **named))
    report = import_sources(f"{live_server.url}/data/", dataset="copy")
    assert (report.outcome, report.rejected) == ("published", 0)
    copied, before = queries.dataset("copy"), queries.state().records
    assert copied is not None
    assert copied.records == before
    assert not [path for path in asked if path.startswith("search/")]
    once = [path for path in asked if path != "manifest.json"]
    assert len(once) == len(set(once))


# --- the client that people have --------------------------------------------------------------------------------------

PACKAGE = "@standardbeagle/errlookup-mcp@0.1.2"
Ask = Callable[..., Any]


@pytest.fixture
def ask(npm_package: Any, live_server: Any, tmp_path: Any, talk: Any) -> Ask:
    """``ask([(tool, arguments), …])``: what the client's tools answer, one process for all; its cache stays."""
    script = npm_package(PACKAGE) / "dist" / "index.js"

    def asked(calls: list[tuple[str, dict[str, Any]]], *, base: str = "", between: Any = None) -> list[Any]:
        environment = {
            "ERRLOOKUP_BASE_URL": base or live_server.url,
            "ERRLOOKUP_CACHE_DIR": str(tmp_path / "cache"),
        }
        return list(talk(script, environment, calls, between))

    return asked


@pytest.mark.no_db_matrix  # a client sees files, the same of every database
def test_the_client_lists_searches_gets_and_refreshes(
    ask: Ask, starter: None, served: Any, import_records: Any, record: Any
) -> None:
    from kb.catalog import queries

    served()
    first = queries.state()
    row = next(iter(queries.export_records(repo="psf/requests")))

    def publish(number: int) -> None:
        if number == 4:
            import_records(record("gate", errorMessage="the gate of Samarkand is shut"))
            served()

    repos, found, whole, by_slug, refreshed, again = ask(
        [
            ("list_repos", {}),
            ("search_error", {"message": row.message, "limit": 3}),
            ("get_error", {"id": row.id}),
            ("get_error", {"repo": row.repo, "slug": row.slug}),
            ("refresh_dataset", {}),
            ("search_error", {"message": "the gate of Samarkand is shut"}),
        ],
        between=publish,
    )
    assert {entry["repo"]: entry["errorCount"] for entry in repos["repos"]}["psf/requests"] >= 1
    assert (repos["datasetVersion"], found["datasetVersion"]) == (first.version, first.version)
    assert row.id in [match["id"] for match in found["matches"]]
    assert found["stale"] is False
    address = next(match["url"] for match in found["matches"] if match["id"] == row.id)
    assert row.id in fetch(address).decode()
    assert row.message.split("{")[0] in whole
    assert whole == by_slug
    version = queries.state().version
    assert refreshed == {"updated": True, "datasetVersion": version, "errors": first.records + 1}
    assert [match["id"] for match in again["matches"]][:1] == [record("gate")["id"]]


@pytest.mark.no_db_matrix  # as above
def test_a_slash_at_the_end_and_an_unknown_message_do_no_harm(
    ask: Ask, live_server: Any, starter: None, served: Any
) -> None:
    served()
    (found,) = ask([("search_error", {"message": "qqxqq zzyzz"})], base=f"{live_server.url}/")
    assert found["matches"] == []


@pytest.mark.no_db_matrix  # as above
def test_the_client_keeps_what_it_has_while_there_is_nothing_new(
    ask: Ask, starter: None, served: Any, settings: Any
) -> None:
    import shutil

    from kb.catalog import queries

    served()
    ask([("refresh_dataset", {})])
    shutil.rmtree(settings.KB_DATA_DIR / "served")  # as on a node that has yet to make it
    found, repos = ask([("search_error", {"message": "connection timed out"}), ("list_repos", {})])
    assert found["datasetVersion"] == repos["datasetVersion"] == queries.state().version
