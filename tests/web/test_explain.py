"""The explain page: one text in, the report out; nothing kept, nothing logged, nothing that a text could break."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from django.db import OperationalError
from django.test import Client

from kb.matching.answers import Explanation
from kb.search.errors import SearchUnavailable
from kb.web.error_texts import looks_like_an_error
from tests.web.page_checks import assert_a_page, assert_anonymous

Get = Callable[..., Any]
Post = Callable[..., Any]
SECRET = "hunter2-not-for-logs"


# --- the form ---------------------------------------------------------------------------------------------------------


def test_the_form_stands_alone_and_on_the_front_page(get: Get) -> None:
    for path in ("/explain/", "/"):
        text = get(path).text_body
        assert_a_page(text)
        assert '<form class="paste" action="/explain/" method="post"' in text
        assert "csrf" not in text
        assert "Not stored, not logged." in text
    assert 'class="site-search"' in get("/").text_body
    assert '<a href="/explain/" aria-current="true">Explain</a>' in get("/explain/").text_body


def test_no_browser_cuts_a_text_off(get: Get) -> None:
    box = re.search(r"<textarea[^>]*>", get("/explain/").text)
    assert box
    assert "maxlength" not in box[0]  # a browser drops what is beyond without a word: the end, where the error stands


def test_an_empty_box_is_said(get: Get, post: Post, asked: list[str]) -> None:
    for response in (post(" \r\n "), post(), post("")):
        assert response.status_code == 200
        assert "The box was empty" in response.text_body
        assert_a_page(response.text_body)
    assert "The box was empty" not in get("/explain/?q=").text_body
    assert asked == []


# --- privacy ----------------------------------------------------------------------------------------------------------


def test_nothing_is_kept_but_what_a_reader_goes_back_to(get: Get, post: Post, asked: list[str]) -> None:
    for response, kept in (
        (post("x"), "private, no-cache"),
        (get("/explain/?q=x"), "no-store"),
        (get("/explain/"), "no-store"),
        (post("x" * 300_000), "no-store"),
    ):
        assert response["Cache-Control"] == kept
        assert "ETag" not in response
        assert response["Referrer-Policy"] == "same-origin"
        assert "'unsafe-inline'" not in response["Content-Security-Policy"]
        assert_anonymous(response)
    assert '<meta name="robots" content="noindex">' in post("x").text_body
    assert post("x", origin="https://elsewhere.example", cookie="sessionid=1").status_code == 200


def test_a_head_request_has_no_body_and_other_methods_are_refused(get: Get, asked: list[str]) -> None:
    assert get("/explain/?q=x", method="head").content == b""
    assert get("/explain/", method="put").status_code == 405
    assert get("/explain/", method="put")["Allow"] == "GET, HEAD, POST"


# --- bounds and hostile input -----------------------------------------------------------------------------------------


def test_a_text_may_have_256_kib(post: Post, asked: list[str]) -> None:
    longest = "é" * (128 * 1024)
    assert post(longest).status_code == 200
    assert post("\r\n".join(["x" * 127] * 2_048)).status_code == 200  # forms send two characters for a line break
    response = post(longest + "x")
    assert response.status_code == 413
    assert "262,145 bytes; at most 262,144" in response.text_body
    assert_a_page(response.text_body)
    assert len(asked) == 2


def test_a_body_beyond_all_bounds_is_refused_with_words(post: Post, asked: list[str]) -> None:
    response = post(body=b"text=" + b"x" * 10_000_000)
    assert response.status_code == 413
    assert "faultbook scan" in response.text_body
    assert response["Cache-Control"] == "no-store"
    assert asked == []


def test_a_file_in_a_form_counts_as_well(post: Post, asked: list[str]) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    response = post(body=head + b"x" * 3_000_000 + b"\r\n--x--\r\n", kind="multipart/form-data; boundary=x")
    assert response.status_code == 413
    assert asked == []


def test_a_long_link_names_post(get: Get, asked: list[str]) -> None:
    response = get(f"/explain/?q={'x' * 2_001}")
    assert response.status_code == 414
    assert "POST: paste them at /explain/" in response.text_body
    assert get(f"/explain/?q={'x' * 2_000}").status_code == 200


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (b"text=a%00b", "a�b"),
        (b"text=a%ED%A0%80b", "a���b"),
        (b"text=a%FFb", "a�b"),
        (b"text=a\xffb", "aÿb"),
        (b"text=%", "%"),
        (b"text=one&text=two", "two"),
        (b"other=1&text=x", "x"),
    ],
)
def test_what_is_no_text_is_read_as_a_mark(post: Post, asked: list[str], body: bytes, read: str) -> None:
    response = post(body=body)
    assert response.status_code == 200
    assert asked == [read]
    assert ("1 NUL character in the text was read as" in response.text_body) == (b"%00" in body)


@pytest.mark.parametrize("query", ["q=%00", "q=%ff", "q=a%ED%A0%80"])
def test_a_broken_address_is_refused(get: Get, asked: list[str], query: str) -> None:
    assert get(f"/explain/?{query}").status_code == 400
    assert asked == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nboo\r\n--x--\r\n',
        ),
        ("multipart/form-data", b"nonsense"),
        ("multipart/form-data; boundary=x", b"--x\r\nnonsense"),
        ("application/json", b'{"text": "x"}'),
        ("application/x-www-form-urlencoded; charset=utf-16", b"text=x"),
        ("application/x-www-form-urlencoded", b"&".join(b"a=1" for _ in range(500))),
        ("", b"text=x"),
    ],
)
def test_no_form_fails(post: Post, asked: list[str], kind: str, body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    response = post(body=body, kind=kind)
    assert response.status_code in {200, 400}
    assert_a_page(response.text_body)
    assert not [entry for entry in caplog.records if entry.exc_info]


class _Damaged(BytesIO):
    """Pieces that a server cannot make out."""

    def read(self, _size: int | None = -1) -> bytes:
        raise ValueError(SECRET)


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        (BytesIO(b"text=in+pieces"), 200, "<h1"),
        (BytesIO(b"text=" + b"a" * 300_000), 413, "300,000 bytes"),
        (BytesIO(b"text=" + b"a" * 3_000_000), 413, "3,000,005 bytes"),
        (_Damaged(), 400, "broke off"),
    ],
)
def test_a_body_in_pieces_is_read(get: Get, asked: list[str], sent: BytesIO, status: int, words: str) -> None:
    pieces: dict[str, Any] = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "wsgi.input": sent}
    kind = "application/x-www-form-urlencoded"
    response: Any = Client().post("/explain/", CONTENT_TYPE=kind, CONTENT_LENGTH="", **pieces)
    assert response.status_code == status
    assert words in response.content.decode()
    assert asked == (["in pieces"] if status == 200 else [])
    assert sent.read() == b"" if status != 400 else SECRET not in response.content.decode()


# --- failures ---------------------------------------------------------------------------------------------------------


def _failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def explain(_text: str) -> Explanation:
        raise error

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)


@pytest.mark.parametrize("error", [SearchUnavailable("no index"), OperationalError("gone")])
def test_a_part_that_is_away_is_a_503(post: Post, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    _failing(monkeypatch, error)
    response = post(SECRET)
    assert response.status_code == 503
    assert response["Retry-After"]
    assert_a_page(response.text_body)


@pytest.mark.parametrize(
    "error", [None, ValueError(SECRET), RecursionError(SECRET), SearchUnavailable("no index"), OperationalError("gone")]
)
def test_nothing_of_a_text_is_logged(
    get: Get,
    post: Post,
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    error: Exception | None,
) -> None:
    caplog.set_level(logging.DEBUG)
    if error is not None:
        _failing(monkeypatch, error)
    statuses = {post(SECRET).status_code, get(f"/explain/?q={SECRET}").status_code}
    assert statuses == ({200} if error is None else {500} if isinstance(error, ValueError | RecursionError) else {503})
    assert post(f"{SECRET}{'x' * 300_000}").status_code == 413
    assert get(f"/explain/?q={SECRET}{'x' * 2_000}").status_code == 414
    assert get(f"/explain/?q={SECRET}%00").status_code == 400
    formatter = logging.Formatter()
    logged = "\n".join(formatter.format(entry) for entry in caplog.records if entry.name != "django.db.backends")
    said = capfd.readouterr()
    assert SECRET not in logged + said.out + said.err
    if isinstance(error, ValueError):
        assert "ExplainFailed: ValueError" in logged


# --- the offer on the search page -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "TypeError: x is not a function",
        "requests.exceptions.ConnectionError: HTTPSConnectionPool",
        "MMError: encode metadata not ready",
        'Traceback (most recent call last): File "a.py"',
        'File "/srv/app.py", line 12, in main',
        "at Object.<anonymous> (/srv/app.js:10:5)",
        "thread 'main' panicked at src/main.rs:2:5",
        "panic: runtime error: index out of range",
        "error[E0382]: borrow of moved value",
        "[Errno 2] No such file or directory",
        "ENOENT: no such file or directory, open 'x'",
        "fatal: not a git repository",
        "Uncaught ReferenceError",
        "the words of somebody who copied a whole paragraph out of a terminal and put it into the search box",
    ],
)
def test_an_error_text_is_recognized(words: str) -> None:
    assert looks_like_an_error(words)


@pytest.mark.parametrize(
    "words",
    ["", "timeout", "connection refused", "code:E0382", "class:TypeError: x y z", "repo:axios/axios timeout",
     "TypeError", '"not a function"', "error handling in python", "note: this", "ERR_BAD_REQUEST", "status:retired x"],
)  # fmt: skip
def test_words_are_no_error_text(words: str) -> None:
    assert not looks_like_an_error(words)


def test_the_search_page_offers_the_explanation(get: Get) -> None:
    words = "FuelError: first-stage has no fuel"
    text = get(f"/search/?q={quote(words)}").text_body
    assert "This looks like an error message" in text
    assert f'href="/explain/?q={quote_plus(words)}"' in text
    assert "This looks like" not in get("/search/?q=fuel").text_body


def test_an_error_text_too_long_for_a_link_goes_by_a_form(get: Get) -> None:
    text = get("/search/?q=" + "FuelError:+x+" + "()" * 900).text_body
    assert_a_page(text)
    assert re.search(
        r'<form action="/explain/" method="post">\s*<input type="hidden" name="text" value="FuelError: x ', text
    )


# --- with the engine itself -------------------------------------------------------------------------------------------


def test_a_pasted_trace_leads_to_its_record(post: Post, django_assert_max_num_queries: Any) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/srv/site-packages/src/engine.py", line 12, in burn\n'
        "    raise FuelError(tank)\nFuelError: first-stage has no fuel in postgresql://me:hunter2@db/left\n"
    )
    with django_assert_max_num_queries(6):
        text = post(trace).text_body
    assert_a_page(text)
    assert 'href="/errors/acme/rocket/first-stage/"' in text
    assert "hunter2" not in text
    assert "secret" in text
    for kind, evidence in (("message", "the whole message fits"), ("class", "class <code>FuelError</code>")):
        mark = re.search(rf'<mark id="(mark-\d)" class="mark-{kind}">', text)
        assert mark
        assert f'<a href="#{mark[1]}">{evidence}</a>' in text
    assert re.search(r'<a class="card-frame" href="#mark-\d">your frame 1</a>', text)


def test_a_text_that_no_record_has_is_said_to_have_none(post: Post) -> None:
    text = post("Oops: the flux capacitor of the gherkin is upside down").text_body
    assert_a_page(text)
    assert "No record fits this text" in text
    assert 'href="/search/?q=' in text
    assert "paste the whole trace" in text


def test_who_pasted_a_trace_is_not_told_to_paste_it(post: Post) -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/gherkin.py", line 3, in peel\n    slice()\n'
    text = post(f"{trace}Oops: the flux capacitor of the gherkin is upside down").text_body
    assert_a_page(text)
    assert "No record fits this text" in text
    assert "paste the whole trace" not in text


def test_without_its_index_the_page_says_so(get: Get, settings: Any, tmp_path: Path) -> None:
    settings.KB_INDEX_DIR = tmp_path / "nothing"
    response = get("/explain/?q=FuelError:+no+fuel")
    assert response.status_code == 503
    assert_a_page(response.text_body)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 262_144,
        "'" * 262_144,
        "\\" * 262_144,
        "[" * 262_144,
        "\x1b[" * 131_072,
        "{" * 131_072,
        '{"a":' * 40_000,
        "\0" * 262_144,
        "at " * 87_381,
        "Error: " * 37_000,
        "\n" * 262_144,
        "E: x\n" * 52_000,
        "\u202e" * 87_000,
        '  File "x", line 1, in y\n' * 10_000,
        "</textarea></pre><script>alert(1)</script>",
        "{{ 7*7 }}{% debug %}",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_text_breaks_the_page(post: Post, text: str) -> None:
    began = perf_counter()
    response = post(text)
    assert response.status_code == 200
    assert_a_page(response.text_body)
    assert "<script>alert" not in response.text_body
    assert perf_counter() - began < 10
