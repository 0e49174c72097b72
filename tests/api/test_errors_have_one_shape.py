"""Every error of every endpoint is a problem document, with the headers that every answer has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from jsonschema import Draft202012Validator

from kb.api import schema
from kb.api.endpoints import ENDPOINTS, Endpoint
from kb.api.problems import KINDS
from kb.search.errors import SearchUnavailable

Get = Callable[..., Any]
RATE = ("ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
# Those that need a key are in test_imports.
READING = {name: row for name, row in ENDPOINTS.items() if row.method == "get" and not row.scope}
every_endpoint = pytest.mark.parametrize("endpoint", READING.values(), ids=list(READING))


def path_of(endpoint: Endpoint) -> str:
    return f"/api/v1/{endpoint.example_path}"


def check_problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """The body, after everything that holds for all problems was found true."""
    components = schema.document()["components"]
    body: dict[str, Any] = response.json()
    Draft202012Validator({"$ref": "#/components/schemas/ProblemDetails", "components": components}).validate(body)
    assert response.status_code == body["status"] == status
    assert body["code"] == code
    assert body["title"] == KINDS[code].title
    assert body["type"].endswith(f"/docs/api/#{KINDS[code].anchor}")
    assert response["content-type"] == "application/problem+json"
    assert response["cache-control"] == "no-store"
    assert response["access-control-allow-origin"] == "*"
    assert response["content-length"] == str(len(response.content))
    assert "etag" not in response.headers
    assert all(name in response.headers for name in RATE)
    return body


@every_endpoint
def test_an_unknown_parameter(endpoint: Endpoint) -> None:
    body = check_problem(Client().get(path_of(endpoint), {"limt": "1"}), 400, "invalid_parameter")
    fault = body["errors"][0]
    assert len(body["errors"]) == 1 + sum(row.required for row in endpoint.parameters)
    assert (fault["parameter"], fault["code"]) == ("limt", "unknown")
    assert fault["valid"] == sorted(row.name for row in endpoint.parameters)
    assert fault.get("nearest") == ("limit" if "limit" in fault["valid"] else None)


@every_endpoint
def test_an_empty_parameter(endpoint: Endpoint) -> None:
    for row in endpoint.parameters:
        if not row.may_be_empty:
            body = check_problem(Client().get(path_of(endpoint), {row.name: ""}), 400, "invalid_parameter")
            assert body["errors"][0]["code"] == "empty"


@every_endpoint
def test_a_repeated_parameter(endpoint: Endpoint) -> None:
    for row in endpoint.parameters:
        times = 21 if row.several else 2
        value = row.choices[0] if row.choices else "1"
        body = check_problem(Client().get(path_of(endpoint), {row.name: [value] * times}), 400, "invalid_parameter")
        assert body["errors"][0]["code"] == "repeated"


@every_endpoint
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "trace"])
def test_another_method(endpoint: Endpoint, method: str) -> None:
    methods = "GET, HEAD, POST, OPTIONS" if endpoint.operation == "matchText" else "GET, HEAD, OPTIONS"
    if method.upper() in methods:
        return
    response = getattr(Client(), method)(path_of(endpoint))
    check_problem(response, 405, "method_not_allowed")
    assert response["allow"] == methods


@every_endpoint
def test_another_media_type(endpoint: Endpoint) -> None:
    body = check_problem(Client().get(path_of(endpoint), headers={"accept": "image/png"}), 406, "not_acceptable")
    assert all(offered in body["detail"] for offered in endpoint.media_types)


@every_endpoint
def test_a_character_that_no_address_has(endpoint: Endpoint) -> None:
    for name in ("q", "cursor", "limit", "fields", "nope", "%00"):
        response = Client().get(f"{path_of(endpoint)}?{name}=%00")
        check_problem(response, 400, "invalid_character")
        check_problem(Client().get(f"{path_of(endpoint)}?{name}=%ED%A0%BD"), 400, "invalid_character")
    check_problem(Client().get(f"{path_of(endpoint)}%00"), 400, "invalid_character")


@every_endpoint
def test_a_query_that_is_too_long(endpoint: Endpoint) -> None:
    body = check_problem(Client().get(path_of(endpoint), {"q": "a" * 2_001}), 414, "query_too_long")
    assert "2,000" in body["detail"]


@every_endpoint
def test_a_part_of_the_path_that_nothing_has(endpoint: Endpoint, get: Get) -> None:
    nothing = ("0" * 16, "9" * 23, "no such", "%E4%BD%A0", "%C3%A9", "..", "%22%3E%3Cscript%3E")
    cases = [(value, 404, "not_found") for value in nothing]
    cases += [(value, 400, "invalid_character") for value in ("%ED%A0%80", "%FF", "%00")]
    for row in endpoint.path_parameters:
        for value, status, code in cases:
            parts = {other.name: other.example for other in endpoint.path_parameters} | {row.name: value}
            check_problem(get(f"/api/v1/{endpoint.path.format(**parts)}"), status, code)


@every_endpoint
def test_a_foreign_cursor(endpoint: Endpoint, get: Get) -> None:
    if not any(row.name == "cursor" for row in endpoint.parameters):
        return
    for cursor in ("x", "0", "e30", "WyJ4Il0", "AAAA", "é", "a" * 2_000, "-_-_"):
        response = get(path_of(endpoint).replace("/3/", "/1/"), {"cursor": cursor})
        check_problem(response, 400, "bad_cursor")


@pytest.mark.parametrize("path", ["/api/v1/nope", "/api/v1/errors/x/y/z/", "/api/v2/errors/", "/api/x", "/api/v1//"])
@pytest.mark.parametrize("method", ["get", "post", "head"])
def test_an_address_that_nothing_has(path: str, method: str, db: None) -> None:
    response = getattr(Client(), method)(path)
    if method == "head":
        assert (response.status_code, response.content) == (404, b"")
    elif method == "get" or not path.startswith("/api/v1/"):
        check_problem(response, 404, "not_found")
    else:
        check_problem(response, 405, "method_not_allowed")


def test_a_host_that_is_not_ours(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["faultbook.example"]
    body = check_problem(Client().get("/api/v1/errors/", headers={"host": "evil.example"}), 400, "bad_request")
    assert "evil" not in body["type"]


@every_endpoint
def test_a_database_that_is_away(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("secret host is down")

    monkeypatch.setattr("kb.catalog.queries.snapshot", fail)
    response = Client().get(path_of(endpoint), endpoint.query_example)
    body = check_problem(response, 503, "catalog_unavailable")
    assert "secret" not in body["detail"]
    assert response["retry-after"] == "5"


def test_an_index_that_is_away(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise SearchUnavailable("no index was built yet")

    monkeypatch.setattr("kb.search.engine.search", fail)
    response = get("search/", {"q": "x"})
    body = check_problem(response, 503, "search_unavailable")
    assert "no index was built yet" in body["detail"]
    assert response["retry-after"] == "5"


def test_a_failure_is_logged_and_hidden(
    get: Get, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_given: Any, **_named: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("kb.search.engine.search", fail)
    body = check_problem(get("search/", {"q": "x"}), 500, "internal_error")
    assert "secret" not in str(body)
    assert "a secret" in caplog.text
