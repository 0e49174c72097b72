"""``faultbook explain``: files, pipes, forms, exit codes, and nothing that a terminal would obey."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb.cli import explain_input

RECORD = "c53735311c96eaf3"


def test_a_file_is_explained(starter: None, run: Any, trace: str, tmp_path: Path) -> None:
    path = tmp_path / "error.txt"
    path.write_text(trace)
    ended = run("explain", path)
    assert (ended.code, ended.err) == (0, "")
    for part in (
        "psycopg.errors.ConnectionTimeout: connection timeout expired",
        "exact match",
        "psycopg/psycopg psycopg/psycopg/generators.py",
        "class ConnectionTimeout",
        "1. Test the path from the same machine",
        f"/e/{RECORD}/",
    ):
        assert part in ended.out
    assert "\x1b" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 100


@pytest.mark.parametrize("words", [[], ["-"]])
def test_a_pipe_is_explained(starter: None, run: Any, trace: str, words: list[str]) -> None:
    assert f"/e/{RECORD}/" in run("explain", *words, stdin=trace).out


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_tells_the_encoding(starter: None, run: Any, trace: str, encoding: str) -> None:
    assert run("explain", stdin=trace.encode(encoding)).code == 0


@pytest.mark.parametrize("text", ["", "  \n", "all is well today\n"])
def test_nothing_found_is_three(starter: None, run: Any, text: str) -> None:
    ended = run("explain", stdin=text)
    assert ended.code == 3
    assert "No record fits this text" in ended.out or "nothing to look up" in ended.out
    ended = run("explain", "--json", stdin=text)
    assert ended.code == 3, ended.err
    assert json.loads(ended.out)["best"] is None


def test_json_is_one_result_of_the_api(starter: None, run: Any, trace: str, client: Any) -> None:
    ended = run("explain", "--json", "--limit", "2", stdin=trace)
    assert ended.out.isascii()
    assert ended.out.count("\n") == 1
    told = json.loads(ended.out)
    body = {"text": trace, "limit": 2, "detail": "full"}
    answered = client.post("/api/v1/match/", body, content_type="application/json").json()["results"]
    base = "http://127.0.0.1:8000"
    assert [told] == json.loads(json.dumps(answered).replace("http://testserver", base))
    assert told["exceptions"][0]["matches"][0]["record"]["id"] == RECORD


def test_markdown_is_that_of_the_pages(starter: None, run: Any, trace: str) -> None:
    ended = run("explain", "--markdown", stdin=trace)
    assert ended.out.startswith("# 1 error in this text\n")
    assert f"/e/{RECORD}/)" in ended.out


def test_color_comes_when_it_is_asked_for(starter: None, run: Any, trace: str) -> None:
    ended = run("explain", "--force-color", stdin=trace)
    assert "\x1b[1m" in ended.out
    assert "\x1b]" not in ended.out  # no links or titles, colors alone


def test_context_is_handed_to_the_engine(starter: None, run: Any, trace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.matching import engine

    asked: list[Any] = []
    explain = engine.explain

    def noted(text: str, **how: Any) -> Any:
        asked.append(how)
        return explain(text, **how)

    monkeypatch.setattr(engine, "explain", noted)
    words = ["--package", "a", "--package", "b", "--repository", "c/d", "--language", "Python", "--limit", "7"]
    run("explain", *words, stdin=trace)
    (how,) = asked
    assert how["limit"] == 7
    context = how["context"]
    assert (context.packages, context.repositories, context.languages) == (("a", "b"), ("c/d",), ("Python",))


def test_of_a_very_long_text_the_end_is_read(
    starter: None, run: Any, trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain_input, "MOST_BYTES", 2_000)
    ended = run("explain", stdin="all is well\n" * 1_000 + trace)
    assert ended.code == 0
    assert "faultbook scan" in ended.err


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m[bold]x[/bold] :bomb: \u2066"


def test_no_text_reaches_the_terminal_as_a_command(import_records: Any, run: Any, record: Any) -> None:
    import_records(
        record(
            errorMessage=f"the parcel {HOSTILE} is far too heavy for this scale",
            messagePattern="the parcel (.+?) is far too heavy for this scale",
            documentation=f"Means {HOSTILE}.",
            solutions=[f"Do {HOSTILE}."],
            errorClass="ParcelError",
        )
    )
    text = f"ParcelError: the parcel {HOSTILE} is far too heavy for this scale\n"
    for words in (["--force-color"], [], ["--markdown"], ["--json"]):
        ended = run("explain", *words, stdin=text)
        assert ended.code == 0
        bare = ended.out.replace("\x1b[0m", "")
        for style in ("1", "2", "32", "1;32", "33", "36"):
            bare = bare.replace(f"\x1b[{style}m", "")
        assert not any(char in bare for char in "\x1b\x07\u202e\x9b\u2066")
    assert "[bold]x[/bold] :bomb:" in run("explain", stdin=text).out


@pytest.mark.parametrize(
    "words",
    [
        ["--limit", "0"],
        ["--limit", "x"],
        ["--json", "--markdown"],
        ["--server", "ftp://example.org"],
        ["--server", "http://"],
        ["--server", "http://user:secret@localhost"],
        ["--server", "http://localhost:99999"],
        ["--server", "http://localhost/?q=1"],
        ["one", "two"],
        ["file", "--", "true"],
        ["--follow", "--", "true"],
        ["--"],
    ],
)
def test_wrong_usage_is_two(run: Any, words: list[str]) -> None:
    ended = run("explain", *words)
    assert ended.code == 2
    assert ended.err


def test_failures_are_one_line(db: None, run: Any, tmp_path: Path) -> None:
    ended = run("explain", tmp_path / "missing\x1b[2J.txt")
    assert ended.code == 1
    assert "No such file" in ended.err
    assert "\x1b" not in ended.err
    ended = run("explain", stdin="ValueError: x")
    assert ended.code == 1
    assert "The catalog is empty" in ended.err


def test_a_missing_index_says_what_helps(starter: None, run: Any, trace: str, settings: Any, tmp_path: Path) -> None:
    settings.KB_INDEX_DIR = tmp_path / "elsewhere"
    ended = run("explain", stdin=trace)
    assert ended.code == 1
    assert "faultbook sync_index" in ended.err
