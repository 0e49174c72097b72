"""The explain page: one text in, the report out; nothing kept, nothing logged, nothing that a text could break."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import quote, quote_plus, urlencode

import pytest
from django.db import OperationalError
from django.test import Client

from kb.catalog import queries
from kb.matching.answers import Capture, Evidence, Explanation, FaultAnswer, Mark, Match, SecretCount
from kb.matching.shapes import Fault, Frame
from kb.search.errors import SearchUnavailable
from kb.web.error_texts import looks_like_an_error
from tests.web.conftest import ELSEWHERE, HEIR, LIVING, RENAMED
from tests.web.page_checks import assert_a_page, assert_anonymous

Get = Callable[..., Any]
Post = Callable[..., Any]
SECRET = "hunter2-not-for-logs"


@pytest.fixture
def post(get: Get) -> Post:
    """``post(text)``; the body of the answer, decoded, is in ``.text_body``."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)

    def send(text: str | None = None, *, body: bytes | None = None, **headers: str) -> Any:
        fields = {} if text is None else {"text": text}
        sent = urlencode(fields).encode() if body is None else body
        kind = headers.pop("kind", "application/x-www-form-urlencoded")
        response: Any = client.post(
            "/explain/", data=sent, content_type=kind, headers={"accept": "text/html", **headers}
        )
        response.text_body = response.content.decode()
        return response

    return send


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An engine that finds two records of the catalog, whatever it is asked; the texts that it was asked."""
    texts: list[str] = []

    def explain(text: str) -> Explanation:
        texts.append(text)
        return _explained(text)

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)
    return texts


def _explained(text: str, faults: int = 1) -> Explanation:
    rows = {row.id: row for row in queries.record_rows([LIVING["id"], ELSEWHERE["id"]])}
    best = Match(
        id=LIVING["id"],
        row=rows[LIVING["id"]],
        score=0.9,
        confidence="strong",
        evidence=(Evidence(kind="class", text="class `FuelError`", weight=0.4),),
        captures=(Capture(placeholder="{tank}", name="tank", value="<i>left</i>"),),
        alike=(ELSEWHERE["id"], HEIR["id"]),
        alike_count=2,
    )
    near = dataclasses.replace(best, id=ELSEWHERE["id"], row=rows[ELSEWHERE["id"]], confidence="weak", differs="second")
    fault = Fault(
        cls="FuelError",
        message="first-stage has no fuel in <i>left</i>",
        language="Python",
        kind="raised",
        first=0,
        last=0,
        frames=(Frame(path="/srv/src/engine.py", line=12, function="burn", at=0),),
    )
    answers = [FaultAnswer(fault=fault, role="outermost", matches=(best, near))] * faults
    cause = dataclasses.replace(fault, message="why", parent=0, relation="cause")
    return Explanation(
        revision=4,
        version="",
        status="matched",
        text=text,
        faults=(*answers, FaultAnswer(fault=cause, role="root", nearest=(near,))),
        best=best,
        best_fault=0,
        masked=(SecretCount(kind="password", count=1),),
        marks=(Mark(start=0, end=3, kind="message"),),
    )


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


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_shows_all_there_is(post: Post, asked: list[str]) -> None:
    response = post("first-stage\r\nhas <b>no</b> fuel")
    text = response.text_body
    assert asked == ["first-stage\nhas <b>no</b> fuel"]
    assert_a_page(text)
    assert "2 errors in this text" in text
    assert 'first-stage has no fuel in <span class="filled">&lt;i&gt;left&lt;/i&gt;</span>' in text
    for part in (
        "confidence-strong",
        "Why this one:",
        "<code>FuelError</code>",
        "src/engine.py:12",
        "Do this",
        "Fill the tank.",
    ):
        assert part in text, part
    for part in (
        "Catch it",
        "Also close",
        "differs in “second”",
        "2 other records;",
        "caused by",
        "root cause",
        "outermost",
    ):
        assert part in text, part
    assert "Nothing documented fits well. Nearest:" in text
    assert '<mark id="mark-1" class="mark-message"><a href="#error-1">fir</a></mark>st-stage' in text
    assert '<pre id="pasted"' in text
    assert 'href="#report-markdown" data-copy="#report-markdown"' in text
    assert "1 secret hidden: password" in text
    assert "<i>left" not in text
    assert "<b>no" not in text
    assert "Here <code>tank</code>" in text


def test_a_frame_that_was_a_reason_is_named(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def explain(text: str) -> Explanation:
        made = _explained(text)
        evidence = (Evidence(kind="frame", text="raised in `src/engine.py` as in frame 1", weight=0.4),)
        best = dataclasses.replace(made.faults[0].matches[0], evidence=evidence)
        return dataclasses.replace(made, faults=(dataclasses.replace(made.faults[0], matches=(best,)),))

    monkeypatch.setattr("kb.web.views.explaining.explain", explain)
    assert re.search(r'<a class="card-frame" href="#pasted">your frame 1</a>', post("x").text_body)


@pytest.mark.parametrize(("faults", "is_folded"), [(1, False), (7, False), (9, True)])
def test_the_errors_are_listed_beside_the_report(
    post: Post, monkeypatch: pytest.MonkeyPatch, faults: int, is_folded: bool
) -> None:
    made = _explained("x", faults)
    monkeypatch.setattr("kb.web.views.explaining.explain", lambda _text: made)
    text = post("x").text_body
    tree = re.search(r'<nav class="tree.*?</nav>', text, re.DOTALL)
    assert tree
    assert sorted(re.findall(r'href="#(error-\d+)"', tree[0])) == sorted(re.findall(r'<section id="(error-\d+)"', text))
    assert ("<details>" in tree[0]) is is_folded
    assert "caused by" in tree[0]
    assert_a_page(text)


def test_of_many_records_the_first_are_open(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = queries.record_rows([record["id"] for record in (LIVING, ELSEWHERE, HEIR, RENAMED)])
    made = _explained("x")
    best = made.faults[0].matches[0]
    faults = tuple(
        dataclasses.replace(made.faults[0], matches=(dataclasses.replace(best, id=row.id, row=row, alike=()),))
        for row in rows
    )
    monkeypatch.setattr(
        "kb.web.views.explaining.explain", lambda _text: dataclasses.replace(made, faults=faults, best=best)
    )
    text = post("x").text_body
    assert text.count("<h3>Do this</h3>") == 4
    assert text.count("<summary>What it means, and what to do</summary>") == 1
    assert_a_page(text)


@pytest.mark.parametrize(
    ("sent", "told"),
    [("1", "1 secret hidden before it was sent"), ("12", "12 secrets hidden before they were sent"), ("0", ""),
     ("-3", ""), ("99999", ""), ("<b>", ""), ("²", "")],
)  # fmt: skip
def test_what_the_browser_hid_is_told(post: Post, asked: list[str], sent: str, told: str) -> None:
    text = post(body=urlencode({"text": "x", "hidden": sent}).encode()).text_body
    assert told in text
    assert ("before" in re.sub("<template.*|Secrets are hidden in your browser, before", "", text)) is bool(told)


def test_a_short_text_has_a_link_that_answers_the_same(get: Get, post: Post, asked: list[str]) -> None:
    shown = post("a message: 1+1 & é").text_body
    link = re.search(r'href="(/explain/\?q=[^"]+)"[^>]*>Link to this', shown)
    assert link
    assert get(link[1]).text_body == shown
    assert asked == ["a message: 1+1 & é"] * 2
    assert "Link to this" not in post("x" * 2_001).text_body


def test_nothing_is_kept(get: Get, post: Post, asked: list[str]) -> None:
    for response in (post("x"), get("/explain/?q=x"), get("/explain/"), post()):
        assert response["Cache-Control"] == "no-store"
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


@pytest.mark.parametrize("faults", [1, 30])
def test_queries_are_the_same_whatever_is_found(
    post: Post, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any, faults: int
) -> None:
    made = _explained("x", faults)
    monkeypatch.setattr("kb.web.views.explaining.explain", lambda _text: made)
    with django_assert_num_queries(3):  # the state, the records shown whole, those alike
        assert post("x").status_code == 200


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
