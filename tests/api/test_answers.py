"""What the endpoints answer: shapes, headers, pages, single records."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from kb.api import schema
from kb.api.endpoints import ENDPOINTS

Get = Callable[..., Any]
SEED_ID = "12c38bb1afed0ec1"
NO_LISTS_OF_RECORDS = {
    "getSchema",
    "downloadRejections",
    "downloadFindingErrors",
    "exportErrors",
    "matchText",
    "matchTexts",
}
WITH_DATA = [name for name in ENDPOINTS if name not in NO_LISTS_OF_RECORDS and not ENDPOINTS[name].scope]


def example(get: Get, operation: str) -> tuple[str, dict[str, str]]:
    """A request to an endpoint that this catalog has an answer for."""
    endpoint = ENDPOINTS[operation]
    plural = {"getFamily": "families/", "getCode": "codes/", "getClass": "classes/", "getTag": "tags/"}.get(operation)
    if plural:
        return f"{plural}{get(plural).json()['results'][0]['key']}/", {}
    parts = {
        "id": SEED_ID if operation in {"getError", "getHistory"} else str(rejecting_release(get)),
        "owner": "psf",
        "name": "requests",
        "finding": "thin_text",
    }
    return endpoint.path.format(**parts), dict(endpoint.query_example)


def rejecting_release(get: Get) -> int:
    return next(release["id"] for release in get("releases/").json()["results"] if release["rejected"])


def valid(operation: str, body: Any) -> None:
    """Raise unless ``body`` has the endpoint's documented shape."""
    answer = ENDPOINTS[operation].answer
    assert answer is not None
    components = schema.document()["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{answer.__name__}", "components": components}).validate(body)


@pytest.mark.parametrize("operation", WITH_DATA)
def test_answers_have_their_documented_shape_and_headers(operation: str, get: Get) -> None:
    path, query = example(get, operation)
    response = get(path, query)
    assert response.status_code == 200, response.body
    body = json.loads(response.body)
    valid(operation, body)
    assert response["content-type"] == "application/json"
    assert response["faultbook-revision"] == str(body["revision"])
    assert response["faultbook-dataset-version"] == body["datasetVersion"]
    assert response["cache-control"] == "public, max-age=0, must-revalidate"
    assert {part.strip() for part in response["vary"].split(",")} >= {"Accept", "Accept-Encoding"}
    assert response["access-control-allow-origin"] == "*"
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("operation", [*WITH_DATA, "getSchema", "downloadRejections"])
def test_both_spellings_of_an_address_answer_the_same_without_redirect(operation: str, get: Get) -> None:
    path, query = example(get, operation)
    one, other = get(path, query), get(path.removesuffix("/") if path else "/api/v1", query)
    assert one.status_code == other.status_code == 200
    drop = "next"
    bodies = [
        json.loads(answer.body) if answer["content-type"] == "application/json" else answer.body
        for answer in (one, other)
    ]
    assert all(body.pop(drop, None) or True for body in bodies if isinstance(body, dict))
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("operation", [*WITH_DATA, "getSchema", "downloadRejections"])
def test_head_has_the_headers_of_get_and_options_the_methods(operation: str, get: Get) -> None:
    path, query = example(get, operation)
    got, head = get(path, query), Client().head(f"/api/v1/{path}", query)
    assert head.status_code == 200
    assert b"".join(head.streaming_content if head.streaming else [head.content]) == b""
    for name in ("content-type", "faultbook-revision", "vary"):
        assert head[name] == got[name]
    assert head.get("content-length") == got.get("content-length") == (None if got.streaming else str(len(got.body)))
    assert head.get("etag") == got.get("etag")
    options = Client().options(f"/api/v1/{path}")
    assert (options.status_code, options["allow"], options.content) == (204, "GET, HEAD, OPTIONS", b"")


def test_scripts_of_other_sites_may_read() -> None:
    asked = {"origin": "https://other.example", "access-control-request-method": "GET"}
    response = Client().options("/api/v1/errors/", headers=asked | {"access-control-request-headers": "if-none-match"})
    assert response.status_code == 204
    assert response["access-control-allow-origin"] == "*"
    assert response["access-control-allow-methods"] == "GET, HEAD, POST, OPTIONS"
    assert "If-None-Match" in response["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in response.headers
    assert "ETag" in response["access-control-expose-headers"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (f"errors/{SEED_ID}/", "seed/seed-record.json"),
        ("errors/5886547cf5882709/", "hostile/hostile.json"),
    ],
)
def test_a_record_is_the_file_s_record_field_for_field(path: str, source: str, get: Get, project_root: Path) -> None:
    told = json.loads((project_root / "fixtures" / "datasets" / source).read_bytes())
    told = told.get("record", told)
    body = json.loads(get(path).body)
    assert body["record"] == told
    assert list(body["record"])[: len(told)]
    assert body["meta"]["apiUrl"].endswith(f"/api/v1/{path}")


def test_every_starter_record_is_what_its_file_says(get: Get, project_root: Path) -> None:
    files = sorted((project_root / "fixtures" / "datasets" / "starter" / "repos").glob("*/*.json"))
    records = [record for file in files for record in json.loads(file.read_bytes())]
    assert len(records) >= 60
    for record in records:
        assert json.loads(get(f"errors/{record['id']}").body)["record"] == record


def test_a_retired_record_stays_and_says_so(get: Get) -> None:
    (retired,) = get("errors/", {"status": "retired"}).json()["results"]
    assert retired["status"] == "retired"
    meta = get(f"errors/{retired['id']}/").json()["meta"]
    assert meta["status"] == "retired"
    assert meta["retired"]["revision"] == meta["changedRevision"]
    assert meta["url"] == meta["shortUrl"]
    assert meta["markdownUrl"] is None


def test_markdown_of_a_record(get: Get) -> None:
    response = get(f"errors/{SEED_ID}/", accept="text/markdown")
    assert response["content-type"] == "text/markdown; charset=utf-8"
    assert response.body.decode().startswith("# encode metadata not ready\n")
    assert response["etag"] != get(f"errors/{SEED_ID}/")["etag"]


def test_fields_of_a_record(get: Get) -> None:
    body = get(f"errors/{SEED_ID}/", {"fields": "solutions,id,backgroundTag"}).json()
    assert list(body["record"]) == ["solutions", "id", "backgroundTag"]


def test_an_absent_field_is_left_out_of_a_selection(get: Get) -> None:
    (record,) = get("errors/", {"repo": "acme/rocket", "fields": "id,httpStatus,typeGuard,url"}).json()["results"]
    assert list(record) == ["id", "httpStatus", "url"]  # a summary has httpStatus; the record has no typeGuard


@pytest.mark.parametrize("fields", ["id", "url,id", "id,documentation", "messagePattern,excerpt,solutions"])
@pytest.mark.parametrize(("path", "query"), [("errors/", {}), ("search/", {"q": "timeout"})])
def test_fields_of_lists(path: str, query: dict[str, str], fields: str, get: Get) -> None:
    results = get(path, query | {"fields": fields, "limit": "3"}).json()["results"]
    assert [list(result) for result in results] == [fields.split(",")] * 3


def pages(get: Get, path: str, query: dict[str, str]) -> list[list[dict[str, Any]]]:
    """All pages of a list, by following ``next``."""
    found = []
    response = get(path, query)
    while True:
        body = response.json()
        found.append(body["results"])
        if body["next"] is None:
            assert "link" not in response.headers
            return found
        assert response["link"] == f'<{body["next"]}>; rel="next"'
        response = get(body["next"].removeprefix("http://testserver"))
        assert response.status_code == 200, response.body


@pytest.mark.parametrize(
    ("path", "query", "key"),
    [
        ("errors/", {}, "id"),
        ("errors/", {"fields": "id,solutions"}, "id"),
        ("errors/", {"repo": "psycopg/psycopg", "severity": "error"}, "id"),
        ("errors/", {"tag": "network"}, "id"),
        ("errors/", {"status": "all", "language": "Python"}, "id"),
        ("search/", {"q": "connection"}, "id"),
        ("search/", {"severity": ["error", "critical"], "facets": "none"}, "id"),
        ("repositories/", {}, "repo"),
        ("families/", {}, "key"),
        ("classes/", {}, "key"),
        ("tags/", {"prefix": "c"}, "key"),
        ("releases/", {}, "id"),
    ],
)
def test_pages_hold_the_list_once_in_its_order(path: str, query: dict[str, Any], key: str, get: Get) -> None:
    whole = [row[key] for page in pages(get, path, query | {"limit": "100"}) for row in page]
    small = [[row[key] for row in page] for page in pages(get, path, query | {"limit": "3"})]
    assert [found for page in small for found in page] == whole
    assert len(set(whole)) == len(whole) > 3
    assert all(len(page) == 3 for page in small[:-1])


def test_a_cursor_belongs_to_its_filters(get: Get) -> None:
    cursor = get("errors/", {"limit": "1"}).json()["next"].rpartition("cursor=")[2]
    assert get("errors/", {"limit": "2", "cursor": cursor}).status_code == 200
    for query in ({"severity": "error"}, {"status": "all"}, {"fields": "documentation"}):
        response = get("errors/", {**query, "cursor": cursor})
        assert (response.status_code, response.json()["code"]) == (400, "bad_cursor")


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        ({"repo": "psf/requests"}, "repo", "psf/requests"),
        ({"severity": "critical"}, "severity", "critical"),
        ({"type": "http"}, "errorType", "http"),
        ({"class": "FuelError"}, "errorClass", "FuelError"),
        ({"code": "e_fuel"}, "errorCode", "E_FUEL"),
        ({"strategy": "retry"}, "handlingStrategy", "retry"),
        ({"family": "timeout"}, "backgroundTag", "timeout"),
        ({"language": "Python"}, "language", "Python"),
        ({"status": "retired"}, "status", "retired"),
    ],
)
@pytest.mark.parametrize("path", ["errors/", "search/"])
def test_filters(path: str, query: dict[str, str], field: str, value: str, get: Get) -> None:
    results = get(path, query | {"limit": "100"}).json()["results"]
    assert results
    assert {result[field] for result in results} == {value}
    everything = get("errors/", {"limit": "100", "status": "all"}).json()["results"]
    if query.get("status") != "retired":
        everything = [result for result in everything if result["status"] == "current"]
    expected = {result["id"] for result in everything if result[field] == value}
    assert {result["id"] for result in results} >= expected


def test_the_dataset_filter(get: Get) -> None:
    (only,) = get("errors/", {"dataset": "seed"}).json()["results"]
    assert only["id"] == SEED_ID


def test_search_counts_and_ranks(get: Get) -> None:
    body = get("search/", {"q": "connection timeout expired", "facets": "severity,status"}).json()
    assert body["results"][0]["errorMessage"] == "connection timeout expired"
    assert list(body["facets"]) == ["severity", "status"]
    assert sum(value["count"] for value in body["facets"]["severity"]) == body["count"]
    assert body["problems"] == []
    assert any(part["marked"] for part in body["results"][0]["highlights"][0]["parts"])


def test_search_tells_what_it_did_not_understand(get: Get) -> None:
    body = get("search/", {"q": "severity:bad timeout"}).json()
    assert "severity" in body["problems"][0]["message"]
    assert body["problems"][0]["position"] == 0


def test_repositories_by_a_part_of_their_name(get: Get) -> None:
    assert [row["repo"] for row in get("repositories/", {"q": "PSYCO"}).json()["results"]] == ["psycopg/psycopg"]
    assert get("repositories/PSF/Requests").json()["repository"]["repo"] == "psf/requests"


def test_rejections_as_pages_and_as_lines(get: Get) -> None:
    number = rejecting_release(get)
    body = get(f"releases/{number}/rejections/").json()
    assert {row["rule"] for row in body["results"]} >= {"unknown_value"}
    response = get(f"releases/{number}/rejections.ndjson")
    assert response["content-type"] == "application/x-ndjson"
    assert [json.loads(line) for line in response.body.splitlines()] == body["results"]
    assert get("releases/999999/rejections.ndjson").status_code == 404


def test_addresses_are_absolute_on_the_configured_site(get: Get, settings: Any) -> None:
    settings.KB_BASE_URL = "https://errors.example.org"
    body = get("errors/", {"limit": "1"}).json()
    assert body["results"][0]["url"].startswith("https://errors.example.org/errors/")
    assert body["next"].startswith("https://errors.example.org/api/v1/errors/?limit=1&cursor=")
    assert get("nope").json()["type"].startswith("https://errors.example.org/docs/api/")


@pytest.mark.parametrize(
    ("path", "query", "most"),
    [
        ("", {}, 1),
        ("errors/", {}, 2),
        ("errors/", {"fields": "solutions"}, 2),
        (f"errors/{SEED_ID}/", {}, 3),  # with who else holds it
        ("search/", {"q": "connection"}, 2),
        ("repositories/", {}, 2),
        ("families/", {}, 2),
        ("families/timeout/", {}, 3),
        ("releases/", {}, 2),
        ("releases/1/rejections/", {}, 3),
        ("schema/", {}, 1),
    ],
)
def test_few_queries(path: str, query: dict[str, str], most: int, get: Get, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(most):
        get(path, query)
