"""``faultbook explain --server``: another Faultbook answers, or it is told in one line why not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from kb.cli.explain_sources import Asked, CannotExplain, Server
from kb.cli.remote_answers import Unreadable, read_answer

Answering = Callable[..., str]


def test_a_server_answers_as_the_catalog_here(live_site: str, run: Any, trace: str) -> None:
    here = run("explain", stdin=trace)
    there = run("explain", "--server", live_site + "/", stdin=trace)
    assert (there.code, there.err) == (0, "")
    assert there.out == here.out.replace("http://127.0.0.1:8000", live_site)
    markdown = run("explain", "--markdown", stdin=trace).out
    assert run("explain", "--markdown", "--server", live_site, stdin=trace).out == markdown.replace(
        "http://127.0.0.1:8000", live_site
    )
    told = run("explain", "--json", "--server", live_site, stdin=trace).out
    assert json.loads(told)["best"]["confidence"] == "exact"
    assert run("explain", "--server", live_site, stdin="all is well today").code == 3
    assert run("explain", "--server", live_site, stdin=("all is well, " * 300 + "\n") * 110 + trace).code == 0


@pytest.fixture
def answering() -> Iterator[Answering]:
    """A server that gives one answer to everything, and keeps what it was asked."""
    servers = []

    def started(body: bytes, status: int = 200, **headers: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield started
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("body", "status", "headers", "words"),
    [
        (b"<html>", 200, {}, "does not answer as a Faultbook server does"),
        (b'{"results": []}', 200, {}, "does not answer as a Faultbook server does"),
        (b'{"detail": "Too many\\u001b[2J requests."}', 429, {}, "answers 429: Too many"),
        (b"<html>", 502, {}, "answers 502: Bad Gateway"),
        (b"", 301, {"Location": "https://elsewhere.example/"}, "it has moved to https://elsewhere.example/"),
    ],
)
def test_what_a_server_says_instead_is_told(
    answering: Answering, run: Any, body: bytes, status: int, headers: dict[str, str], words: str
) -> None:
    ended = run("explain", "--server", answering(body, status, **headers), stdin="x")
    assert ended.code == 1
    assert words in ended.err
    assert ended.err.count("\n") == 1
    assert "\x1b" not in ended.err


def test_a_server_that_is_not_there_is_told(run: Any) -> None:
    ended = run("explain", "--server", "http://127.0.0.1:1", stdin="x")
    assert ended.code == 1
    assert "http://127.0.0.1:1 cannot be asked" in ended.err


def test_a_server_that_says_nothing_is_left() -> None:
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)  # listens, never answers
    try:
        with pytest.raises(CannotExplain, match=r"no answer in 0\.1 seconds|timed out"):
            Server(f"http://127.0.0.1:{server.server_port}", timeout=0.1).explain("x", Asked())
    finally:
        server.server_close()


ANSWER: dict[str, Any] = {
    "datasetVersion": "2026-11-30T00:00:00.000Z",
    "revision": 3,
    "results": [
        {
            "status": "matched",
            "best": {"id": "../../x\x1b", "confidence": "exact"},
            "exceptions": [
                {
                    "class": "E\x1b[2J",
                    "message": "m\u202e",
                    "role": "root",
                    "parent": 7,
                    "relation": "cause",
                    "matches": [{"id": "../../x\x1b", "score": 1, "confidence": "exact", "errorMessage": "\x9bm"}],
                },
                {"message": "", "role": "only", "parent": 1},
            ],
            "masked": [{"kind": "pass\x1bword", "count": 1}],
        }
    ],
}


@pytest.mark.parametrize("words", [[], ["--markdown"], ["--json"]])
def test_nothing_of_an_answer_reaches_the_terminal_as_a_command(
    answering: Answering, run: Any, words: list[str]
) -> None:
    ended = run("explain", *words, "--server", answering(json.dumps(ANSWER).encode()), stdin="x")
    assert ended.code == 0
    assert not any(char in ended.out for char in "\x1b\u202e\x9b")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        json.dumps(ANSWER | {"results": []}).encode(),
        json.dumps(ANSWER | {"results": [ANSWER["results"][0] | {"exceptions": [{"role": "king"}]}]}).encode(),
    ],
)
def test_what_has_not_the_shape_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read_answer(body)
