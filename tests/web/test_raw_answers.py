"""Answers as the server gets them, by WSGI, without what Django's test client puts right: bodies, cookies, methods."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.urls import URLPattern, URLResolver, get_resolver

from tests.web.page_checks import ALWAYS, ASKING, FEEDS, MACHINES, SEED, WITH_DATA

SOAK = os.environ.get("KB_SOAK") == "1"
Raw = Callable[..., tuple[int, dict[str, str], bytes]]
REDIRECTS = ("/errors/", "/errors/acme/", "/errors/ACME/rocket/first-stage/", "/acme/rocket/", "/favicon.ico")
FORMS = (f"{SEED}.json", f"{SEED}.md", "/releases/4/rejections.ndjson", "/docs/api/", "/api/v1/", "/api/v1/errors/")
READ = (*ALWAYS, *WITH_DATA, *MACHINES, *FEEDS, *REDIRECTS, *FORMS)
FAILURES = (
    "/nothing", "/nothing/at/all/here/", "/errors/acme/unknown/", "/errors/acme/rocket/unknown/", "/e/unknown",
    "/families/unknown/", "/sitemaps/records-0000000000000001.xml", "/static/nothing.css", "/static/", "/about",
    "/search/?q=%00", "/search/?cursor=x", "/api/", "/api/v1/nothing", "/api/v1/errors/0123456789abcdef/",
    "/api/v1/errors/?limit=x", "/admin/", "/admin/login/", "/admin/nothing/", "/healthz", "/readyz",
    f"/search/?{'a&' * 300}",
)  # fmt: skip
COOKIES = (
    "sessionid=malformed!", "sessionid=" + "a" * 32, "csrftoken=short", "csrftoken=" + "a" * 32, "messages=x:y",
    "sessionid=a; csrftoken=b; messages=c; other=d", "=", ";;;",
)  # fmt: skip


@pytest.fixture
def raw(catalog: Path, db: None, settings: Any) -> Iterator[Raw]:
    """``raw(method, path, **environ)``: status, headers by lower-case name, and the body as it was sent."""
    from kb.wsgi import application

    def call(method: str, path: str, **environ: str) -> tuple[int, dict[str, str], bytes]:
        path, _, query = path.partition("?")
        made = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "HTTP_HOST": "localhost", **environ}
        made.setdefault("HTTP_ACCEPT", "text/html")
        setup_testing_defaults(made)
        sent: list[Any] = []
        answer = application(made, lambda status, headers: sent.extend((status, headers)))
        body = b"".join(answer)
        answer.close()
        return int(sent[0][:3]), {name.lower(): value for name, value in sent[1]}, body

    settings.KB_INDEX_DIR = catalog
    settings.ALLOWED_HOSTS = ["localhost"]
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)  # the test's transaction is on this connection
    yield call
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.parametrize("path", [*READ, *ASKING, *FAILURES])
def test_no_answer_to_head_has_a_body(raw: Raw, path: str) -> None:
    status, headers, body = raw("HEAD", path)
    asked, told, whole = raw("GET", path)
    assert body == b""
    assert status == asked
    assert headers.get("content-type") == told.get("content-type")
    if "content-length" in headers and path not in {"/status/", "/admin/login/"}:
        assert int(headers["content-length"]) == len(whole)


def test_a_failure_of_ours_has_no_body_after_head_either(raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise RuntimeError("broken")

    for place in ("kb.web.pages.render_to_string", "kb.web.middleware.refusal_of", "kb.web.middleware.readiness"):
        with monkeypatch.context() as patched:
            patched.setattr(place, fail)
            path = "/readyz" if place.endswith("readiness") else "/about/"
            assert raw("HEAD", path)[::2] == (500, b"")
            assert raw("GET", path)[2] != b""


@pytest.mark.parametrize("host", ["evil.example.com", "localhost\n", "a" * 300, "[::1", ""])
@pytest.mark.parametrize("path", ["/about/", "/nothing", "/api/v1/"])
def test_a_foreign_host_is_refused_without_a_body_after_head(raw: Raw, host: str, path: str) -> None:
    assert raw("HEAD", path, HTTP_HOST=host)[::2] == (400, b"")


@pytest.mark.parametrize("path", [path for path in READ if not path.startswith("/api/")])
def test_what_is_for_reading_says_so_to_other_methods(raw: Raw, path: str) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
        status, headers, _ = raw(method, path)
        assert (method, status, headers["allow"]) == (method, 405, "GET, HEAD")
        assert "set-cookie" not in headers


def _public(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield from () if str(pattern.pattern).startswith("admin/") else (pattern,)
        elif pattern.app_name != "admin":
            yield from _public(pattern.url_patterns)


def test_no_public_view_asks_for_a_token() -> None:
    patterns = list(_public(get_resolver("kb.urls").url_patterns))
    assert len(patterns) > 40
    assert [pattern for pattern in patterns if not getattr(pattern.callback, "csrf_exempt", False)] == []


@pytest.mark.no_db_matrix  # cookies are met before any view is
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_no_public_answer_knows_of_cookies(raw: Raw, method: str) -> None:
    varied = {"/status/", "/readyz"}  # tell the time
    public = [path for path in (*READ, *ASKING, *FAILURES, "/admin") if not path.startswith("/admin/")]
    for place, path in enumerate(public):
        plain = raw(method, path)
        # Each address gets three of the cookies, and each cookie comes to three of eight; all of them in a soak.
        for cookie in COOKIES if SOAK else [COOKIES[(place + step) % len(COOKIES)] for step in range(3)]:
            status, headers, body = raw(method, path, HTTP_COOKIE=cookie)
            assert "set-cookie" not in headers, (path, cookie)
            assert "cookie" not in headers.get("vary", "").lower(), (path, cookie)
            told = (status, path in varied or body)
            assert told == (plain[0], path in varied or plain[2]), (path, cookie)


@pytest.mark.parametrize("path", ["/admin/", "/admin/catalog/record/"])
def test_staff_have_sessions_and_need_a_token(raw: Raw, path: str) -> None:
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(HTTP_HOST="localhost")
    client.force_login(get_user_model().objects.create_superuser("staff", password="a password"))
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    assert raw("GET", path)[0] == 302
    assert raw("GET", path, HTTP_COOKIE=cookie)[0] == 200
    assert raw("POST", path, HTTP_COOKIE=cookie)[0] == 403
    assert "set-cookie" in raw("GET", "/admin/login/", HTTP_COOKIE="sessionid=malformed!")[1]


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/about/", "evil.example.com"),
        ("/nothing", "evil.example.com"),
        ("/api/v1/", "evil.example.com"),
        ("/admin/", "evil.example.com"),
        ("/about/", "two\nlines"),
        (f"/search/?{'a&' * 300}", "localhost"),
    ],
)
def test_a_refused_request_is_logged_in_one_line(
    raw: Raw, path: str, host: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the handlers of the settings: what the operator reads."""
    import io

    stream = io.StringIO()
    handlers = {*logging.getLogger().handlers, *logging.getLogger("django.security").handlers}
    for handler in handlers:
        if type(handler) is logging.StreamHandler:
            monkeypatch.setattr(handler, "stream", stream)
    for method in ("GET", "HEAD", "POST"):
        raw(method, path, HTTP_HOST=host)
    lines = stream.getvalue().splitlines()
    assert "Traceback" not in stream.getvalue()
    assert all("django.security" in line for line in lines)
    assert len(lines) == (2 if host == "localhost" else 3)  # too many parameters matter only to those who read them
