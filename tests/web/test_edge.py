"""The edge: what no address may hold, and what is answered when a part of the site is away."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from hypothesis import given
from hypothesis import strategies as st

from kb.search.errors import SearchUnavailable
from kb.web.edge import LONGEST_QUERY, LONGEST_WORDS, refusal_of
from tests.web.page_checks import assert_a_page, assert_anonymous

Get = Callable[..., Any]
BROKEN = ("%00", "a%00b", "%ff", "%C3%28", "%ED%A0%80", "%F5%80%80%80", "%80")


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("place", ["/{}", "/e/{}", "/errors/a/{}/", "/search/?q={}", "/search/?{}=1", "/about/?x={}"])
def test_an_address_that_holds_no_text_is_refused(get: Get, place: str, broken: str) -> None:
    response = get(place.format(broken))
    assert response.status_code == 400
    assert_a_page(response.text_body)
    assert_anonymous(response)
    assert "ETag" not in response


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("place", ["/api/v1/errors/{}/", "/api/v1/search/?q={}"])
def test_below_the_api_it_is_a_problem_document(get: Get, place: str, broken: str) -> None:
    response = get(place.format(broken))
    assert response.status_code == 400
    assert response["Content-Type"].startswith("application/problem+json")
    assert json.loads(response.text_body)["status"] == 400


@pytest.mark.parametrize(
    ("query", "status"),
    [
        (f"q={'a' * LONGEST_WORDS}", 200),
        (f"q={'a' * (LONGEST_WORDS + 1)}", 414),
        (f"q={'%20' * 700}", 414),
        (f"q=a&x={'b' * LONGEST_QUERY}", 414),
        (f"x={'b' * LONGEST_WORDS}", 200),
    ],
)
def test_long_queries_are_refused_with_the_limit(get: Get, query: str, status: int) -> None:
    response = get(f"/search/?{query}")
    assert response.status_code == status
    if status == 414:
        assert "POST" in response.text_body
        assert_a_page(response.text_body)


@pytest.mark.parametrize("query", ["q=100%", "q=%zz", "q=50%+off", "q=%", "q=%E4%B8%AD", "q=a;b"])
def test_a_percent_sign_may_stand_for_itself(get: Get, query: str) -> None:
    assert get(f"/search/?{query}").status_code == 200


@given(st.text(max_size=60), st.binary(max_size=60))
def test_what_is_refused_cannot_be_read_and_nothing_else_is(path: str, query: bytes) -> None:
    refused = refusal_of(path, query.replace(b"%", b""))
    try:
        readable = b"\x00" not in query
        query.replace(b"%", b"").decode()
    except UnicodeDecodeError:
        readable = False
    broken_path = "\x00" in path or any(part[:1] in {*"89ABCDEF"} for part in path.split("%")[1:])
    if readable and not broken_path:
        assert refused is None
    elif not readable or "\x00" in path:
        assert refused is not None
        assert refused.status == 400


@pytest.mark.parametrize(
    "words",
    [
        "'; DROP TABLE",
        "\u202e",
        "a" * 500,
        '"' * 50,
        "repo:",
        "-" * 80,
        "(",
        "\\",
        "𝔘𝔫𝔦",
        "{{7*7}}",
        "severity:x code:",
        "*",
    ],
)
def test_no_search_fails(get: Get, words: str) -> None:
    from urllib.parse import quote

    response = get(f"/search/?q={quote(words)}&severity={quote(words)}&cursor=")
    assert response.status_code == 200
    assert_a_page(response.text_body)


@pytest.mark.parametrize(
    "path", ["/search/", "/repositories/", "/families/", "/errors/acme/rocket/", "/releases/", "/releases/4/"]
)
@pytest.mark.parametrize("cursor", ["nonsense", "WyJhIl0", "=", "x" * 3_000])
def test_a_foreign_cursor_is_refused_with_words(get: Get, path: str, cursor: str) -> None:
    response = get(f"{path}?cursor={cursor}")
    assert response.status_code == 400
    assert "first page" in response.text_body
    assert_a_page(response.text_body)


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
@pytest.mark.parametrize("path", ["/", "/search/?q=a", "/errors/acme/rocket/first-stage/", "/releases/"])
def test_a_database_that_is_away_is_a_503_without_a_traceback(
    get: Get, path: str, error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> None:
        raise error

    monkeypatch.setattr("kb.catalog.snapshots._begin", away)
    response = get(path)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert response["Cache-Control"] == "no-store"
    assert_a_page(response.text_body)
    assert_anonymous(response)
    assert [entry.exc_info for entry in caplog.records if entry.exc_info] == []


def test_a_search_without_an_index_is_a_503_with_its_reason(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_arguments: Any, **_options: Any) -> None:
        raise SearchUnavailable("The index is damaged.")

    monkeypatch.setattr("kb.web.views.searching.search_index", search)
    response = get("/search/?q=fuel")
    assert response.status_code == 503
    assert "The index is damaged." in response.text_body
    assert_a_page(response.text_body)
    assert get("/errors/acme/rocket/").status_code == 200


def test_a_fault_of_ours_is_a_500_that_needs_nothing(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise RuntimeError("a secret in the message")

    monkeypatch.setattr("kb.web.pages.render_to_string", fail)
    response = get("/about/")
    assert response.status_code == 500
    assert "Something failed here" in response.text_body
    assert "secret" not in response.text_body
    assert_a_page(response.text_body)
    assert_anonymous(response)


def test_a_foreign_host_is_refused(get: Get) -> None:
    response = get("/about/", host="evil.example.com")
    assert response.status_code == 400
    assert_a_page(response.text_body)


def test_what_is_not_there_is_a_404_page(get: Get) -> None:
    response = get("/nothing/at/all/here")
    assert response.status_code == 404
    assert response["Cache-Control"] == "no-store"
    assert_a_page(response.text_body)
    assert_anonymous(response)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_answer_to_head_has_the_length_and_no_body(method: str) -> None:
    from django.http import HttpResponse, StreamingHttpResponse
    from django.test import RequestFactory

    from kb.web.middleware import HeadMiddleware

    request = RequestFactory().generic(method, "/about/")
    whole = HeadMiddleware(lambda _request: HttpResponse("four"))(request)
    assert isinstance(whole, HttpResponse)
    assert whole.content == (b"" if method == "HEAD" else b"four")
    assert method == "GET" or whole["Content-Length"] == "4"
    stream = HeadMiddleware(lambda _request: StreamingHttpResponse(iter(["a", "b"])))(request)
    assert isinstance(stream, StreamingHttpResponse)
    assert b"".join(stream) == (b"" if method == "HEAD" else b"ab")
