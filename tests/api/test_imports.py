"""Imports over HTTP: who may ask, what is taken, what is told, and that nothing is left behind."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from jsonschema import Draft202012Validator

from kb.api import schema
from kb.catalog import keys, queries
from kb.catalog.registrations import Registration
from kb.imports.jobs.folders import JobFolder
from kb.imports.jobs.registered import register_dataset
from kb.imports.jobs.worker import Worker

ROOT = "/api/v1/imports/"
UNKNOWN = "0f0c5f0e-7a3c-4b54-9d3b-3f6f0c1d2e4a"
RAW = "application/octet-stream"
Sent = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_data(settings: Any, tmp_path: Path) -> None:
    settings.KB_DATA_DIR = tmp_path / "data"
    settings.KB_RATE_LIMIT = 1_000_000


@pytest.fixture
def bearer(db: None) -> dict[str, str]:
    """The header of a key that may import."""
    _, text = keys.create_key("nightly", scopes=("import",), days=1)
    return {"authorization": f"Bearer {text}"}


@pytest.fixture
def send(bearer: dict[str, str]) -> Sent:
    """``send(path, body, content_type, **headers)`` posts with the key."""

    def sent(path: str = "", body: Any = b"", content_type: str = "application/json", **headers: str) -> Any:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        client = Client(raise_request_exception=False)
        return client.post(ROOT + path, body, content_type=content_type, headers={**bearer, **headers})

    return sent


@pytest.fixture
def read(bearer: dict[str, str]) -> Sent:
    """``read(path, query)`` gets with the key."""
    return lambda path="", query=None: Client().get(ROOT + path, query, headers=bearer)


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def valid(response: Any, status: int = 200) -> dict[str, Any]:
    """The body, after it was found to have its documented shape."""
    assert response.status_code == status, response.content
    assert response["cache-control"] == "no-store"
    name = {ROOT: "ImportList"}.get(response.request["PATH_INFO"], "ImportAnswer") if status == 200 else "ImportAnswer"
    body: dict[str, Any] = response.json()
    components = schema.document()["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components}).validate(body)
    return body


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["code"] == code
    return body


def spool(settings: Any) -> list[Path]:
    return sorted((settings.KB_DATA_DIR / "spool" / "jobs").glob("*"))


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", ""), ("post", "?dataset=x&filename=a.jsonl"), ("get", f"{UNKNOWN}/"), ("post", f"{UNKNOWN}/cancel/"),
        ("get", f"{UNKNOWN}/log/"), ("get", f"{UNKNOWN}/rejections/"),
    ],
)  # fmt: skip
def test_nothing_is_told_or_taken_without_a_key(method: str, path: str, db: None, settings: Any) -> None:
    more = {"content_type": RAW, "data": b"{}"} if method == "post" else {}
    for header in ({}, {"authorization": "Basic eDp5"}, {"authorization": "Bearer"}, {"authorization": "Bearer x"}):
        response = getattr(Client(), method)(ROOT + path, headers=header, **more)
        problem(response, 401, "key_required")
        assert response["www-authenticate"].startswith("Bearer")
    assert spool(settings) == []


def test_keys_end(db: None) -> None:
    def status(text: str) -> int:
        return Client().get(ROOT, headers={"authorization": f"Bearer {text}"}).status_code

    view, text = keys.create_key("one", scopes=("import",), days=None)
    assert status(text) == 200
    assert status(text[:-1] + ("A" if text[-1] != "A" else "B")) == 401
    assert keys.revoke_key(view.prefix) is not None
    assert status(text) == 401
    _, old = keys.create_key("two", scopes=("import",), days=0)
    assert status(old) == 401


def test_a_key_for_something_else_is_forbidden(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "SCOPES", ("import", "other"))
    _, text = keys.create_key("other", scopes=("other",), days=1)
    problem(Client().get(ROOT, headers={"authorization": f"Bearer {text}"}), 403, "forbidden")


def test_the_database_holds_no_key(bearer: dict[str, str]) -> None:
    from django.apps import apps

    row = apps.get_model("catalog", "ApiKey").objects.get()
    secret = bearer["authorization"].split("_", 2)[2]
    assert secret not in str(vars(row))


def test_use_is_noted_where_something_is_written(send: Sent, read: Sent, make: Any) -> None:
    read()
    assert queries.api_keys()[0].last_used_at is None
    send("?dataset=mine&filename=a.jsonl", lines(make()), RAW)
    assert queries.api_keys()[0].last_used_at is not None


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_from_its_upload_to_its_report(send: Sent, read: Sent, make: Any, settings: Any) -> None:
    body = lines(make(), make(slug="bad", errorCode="E_BAD", severity="awful"))
    response = send("?dataset=mine&filename=up.jsonl", body, RAW)
    job = valid(response, 202)["job"]
    assert response["location"] == job["apiUrl"]
    assert (job["state"], job["dataset"], job["source"], job["key"]) == ("queued", "mine", "up.jsonl", "nightly")
    assert Worker().run(batch=True) == 1
    job = valid(read(f"{job['id']}/"))["job"]
    assert (job["state"], job["report"]["outcome"], job["report"]["added"]) == ("done", "published", 1)
    assert (job["release"], job["progress"]) == (job["report"]["release"], None)
    rejections = read(f"{job['id']}/rejections/").json()["results"]
    assert [row["path"] for row in rejections] == ["$.severity"]
    texts = [row["text"] for row in read(f"{job['id']}/log/").json()["lines"]]
    assert texts[0].startswith("Queued for dataset mine")
    assert texts[-1] == "Published"
    assert queries.record_by_id(make()["id"]) is not None
    assert not any(path.name.startswith("up") for path in settings.KB_DATA_DIR.rglob("*"))
    assert [row["id"] for row in valid(read())["results"]] == [job["id"]]


def test_a_file_in_a_form(send: Sent, make: Any, bearer: dict[str, str]) -> None:
    upload = SimpleUploadedFile("../../etc/pass wd.jsonl", lines(make()))
    response = Client().post(f"{ROOT}?dataset=mine", {"file": upload}, headers=bearer)
    job = valid(response, 202)["job"]
    assert job["source"] == "pass_wd.jsonl"
    assert Worker().run(batch=True) == 1
    assert queries.dataset("mine").records == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("query", "content_type", "body", "status", "code"),
    [
        ("?filename=a.jsonl", RAW, b"{}", 400, "invalid_parameter"),
        ("?dataset=mine", RAW, b"{}", 400, "invalid_parameter"),
        ("?dataset=a/b&filename=a.jsonl", RAW, b"{}", 400, "invalid_parameter"),
        ("?dataset=mine&filename=a.jsonl&confirm=maybe", RAW, b"{}", 400, "invalid_parameter"),
        ("?dataset=mine&filename=a.jsonl", "text/plain", b"{}", 415, "unsupported_media_type"),
        ("?dataset=mine", "multipart/form-data; boundary=x", b"--x\r\nnonsense", 400, "bad_request"),
        ("?dataset=mine", "multipart/form-data", b"--x--", 400, "bad_request"),
        ("", "application/json", b"[]", 400, "invalid_json"),
        ("", "application/json", b"{}", 400, "invalid_parameter"),
        ("", "application/json", b'{"dataset": "x", "confirm": "yes"}', 400, "invalid_parameter"),
        ("", "application/json", b'{"dataset": "x", "confrim": true}', 400, "invalid_parameter"),
        ("?dataset=x", "application/json", b'{"dataset": "x"}', 400, "bad_request"),
        ("", "application/json", b'{"dataset": "nobody"}', 404, "not_found"),
    ],
)  # fmt: skip
def test_what_is_not_taken_leaves_nothing(
    query: str, content_type: str, body: bytes, status: int, code: str, send: Sent, settings: Any
) -> None:
    problem(send(query, body, content_type), status, code)
    assert spool(settings) == []
    assert queries.import_jobs().items == ()


def test_two_files_or_fields_in_a_form(bearer: dict[str, str], settings: Any, make: Any) -> None:
    for parts in (
        {"file": [SimpleUploadedFile("a.jsonl", lines(make())), SimpleUploadedFile("b.jsonl", lines(make()))]},
        {"file": SimpleUploadedFile("a.jsonl", lines(make())), "dataset": "other"},
        {"other": SimpleUploadedFile("a.jsonl", lines(make()))},
    ):
        problem(Client().post(f"{ROOT}?dataset=mine", parts, headers=bearer), 400, "bad_request")
    assert spool(settings) == []


@pytest.mark.parametrize("form", [False, True])
def test_a_file_over_the_limit(form: bool, send: Sent, bearer: dict[str, str], settings: Any) -> None:
    settings.KB_UPLOAD_MIB = 1
    big = b"x" * (1024 * 1024 + 1)
    if form:
        upload = SimpleUploadedFile("a.jsonl", big)
        response = Client().post(f"{ROOT}?dataset=mine", {"file": upload}, headers=bearer)
    else:
        response = send("?dataset=mine&filename=a.jsonl", big, RAW)
    assert "1 MiB" in problem(response, 413, "body_too_large")["detail"]
    assert spool(settings) == []


def test_a_length_over_the_limit_is_refused_before_it_is_sent(bearer: dict[str, str], settings: Any) -> None:
    class Untouched(io.BytesIO):
        def read(self, *_sizes: Any) -> bytes:
            raise AssertionError("read")

    settings.KB_UPLOAD_MIB = 1
    response = Client().generic(
        "POST", f"{ROOT}?dataset=mine&filename=a", b"", headers=bearer,
        **{"CONTENT_TYPE": RAW, "wsgi.input": Untouched(), "CONTENT_LENGTH": str(10**12)},
    )  # fmt: skip
    problem(response, 413, "body_too_large")


@pytest.mark.parametrize("length", ["1000", "0", ""])
def test_a_body_that_breaks_off_or_is_empty(length: str, bearer: dict[str, str], settings: Any) -> None:
    response = Client().generic(
        "POST", f"{ROOT}?dataset=mine&filename=a", b"", headers=bearer,
        **{"CONTENT_TYPE": RAW, "wsgi.input": io.BytesIO(b"{"), "CONTENT_LENGTH": length},
    )  # fmt: skip
    problem(response, 400, "bad_request")
    assert spool(settings) == []


# --- registered datasets ----------------------------------------------------------------------------------------------


@pytest.fixture
def registered(db: None, tmp_path: Path, make: Any) -> Path:
    """The dataset ``mine``, registered with the address of a file."""
    source = tmp_path / "mine.jsonl"
    source.write_bytes(lines(make()))
    register_dataset(Registration(name="mine", address=str(source)))
    return source


def test_a_registered_dataset_is_updated(registered: Path, send: Sent, read: Sent) -> None:
    job = valid(send(body={"dataset": "mine", "strict": True}), 202)["job"]
    assert (job["source"], job["options"]) == ("", {"strict": True})
    assert Worker().run(batch=True) == 1
    assert valid(read(f"{job['id']}/"))["job"]["report"]["added"] == 1


def test_a_dry_run_changes_nothing(registered: Path, send: Sent, read: Sent) -> None:
    job = valid(send(body={"dataset": "mine", "dryRun": True}), 202)["job"]
    Worker().run(batch=True)
    job = valid(read(f"{job['id']}/"))["job"]
    assert (job["state"], job["report"]["outcome"], queries.state().revision) == ("done", "dry-run", 0)


def test_a_refused_import_says_why(registered: Path, send: Sent, read: Sent) -> None:
    registered.unlink()
    job = valid(send(body={"dataset": "mine"}), 202)["job"]
    Worker().run(batch=True)
    job = valid(read(f"{job['id']}/"))["job"]
    assert (job["state"], job["report"]["code"]) == ("failed", "missing_file")


# --- canceling, waiting, being busy -----------------------------------------------------------------------------------


def test_an_import_that_waits_is_canceled(registered: Path, send: Sent, read: Sent) -> None:
    job = valid(send(body={"dataset": "mine"}), 202)["job"]
    canceled = valid(send(f"{job['id']}/cancel/"), 202)["job"]
    assert (canceled["state"], canceled["cancelRequested"]) == ("canceled", True)
    Worker().run(batch=True)
    assert valid(read(f"{job['id']}/"))["job"]["state"] == "canceled"
    assert queries.state().revision == 0
    assert valid(send(f"{job['id']}/cancel/"), 202)["job"]["state"] == "canceled"


def test_an_import_that_runs_is_canceled(
    registered: Path, send: Sent, read: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = valid(send(body={"dataset": "mine"}), 202)["job"]
    seen: list[dict[str, Any]] = []
    write = JobFolder.write

    def watched(self: JobFolder, kind: str, content: Any) -> None:
        write(self, kind, content)
        if kind == "progress" and not seen:
            seen.append(valid(send(f"{job['id']}/cancel/"), 202)["job"])

    monkeypatch.setattr(JobFolder, "write", watched)
    Worker().run(batch=True)
    assert (seen[0]["state"], seen[0]["cancelRequested"]) == ("running", True)
    assert seen[0]["progress"]["phase"]
    ended = valid(read(f"{job['id']}/"))["job"]
    assert (ended["state"], ended["report"]["outcome"], queries.state().revision) == ("canceled", "canceled", 0)


@pytest.mark.parametrize("path", ["", "cancel/", "log/", "rejections/"])
def test_an_import_that_is_not_there(path: str, send: Sent, read: Sent) -> None:
    respond = send if path == "cancel/" else read
    for unknown in (str(uuid4()), "x", "0" * 16, str(uuid4()).upper()):
        problem(respond(f"{unknown}/{path}"), 404, "not_found")


def test_a_database_that_is_being_written_answers_503(
    registered: Path, send: Sent, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def locked(*_given: Any, **_named: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("kb.imports.jobs.queue.create_job", locked)
    response = send(body={"dataset": "mine"})
    if response.json()["code"] != "catalog_unavailable":  # PostgreSQL is never locked: it is away
        problem(response, 503, "imports_busy")
    assert int(response["retry-after"]) > 0
    assert spool(settings) == []


def test_a_queue_and_a_disk_that_are_full(
    registered: Path, send: Sent, make: Any, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr("kb.imports.jobs.queue._MOST_WAITING", 1)
    valid(send(body={"dataset": "mine"}), 202)
    assert "wait already" in problem(send(body={"dataset": "mine"}), 503, "imports_busy")["detail"]
    monkeypatch.setattr("kb.imports.jobs.queue._LEFT_FREE", 10**18)
    full = problem(send("?dataset=mine&filename=a.jsonl", lines(make()), RAW), 503, "imports_busy")
    assert "disk" in full["detail"]
    assert len(spool(settings)) == 1


# --- lists and logs ---------------------------------------------------------------------------------------------------


def test_imports_are_listed_by_page(registered: Path, send: Sent, read: Sent) -> None:
    made = [valid(send(body={"dataset": "mine"}), 202)["job"]["id"] for _ in range(5)]
    page, found = valid(read(query={"limit": "2"})), []
    while True:
        found += [row["id"] for row in page["results"]]
        if page["next"] is None:
            break
        page = valid(read(page["next"].split("/imports/")[1]))
    assert found == made[::-1]
    problem(read(query={"cursor": "x"}), 400, "bad_cursor")


def test_a_log_is_followed(registered: Path, send: Sent, read: Sent) -> None:
    job = valid(send(body={"dataset": "mine"}), 202)["job"]
    (first,) = read(f"{job['id']}/log/").json()["lines"]
    Worker().run(batch=True)
    rest = read(f"{job['id']}/log/", {"after": first["number"]}).json()["lines"]
    assert rest[0]["number"] == first["number"] + 1
    assert datetime.fromisoformat(rest[0]["at"]) - datetime.now(UTC) < timedelta(minutes=1)


def test_reading_never_writes(registered: Path, send: Sent, read: Sent, django_assert_num_queries: Any) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    job = valid(send(body={"dataset": "mine"}), 202)["job"]
    with CaptureQueriesContext(connection) as seen:
        for path in ("", f"{job['id']}/", f"{job['id']}/log/", f"{job['id']}/rejections/"):
            assert read(path).status_code == 200
    assert [query["sql"] for query in seen if not query["sql"].startswith("SELECT")] == []
