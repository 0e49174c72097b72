"""What is sent to matching and is wrong: told at once and in full, never shown again, never logged."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.search.errors import SearchUnavailable
from tests.api.explanations import FakeEngine
from tests.api.test_errors_have_one_shape import check_problem
from tests.api.test_match import engine, post, results

__all__ = ["engine", "post"]

Get = Callable[..., Any]
Post = Callable[..., Any]
LIMIT = 256 * 1024
TOKEN = "Zq7xUniqueTokenOfTheText"


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({}, [("text", "missing")]),
        ({"text": "x", "texts": ["x"]}, [("texts", "invalid")]),
        ({"txt": "x"}, [("txt", "unknown"), ("text", "missing")]),
        ({"text": None}, [("text", "invalid")]),
        ({"text": 5}, [("text", "invalid")]),
        ({"text": ["x"]}, [("text", "invalid")]),
        ({"texts": "x"}, [("texts", "invalid")]),
        ({"texts": []}, [("texts", "empty")]),
        ({"texts": ["x"] * 101}, [("texts", "invalid")]),
        ({"texts": ["x", 1]}, [("texts[1]", "invalid")]),
        ({"text": "x", "limit": "5"}, [("limit", "invalid")]),
        ({"text": "x", "limit": True}, [("limit", "invalid")]),
        ({"text": "x", "limit": 5.5}, [("limit", "invalid")]),
        ({"text": "x", "limit": 0}, [("limit", "invalid")]),
        ({"text": "x", "limit": 21}, [("limit", "invalid")]),
        ({"text": "x", "limit": int("9" * 4_000)}, [("limit", "invalid")]),
        ({"text": "x", "limit": None}, [("limit", "invalid")]),
        ({"text": "x", "detail": "all"}, [("detail", "invalid")]),
        ({"text": "x", "detail": 1}, [("detail", "invalid")]),
        ({"text": "x", "context": []}, [("context", "invalid")]),
        ({"text": "x", "context": {"package": ["x"]}}, [("context.package", "unknown")]),
        ({"text": "x", "context": {"packages": "x"}}, [("context.packages", "invalid")]),
        ({"text": "x", "context": {"packages": [""]}}, [("context.packages[0]", "empty")]),
        ({"text": "x", "context": {"packages": ["x", 1]}}, [("context.packages[1]", "invalid")]),
        ({"text": "x", "context": {"packages": ["x" * 201]}}, [("context.packages[0]", "invalid")]),
        ({"text": "x", "context": {"packages": ["x"] * 101}}, [("context.packages", "invalid")]),
        ({"text": "x", "context": {"packages": ["\ud800"]}}, [("context.packages[0]", "invalid")]),
        ({"text": "x", "context": {"languages": ["a\0"]}}, [("context.languages[0]", "invalid")]),
        ({"text": "x", "context": {"repositories": ["x"]}}, [("context.repositories[0]", "invalid")]),
        ({"text": 1, "limit": 0, "detail": "x"}, [("text", "invalid"), ("limit", "invalid"), ("detail", "invalid")]),
    ],
)
def test_every_fault_of_a_body_is_told(body: Any, faults: list[tuple[str, str]], post: Post) -> None:
    told = check_problem(post(body), 400, "invalid_parameter")
    assert [(row["parameter"], row["code"]) for row in told["errors"]] == faults


def test_the_nearest_name_and_value_are_told(post: Post) -> None:
    told = check_problem(post({"txt": "x", "detail": "summry", "context": {"packges": []}}), 400, "invalid_parameter")
    assert [row.get("nearest") for row in told["errors"]] == ["text", "summary", "packages", None]
    assert told["errors"][0]["valid"] == ["context", "detail", "limit", "text", "texts"]
    assert told["errors"][2]["valid"] == ["languages", "packages", "repositories"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"  \n", "invalid_json"),
        (b"x", "invalid_json"),
        (b"[]", "invalid_json"),
        (b'"text"', "invalid_json"),
        (b"null", "invalid_json"),
        (b'{"text": "x"', "invalid_json"),
        (b'{"text": "x"} {}', "invalid_json"),
        (b'{"text": "x", "limit": NaN}', "invalid_json"),
        (b'{"text": "x", "limit": -Infinity}', "invalid_json"),
        (b"{'text': 'x'}", "invalid_json"),
        (b'{"text": "a\nb"}', "invalid_json"),
        (b'{"text": "\xff"}', "invalid_character"),
        ('{"text": "x"}'.encode("utf-16"), "invalid_character"),
        (b"[" * 500_000, "invalid_json"),
        (b'{"text":' * 200_000, "invalid_json"),
        (b'{"text": "x", "limit": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "invalid_json"),
    ],
)
def test_a_body_that_is_no_object(body: bytes, code: str, post: Post) -> None:
    check_problem(post(body), 400, code)


def test_a_member_given_twice(post: Post) -> None:
    told = check_problem(post(b'{"text": "x", "text": "y", "context": {"packages": [], "packages": []}}'), 400,
                         "invalid_parameter")  # fmt: skip
    assert [(row["parameter"], row["code"]) for row in told["errors"]] == [
        ("text", "repeated"),
        ("context.packages", "repeated"),
    ]


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
     "application/json; charset=latin-1", "application/xml"],
)  # fmt: skip
def test_a_body_of_another_type(content_type: str, post: Post) -> None:
    body = check_problem(post(b'{"text": "x"}', content_type), 415, "unsupported_media_type")
    assert "application/json" in body["detail"]


def test_parameters_of_a_post(post: Post) -> None:
    told = check_problem(post({"text": "x"}, query="?limit=3"), 400, "invalid_parameter")
    assert [(row["parameter"], row["code"]) for row in told["errors"]] == [("limit", "unknown")]
    check_problem(post({"text": "x"}, accept="image/png"), 406, "not_acceptable")


def test_limits_of_size(post: Post, get: Get) -> None:
    for text in ("x" * LIMIT, "é" * (LIMIT // 2), "\0" * LIMIT):
        assert results(post({"text": text}))[0]["status"] == "matched"
    for text in ("x" * (LIMIT + 1), "é" * (LIMIT // 2 + 1)):
        check_problem(post({"text": text}), 413, "text_too_large")
    started = time.process_time()
    for size in (2 * 1024 * 1024 + 1, 10_000_000, 40_000_000):
        body = check_problem(post(b" " * size), 413, "body_too_large")
        assert "2,048 KiB" in body["detail"]
    assert time.process_time() - started < 2
    body = check_problem(get("match/", {"q": "é" * 1_000}), 414, "query_too_long")
    assert "POST" in body["detail"]
    assert "POST" in check_problem(get("match/", {"q": "", "packages": "x" * 6_000}), 414, "query_too_long")["detail"]


def test_many_unknown_members_cost_little(post: Post) -> None:
    started = time.process_time()
    told = check_problem(post({f"member{number}": 1 for number in range(100_000)}), 400, "invalid_parameter")
    assert len(told["errors"]) == 100
    assert time.process_time() - started < 2


def test_what_terminals_paste_is_read(post: Post, engine: FakeEngine) -> None:
    results(post(b'{"texts": ["a\\u0000b", "c\\ud800d", "\\ud83d\\ude00"]}'))
    assert engine.texts == ["a\ufffdb", "c\ufffdd", "\U0001f600"]
    results(post(b'\xef\xbb\xbf{"text": "x"}'))


def test_an_address_without_a_text(get: Get, engine: FakeEngine) -> None:
    told = check_problem(get("match/"), 400, "invalid_parameter")
    assert [(row["parameter"], row["code"]) for row in told["errors"]] == [("q", "missing")]
    check_problem(get("match/?q=%00"), 400, "invalid_character")


@pytest.mark.parametrize(
    "failure",
    [
        None,
        RuntimeError(f"cannot read {TOKEN}"),
        SearchUnavailable("no index was built yet"),
        OperationalError("the database is away"),
    ],
)
def test_no_log_tells_a_text(
    failure: Exception | None, post: Post, get: Get, engine: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="django.request")
    if failure is not None:
        failure.__cause__ = ValueError(TOKEN)
    engine.failure = failure
    answers = [
        post({"text": TOKEN}),
        post({"texts": [f"{TOKEN}: x", TOKEN]}),
        get("match/", {"q": TOKEN}),
        post({"text": TOKEN * 20_000}),
        post({"text": TOKEN, "limit": TOKEN, "detail": TOKEN, "context": {"packages": [TOKEN, 1]}}),
        post(f'{{"text": "{TOKEN}'.encode()),
        post(TOKEN.encode() * 200_000),
        post(TOKEN.encode(), "text/plain"),
        get("match/", {"q": TOKEN, "limit": "x"}),
    ]
    assert TOKEN not in caplog.text
    assert all(TOKEN not in str(vars(record).get("args")) for record in caplog.records)
    assert all(TOKEN not in answer.content.decode() for answer in answers[3:])
    if isinstance(failure, RuntimeError):
        assert [answer.status_code for answer in answers[:3]] == [500] * 3
        assert "POST /api/v1/match/ failed: RuntimeError" in caplog.text
        assert "explain_many" in caplog.text


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["text", "texts", "limit", "detail", "context", "packages", "é"]), inner)
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=ANY_JSON)
def test_any_json_is_answered(body: Any, post: Post) -> None:
    response = post(json.dumps(body).encode())
    assert response.status_code in {200, 400}, response.content
    if response.status_code == 200:
        results(response)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(body=st.binary(max_size=60))
def test_any_bytes_are_answered(body: bytes, post: Post) -> None:
    assert post(body).status_code == 400
