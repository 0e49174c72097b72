"""Matching over HTTP: shapes, order, statuses, limits. The engine is one of ours; its own tests are elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from kb.api import schema
from kb.api.match_shapes import MOST_RECORDS
from kb.matching.filling import own_text
from kb.search.errors import SearchUnavailable
from tests.api.explanations import SEED_ID, FakeEngine
from tests.api.test_errors_have_one_shape import check_problem

Get = Callable[..., Any]
Post = Callable[..., Any]
LIMIT = 256 * 1024


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """The engine that answers in this test."""
    fake = FakeEngine()
    monkeypatch.setattr("kb.matching.engine.explain_many", fake.explain_many)
    return fake


@pytest.fixture
def post(get: Get, engine: FakeEngine) -> Post:
    """``post(body, **headers)`` to the endpoint; a body that is no bytes is sent as JSON."""
    client = Client(raise_request_exception=False)

    def post(body: Any, content_type: str = "application/json", query: str = "", **headers: str) -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()} | {"content-type": content_type}
        return client.generic("POST", f"/api/v1/match/{query}", data, content_type, headers=named)

    return post


def results(response: Any) -> list[dict[str, Any]]:
    """The results of an answer that has the documented shape."""
    assert response.status_code == 200, response.content
    body = response.json()
    components = schema.document()["components"]
    Draft202012Validator({"$ref": "#/components/schemas/MatchAnswer", "components": components}).validate(body)
    assert set(body) == {"datasetVersion", "revision", "results"}
    found: list[dict[str, Any]] = body["results"]
    return found


def test_a_text_is_answered_with_what_was_read_and_found(post: Post) -> None:
    (result,) = results(post({"text": "FuelError: no fuel"}))
    assert {name: result[name] for name in ("status", "best", "masked")} == {
        "status": "matched",
        "best": {"id": SEED_ID, "confidence": "exact"},
        "masked": [{"kind": "password", "count": 2}],
    }
    cause, wrapper = result["exceptions"]
    assert {name: cause[name] for name in ("class", "message", "language", "relation", "parent", "role")} == {
        "class": "FuelError",
        "message": "no fuel",
        "language": "Python",
        "relation": None,
        "parent": None,
        "role": "root",
    }
    assert cause["frames"] == [{"path": "src/engine.py", "line": 7, "function": "start"}]
    assert (wrapper["class"], wrapper["language"], wrapper["matches"]) == (None, None, [])


MATCH = {"id", "url", "score", "confidence", "evidence", "captures", "strict", "alike", "alikeCount", "differs"}


@pytest.mark.parametrize("detail", [None, "ids", "summary", "full"])
def test_detail_says_how_much_is_told_of_a_record(detail: str | None, post: Post, get: Get) -> None:
    (result,) = results(post({"text": "x"} | ({"detail": detail} if detail else {})))
    (found,) = result["exceptions"][0]["matches"]
    listed = get("errors/", {"dataset": "seed"}).json()["results"]
    line = next(row for row in listed if row["id"] == SEED_ID)
    assert found["evidence"] == [{"kind": "message", "text": "the message fits with `tank` = 7", "weight": 0.6}]
    assert found["captures"] == [{"placeholder": "{tank}", "name": "tank", "value": "7"}]
    assert found["url"] == line["url"]
    more = {"ids": set(), "full": {*line, "record"}}.get(detail or "summary", set(line))
    assert set(found) == MATCH | more
    assert {name: found[name] for name in line if name in more} == {name: line[name] for name in line if name in more}
    if detail == "full":
        assert found["record"] == get(f"errors/{SEED_ID}/").json()["record"]


def test_texts_are_answered_in_order_each_with_its_status(post: Post, engine: FakeEngine) -> None:
    texts = ["one", "", "x" * (LIMIT + 1), "two", "é" * (LIMIT // 2 + 1), "z" * LIMIT]
    found = results(post({"texts": texts, "limit": 7}))
    assert [row["status"] for row in found] == ["matched", "empty", "too_large", "matched", "too_large", "matched"]
    assert engine.texts == ["one", "", "two", "z" * LIMIT]
    assert engine.limit == 7
    results(post(b'{"text": "x", "limit": 3.0}'))
    assert engine.limit == 3
    assert found[2] == {
        "status": "too_large",
        "best": None,
        "exceptions": [],
        "masked": [],
        "detail": "The text is over the limit of 256 KiB.",
    }


def test_nothing_found_has_no_best(post: Post, engine: FakeEngine) -> None:
    engine.ids, engine.nearest = (), (SEED_ID,)
    (result,) = results(post({"text": "nothing like it"}))
    assert (result["status"], result["best"]) == ("none", None)
    assert [row["id"] for row in result["exceptions"][0]["nearest"]] == [SEED_ID]


def test_context_reaches_the_engine(post: Post, get: Get, engine: FakeEngine) -> None:
    context = {"packages": ["axios", "axios", "@x/y"], "repositories": ["axios/axios"], "languages": ["JavaScript"]}
    results(post({"text": "x", "context": context}))
    sent = engine.context
    assert (sent.packages, sent.repositories, sent.languages) == (("axios", "@x/y"), ("axios/axios",), ("JavaScript",))
    results(get("match/", {"q": "x", **context}))
    assert engine.context == sent
    results(post({"text": "x", "context": {}}))
    assert engine.context.packages == ()


def test_a_short_text_in_the_address(get: Get, engine: FakeEngine) -> None:
    response = get("match/", {"q": "no fuel", "limit": "3", "detail": "ids"})
    assert results(response)[0]["best"] == {"id": SEED_ID, "confidence": "exact"}
    assert (engine.texts, engine.limit) == (["no fuel"], 3)
    assert results(get("match", {"q": ""}))[0]["status"] == "empty"


def test_nobody_keeps_an_answer(get: Get, post: Post) -> None:
    for response, control in ((get("match/", {"q": "x"}), "private, no-store"), (post({"text": "x"}), "no-store")):
        assert response["cache-control"] == control
        assert "etag" not in response.headers
        assert response["access-control-allow-origin"] == "*"
        assert "ratelimit" in response.headers
        assert response["faultbook-revision"] == str(response.json()["revision"])
        assert "set-cookie" not in response.headers
    assert get("match/", {"q": "x"}, if_none_match='"x", *').status_code == 200


def test_both_spellings_take_a_post(post: Post) -> None:
    response = Client().generic("POST", "/api/v1/match", b'{"text": "x"}', "application/json; charset=UTF-8")
    assert response.content == post({"text": "x"}).content


def test_the_number_of_queries_is_that_of_one_text(post: Post, django_assert_num_queries: Any) -> None:
    post({"text": "x"})
    for texts in (["x"], ["x"] * 100):
        for detail, queries in (("ids", 1), ("full", 2)):
            made = len(texts)  # the engine of these tests asks for each
            with django_assert_num_queries(queries + made):
                results(post({"texts": texts, "detail": detail}))


def test_an_answer_is_bounded_whatever_was_found(
    post: Post, engine: FakeEngine, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [row["id"] for row in get("errors/", {"limit": "9"}).json()["results"]]
    monkeypatch.setattr("kb.api.match_shapes.MOST_RECORDS", 2)
    monkeypatch.setattr("kb.api.match_shapes.MOST_SUMMARIES", 5)
    engine.ids = tuple(ids)
    (result,) = results(post({"text": "x", "detail": "full"}))
    told = result["exceptions"][0]["matches"]
    assert [row["id"] for row in told] == ids
    assert ["record" in row for row in told] == [True] * 2 + [False] * 7
    assert ["excerpt" in row for row in told] == [True] * 5 + [False] * 4
    assert MOST_RECORDS >= 100


def test_an_index_that_is_away(post: Post, get: Get, engine: FakeEngine, caplog: pytest.LogCaptureFixture) -> None:
    engine.failure = SearchUnavailable("no index was built yet")
    for response in (post({"text": "x"}), get("match/", {"q": "x"})):
        body = check_problem(response, 503, "search_unavailable")
        assert "no index was built yet" in body["detail"]
        assert response["retry-after"] == "5"
    told = [entry.getMessage() for entry in caplog.records if entry.name == "kb.api.problems"]
    assert told == [f"{verb} /api/v1/match/ answered 503: no index was built yet" for verb in ("POST", "GET")]


def test_scripts_of_other_sites_may_post() -> None:
    asked = {
        "origin": "https://other.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    response = Client().options("/api/v1/match/", headers=asked)
    assert response.status_code == 204
    assert "POST" in response["access-control-allow-methods"]
    assert "Content-Type" in response["access-control-allow-headers"]


def test_a_post_counts_against_the_rate(settings: Any, db: None) -> None:
    settings.KB_RATE_LIMIT = 1
    client = Client()
    statuses = [client.generic("POST", "/api/v1/match/", b"{}", "application/json").status_code for _ in range(2)]
    assert statuses == [400, 429]


def test_each_starter_record_is_found_by_its_own_message(get: Get, project_root: Path) -> None:
    files = sorted((project_root / "fixtures" / "datasets" / "starter" / "repos").glob("*/*.json"))
    records = [record for file in files for record in json.loads(file.read_bytes())]
    assert len(records) >= 60
    asked = [own_text(record["errorMessage"], record.get("errorClass")) for record in records]
    wrong = []
    for start in range(0, len(asked), 100):
        body = json.dumps({"texts": asked[start : start + 100], "detail": "ids"})
        found = results(Client().generic("POST", "/api/v1/match/", body, "application/json"))
        for record, result in zip(records[start : start + 100], found, strict=True):
            best = result["best"] or {"id": None}
            first = next((row["matches"][0] for row in result["exceptions"] if row["matches"]), {"alike": []})
            if record["id"] not in {best["id"], *first["alike"]}:
                wrong.append(record["errorMessage"])
    assert len(wrong) <= len(records) * 0.005, wrong


def test_an_answer_is_the_same_each_time(get: Get) -> None:
    text = {"q": "connection timeout expired", "detail": "full"}
    assert get("match/", text).body == get("match/", text).body
