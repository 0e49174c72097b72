"""The HTTP API of err-lookup: its shapes and status codes, answered by the engine of this site."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
Read = Callable[..., Any]
MATCH = {"id", "repo", "code", "message", "score", "matchType", "url"}


@pytest.fixture
def gates(import_records: Any, record: Any) -> None:
    """Four records, two of which share a code."""
    import_records(
        record("north", errorCode="ERR_GATE", errorMessage="the north gate is shut for {days} days"),
        record("south", errorCode="ERR_GATE", errorMessage="somebody has lost the key of the southern portal"),
        record("east", repo="acme/wall", errorMessage="no wall stands in the east"),
        record("west", repo="acme/wall", errorMessage="the moon rises in the west"),
    )


def ids(answer: dict[str, Any]) -> list[str]:
    return [row["url"].rstrip("/").rsplit("/", 1)[1] for row in answer["matches"]]


def test_a_message_finds_its_record_in_the_shape_of_that_api(gates: None, read_json: Read, client: Client) -> None:
    from kb.catalog import queries

    answer = read_json("/api/search", q="Error: no wall stands in the east")
    assert set(answer) == {"matches", "datasetVersion"}
    assert answer["datasetVersion"] == queries.state().version
    assert ids(answer) == ["east"]
    (match,) = answer["matches"]
    assert set(match) == MATCH
    assert match["matchType"] == "pattern"
    assert 0.4 < match["score"] <= 1
    assert match["url"] == "http://testserver/acme/wall/east/"
    assert client.get("/acme/wall/east/", follow=True).status_code == 200


def test_a_code_finds_all_its_records_first(gates: None, read_json: Read) -> None:
    answer = read_json("/api/search", q="ERR_GATE")
    assert sorted(ids(answer)[:2]) == ["north", "south"]
    assert [row["matchType"] for row in answer["matches"][:2]] == ["exact-code"] * 2
    assert [row["code"] for row in answer["matches"][:2]] == ["ERR_GATE"] * 2


def test_words_find_what_holds_them(gates: None, read_json: Read) -> None:
    answer = read_json("/api/search", q="southern portal")
    assert ids(answer)[:1] == ["south"]
    scores = [row["score"] for row in answer["matches"]]
    assert scores == sorted(scores, reverse=True)
    assert len({row["id"] for row in answer["matches"]}) == len(answer["matches"])


def test_a_repository_limits_and_so_does_a_limit(gates: None, read_json: Read) -> None:
    assert set(ids(read_json("/api/search", q="the gate wall moon", repo="acme/wall"))) <= {"east", "west"}
    assert ids(read_json("/api/search", q="the moon rises in the west", repo="acme/gate")) == []
    assert read_json("/api/search", q="gate", repo="nobody/nothing")["matches"] == []
    for limit, most in (("1", 1), ("-3", 1), ("1x", 1), ("2", 2), ("0", 5), ("x", 5), ("", 5), ("99", 25)):
        found = read_json("/api/search", q="ERR_GATE gate wall moon key", limit=limit)["matches"]
        assert 1 <= len(found) <= most


@pytest.mark.parametrize("text", ["?!", "   ", "qqxqq zzyzz", "\u2028", "'", "repo:", '"', "%", "a" * 1_500])
def test_any_text_has_an_answer(gates: None, read_json: Read, text: str) -> None:
    assert isinstance(read_json("/api/search", q=text)["matches"], list)


@pytest.mark.parametrize("text", ["?!", "-gate", "repo:acme/wall", "severity:error -moon"])
def test_text_without_words_lists_nothing(gates: None, read_json: Read, text: str) -> None:
    assert read_json("/api/search", q=text)["matches"] == []


def test_text_without_a_record_has_an_empty_answer(gates: None, read_json: Read) -> None:
    assert read_json("/api/search", q="qqxqq zzyzz")["matches"] == []
    assert read_json("/api/search", message="qqxqq zzyzz")["matches"] == []


def test_nobody_keeps_what_was_pasted(gates: None, client: Client) -> None:
    assert "no-store" in client.get("/api/search", {"q": "gate"})["Cache-Control"]
    assert "ETag" not in client.get("/api/search", {"q": "gate"})


def test_a_record_comes_whole(gates: None, record: Any, read_json: Read, client: Client) -> None:
    from kb.catalog import queries

    wanted = record("east", repo="acme/wall", errorMessage="no wall stands in the east")
    for address in (f"/api/errors/{wanted['id']}", f"/api/errors/{wanted['id']}/"):
        answer = read_json(address)
        assert answer == {"record": wanted, "datasetVersion": queries.state().version}
    response = client.get(address)
    again = client.get(address, HTTP_IF_NONE_MATCH=response["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_a_record_that_went_is_not_found(gates: None, import_records: Any, record: Any, client: Client) -> None:
    import_records(record("north", errorCode="ERR_GATE"), complete=True, confirm=True)
    response = client.get(f"/api/errors/{record('east')['id']}")
    assert (response.status_code, response.json()) == (404, {"error": "not found"})


def test_repositories_are_those_of_the_dataset(starter: None, served: Any, read_json: Read, client: Client) -> None:
    served()
    answer = read_json("/api/repos")
    assert set(answer) == {"repos", "datasetVersion"}
    by_name = {row["repo"]: row for row in answer["repos"]}
    assert by_name == {row["repo"]: row for row in read_json("/data/repos.json")}
    response = client.get("/api/repos/")
    assert client.get("/api/repos/", HTTP_IF_NONE_MATCH=response["ETag"]).status_code == 304


@pytest.mark.parametrize(
    ("method", "address", "status", "error"),
    [
        ("GET", "/api/search", 400, "missing q parameter"),
        ("GET", "/api/search?q=", 400, "missing q parameter"),
        ("GET", "/api/errors/0000000000000000", 404, "not found"),
        ("GET", "/api/errors/no-id", 404, "not found"),
        ("GET", "/api/errors/%3C%2Fscript%3E/", 404, "not found"),
        ("POST", "/api/search?q=x", 405, "method not allowed"),
        ("PUT", "/api/repos", 405, "method not allowed"),
        ("DELETE", "/api/errors/0000000000000000", 405, "method not allowed"),
    ],
)
def test_failures_have_its_shape(
    gates: None, client: Client, method: str, address: str, status: int, error: str
) -> None:
    response = client.generic(method, address)
    assert (response.status_code, response.json()) == (status, {"error": error})
    assert response["Content-Type"] == "application/json; charset=utf-8"
    assert response["Access-Control-Allow-Origin"] == "*"


def test_an_empty_catalog_and_a_missing_index_are_told(
    client: Client, import_records: Any, record: Any, settings: Any
) -> None:
    for address in ("/api/search?q=x", "/api/repos", "/api/errors/0000000000000000"):
        assert client.get(address).status_code == 503
    import_records(record("one"))
    settings.KB_INDEX_DIR = settings.KB_DATA_DIR / "nowhere"
    response = client.get("/api/search", {"q": "one is not open"})
    assert (response.status_code, response.json()) == (503, {"error": "dataset unavailable"})
    assert int(response["Retry-After"]) > 0


def test_options_say_what_scripts_may_do(gates: None, client: Client) -> None:
    for more in ({}, {"HTTP_ACCESS_CONTROL_REQUEST_METHOD": "GET"}):
        response = client.options("/api/search", **more)
        assert response.status_code == 204
        assert "GET" in response["Access-Control-Allow-Methods"]


def test_hostile_records_come_as_they_are(import_sources: Any, project_root: Any, read_json: Read) -> None:
    import_sources(project_root / "fixtures/datasets/hostile/hostile.json", dataset="hostile")
    answer = read_json("/api/repos")
    assert answer["repos"]
    assert json.dumps(read_json("/api/search", q="script")["matches"])
