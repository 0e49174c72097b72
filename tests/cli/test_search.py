"""``faultbook search``: from the catalog here and from another server, for people, pipes and scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kb.cli import program

pytestmark = pytest.mark.usefixtures("starter")

TIMEOUT = "c53735311c96eaf3"  # psycopg's "connection timeout expired"


def test_the_best_record_comes_first_with_its_link(run: Any) -> None:
    ended = run("search", "connection", "timeout", "--limit", "2")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[2] == "connection timeout expired"
    assert f"http://127.0.0.1:8000/e/{TIMEOUT}/" in ended.out
    assert ended.out.count("/e/") == 2
    assert "\x1b" not in ended.out


def test_filters_are_words_like_others(run: Any) -> None:
    ended = run("search", "timeout", "repo:psycopg/psycopg", "--json")
    results = json.loads(ended.out)["results"]
    assert results[0]["id"] == TIMEOUT
    assert {row["repo"] for row in results} == {"psycopg/psycopg"}


def test_json_is_the_answer_of_the_api_on_one_line(run: Any, client: Any) -> None:
    ended = run("search", "--json", "timeout", "--limit", "3")
    assert ended.out.count("\n") == 1
    asked = client.get("/api/v1/search/?q=timeout&limit=3&facets=none", headers={"host": "127.0.0.1:8000"})
    assert json.loads(ended.out) == asked.json()


def test_a_dash_reads_what_comes_through_a_pipe(run: Any) -> None:
    assert (
        run("search", "-", stdin="connection timeout\nexpired\n").out == run("search", "connection timeout expired").out
    )


WORDS: list[tuple[list[str], int, str]] = [
    (["zzzzqqqq"], 3, ""),
    (["-"], 2, "nothing to search for"),
    (["\udcff"], 3, ""),
    (["timeout", "--limit", "0"], 2, "from 1 to 100"),
    (["x" * 3_000], 2, "longer than 2000"),
    (["timeout", "--server", "localhost"], 2, "begins with http://"),
    ([], 2, "usage"),
]


def test_scripts_are_told_by_the_exit_code(run: Any) -> None:
    for words, code, told in WORDS:
        ended = run("search", *words)
        assert ended.code == code, words
        assert told in ended.err
        assert "Traceback" not in ended.err


def test_without_an_index_it_says_what_helps(run: Any, settings: Any, tmp_path: Any) -> None:
    settings.KB_INDEX_DIR = tmp_path / "elsewhere"
    ended = run("search", "timeout")
    assert ended.code == 1
    assert ended.err.endswith("Run: faultbook sync_index\n")


def test_no_record_reaches_the_terminal_as_a_command(run: Any, import_records: Any, record: Any) -> None:
    import_records(record(errorMessage="zebra \x1b[2J\u202e", documentation="\x9bx \x1b]0;y\x07"))
    ended = run("search", "zebra")
    assert ended.code == 0
    assert not any(char in ended.out for char in "\x1b\u202e\x9b\x07")


@pytest.mark.no_db_matrix  # no database is named
def test_asking_leaves_nothing_behind_where_there_is_no_catalog(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    environment["PYTHONPATH"] = str(Path(program.__file__).parents[2])
    for words in (["search", "x"], ["show", "x"], ["explain"], ["scan", "-"], ["open"], ["completion", "bash"]):
        ended = subprocess.run(
            [sys.executable, "-m", "kb.cli.program", *words],
            cwd=directory,
            env=environment,
            input="x",
            capture_output=True,
            text=True,
            check=False,
        )
        asking = words[0] not in {"open", "completion"}
        assert ended.returncode == (1 if words[0] != "completion" else 0), ended.stderr
        assert ("faultbook migrate" in ended.stderr) is asking, ended.stderr
        assert list(directory.iterdir()) == []
