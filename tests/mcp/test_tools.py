"""What each tool says: right answers, and refusals that tell the way on."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from kb.catalog import queries
from kb.matching import engine
from kb.search.errors import SearchUnavailable

Call = Callable[..., Any]
RECORD = "c53735311c96eaf3"
CHAIN = """\
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/psycopg/connection.py", line 90, in connect
    raise ex
psycopg.errors.ConnectionTimeout: connection timeout expired

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    raise RuntimeError("cannot start") from None
RuntimeError: cannot start
"""


# --- explain_error ----------------------------------------------------------------------------------------------------


def test_a_trace_is_explained_with_evidence_and_what_to_do(starter: None, call: Call, trace: str) -> None:
    told = call("explain_error", text=trace)
    assert not told.failed
    assert (told.content["status"], told.content["best"]) == ("matched", RECORD)
    record = told.content["errors"][0]["record"]
    assert record["url"] == f"http://testserver/e/{RECORD}/"
    assert record["confidence"] == "exact"
    assert record["reasons"][0] == "the whole message fits"
    assert len(record["solutions"]) == 4
    assert not record.get("cut")
    for words in ("exact", record["url"], record["documentation"], *record["solutions"]):
        assert words in told.text
    assert f"get_error with reference={RECORD}" in told.text


def test_a_chain_is_told_with_the_best_first(starter: None, call: Call) -> None:
    told = call("explain_error", text=CHAIN, max_tokens=3_000)
    errors = told.content["errors"]
    assert errors[0]["record"]["id"] == RECORD
    assert {"root cause", "outermost"} == {error["role"] for error in errors}
    assert "cannot start" in errors[1]["error"]
    assert "(root cause)" in told.text


def test_what_gaps_took_is_told_and_secrets_are_not(starter: None, call: Call) -> None:
    told = call("explain_error", text="psycopg_pool.PoolTimeout: couldn't get a connection after 30.00 sec")
    assert told.content["errors"][0]["record"]["captures"] == {"timeout": "30.00"}
    assert "timeout = 30.00" in told.text
    told = call("explain_error", text="ValueError: bad dsn postgresql://user:hunter2hunter2@db/app")
    assert "hunter2" not in told.text + json.dumps(told.content)
    assert "secret hidden" in told.content["hidden"]


def test_that_nothing_fits_is_a_good_answer(starter: None, call: Call) -> None:
    for text, status in (("all is well today", "none"), ("", "empty"), ("\n\n", "empty"), ("\x00\x1b[0m", None)):
        told = call("explain_error", text=text)
        assert not told.failed
        assert status in {None, told.content["status"]}
        assert "best" not in told.content
        assert told.content["advice"]


def test_near_misses_are_told_as_no_answers(starter: None, call: Call) -> None:
    told = call("explain_error", text="the server unexpectedly closed the pool")
    assert told.content["status"] == "none"
    assert told.content["errors"][0]["nearest"]
    assert "no answers" in told.text


def test_context_raises_a_record(starter: None, call: Call) -> None:
    text = "ReadTimeout: request timed out"
    for context in ({"packages": ["requests"]}, {"repositories": ["psf/requests"]}, {"languages": ["Python"]}):
        assert not call("explain_error", text=text, **context).failed


# --- get_error --------------------------------------------------------------------------------------------------------


REFERENCES = (
    RECORD,
    RECORD.upper(),
    f" {RECORD}\n",
    f"/e/{RECORD}/",
    f"https://elsewhere.example/e/{RECORD}",
    "SLUG",
    "/errors/SLUG/",
    "https://elsewhere.example/errors/SLUG.json?x=1#solutions",
)


def test_a_record_is_found_by_all_its_names(starter: None, call: Call) -> None:
    row = queries.record_rows([RECORD])[0]
    for reference in REFERENCES:
        told = call("get_error", reference=reference.replace("SLUG", f"{row.repo}/{row.slug}"))
        assert told.content["record"]["id"] == RECORD, reference
        assert [section["name"] for section in told.content["sections"]][:2] == ["documentation", "solutions"]


def test_sections_come_as_asked_for(starter: None, call: Call) -> None:
    told = call("get_error", reference=RECORD, sections=["message_pattern", "solutions", "validation_code"])
    assert [section["name"] for section in told.content["sections"]] == ["message_pattern", "solutions"]
    assert told.content["absent"] == ["validation_code"]
    assert "The record has no validation_code." in told.text
    assert "## solutions\n1. " in told.text
    provenance = call("get_error", reference=RECORD, sections=["provenance"]).content["sections"][0]["text"]
    assert "Dataset: starter" in provenance
    assert "Permalink: https://github.com/psycopg/psycopg/" in provenance
    none = call("get_error", reference=RECORD, sections=[])
    assert not none.content.get("sections")
    assert none.content["record"]["id"] == RECORD


def test_a_code_of_several_records_gives_them_all(
    record: Callable[..., dict[str, Any]], import_records: Call, call: Call
) -> None:
    import_records(
        record(1, errorCode="E_LOST", repo="acme/a"), record(2, errorCode="E_LOST", repo="acme/b"), record(3)
    )
    told = call("get_error", reference="e_lost")
    assert "record" not in told.content
    assert [row["repo"] for row in told.content["candidates"]] == ["acme/a", "acme/b"]
    assert "2 records have this code." in told.text


def test_a_retired_record_says_so_and_what_took_its_place(
    record: Callable[..., dict[str, Any]], import_records: Call, call: Call
) -> None:
    import_records(record(1), record(2), complete=True)
    import_records(record(2), record(3, slug="parcel-1", errorMessage="parcel number 1 is lost"), complete=True)
    told = call("get_error", reference=f"{1:016x}")
    assert told.content["record"]["retired"]
    assert told.text.startswith("This record is retired")
    if "successor" in told.content:
        assert f"reference={told.content['successor']}" in told.text


# --- lists ------------------------------------------------------------------------------------------------------------


def test_a_search_finds_and_filters_and_says_how_it_was_read(starter: None, call: Call) -> None:
    found = call("search_errors", query="connection timeout", repository="psycopg/psycopg", severity="error", limit=3)
    assert found.content["count"] >= len(found.content["results"]) > 0
    assert found.content["results"][0]["id"] == RECORD
    assert {row["repo"] for row in found.content["results"]} == {"psycopg/psycopg"}
    misspelt = call("search_errors", query="conection timout")
    assert misspelt.content["relaxed"] == "typo"
    assert "None has these words as spelt" in misspelt.text
    odd = call("search_errors", query='nosuchfield:x "open')
    assert odd.content["problems"]
    none = call("search_errors", query="zzzzqqqq")
    assert (none.failed, none.content["count"], none.content["results"]) == (False, 0, [])
    assert "fewer words" in none.text
    assert "next" in call("search_errors", query="repo:psf/requests", limit=2).content


def test_repositories_are_listed_by_part_of_their_name(starter: None, call: Call) -> None:
    told = call("list_repositories", query="PSYCOPG")
    assert [row["repo"] for row in told.content["repositories"]] == ["psycopg/psycopg"]
    assert told.content["totalRepositories"] == 6
    assert call("list_repositories", query="nothing here").content["repositories"] == []


def test_changes_are_told_since_a_revision(
    record: Callable[..., dict[str, Any]], import_records: Call, call: Call
) -> None:
    import_records(record(1), record(2))
    import_records(record(1, documentation="Another cause."), record(3, repo="acme/other"))
    latest = call("what_changed")
    assert latest.content["revision"] == 2
    assert [row["revision"] for row in latest.content["changes"]] == [2, 2, 1, 1]
    since = call("what_changed", since_revision=1)
    assert sorted((row["kind"], row["id"][-1]) for row in since.content["changes"]) == [
        ("added", "3"),
        ("changed", "1"),
    ]
    assert "since_revision=2" in since.text
    assert call("what_changed", since_revision=2).content["changes"] == []
    one = call("what_changed", since_revision=0, repository="ACME/Other", kinds=["added"])
    assert [row["repo"] for row in one.content["changes"]] == ["acme/other"]


# --- refusals ---------------------------------------------------------------------------------------------------------


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("explain_error", {}, "missing required field `text`"),
    ("explain_error", {"text": 5}, "Expected `str`, got `int`"),
    ("explain_error", {"text": "x", "max_token": 5}, "Did you mean max_tokens?"),
    ("explain_error", {"text": "x", "max_tokens": 5}, ">= 600"),
    ("explain_error", {"text": "x" * 262_145}, "over the limit of 256 KiB"),
    ("explain_error", {"text": "語" * 100_000}, "over the limit of 256 KiB"),
    ("explain_error", {"text": "x", "limit": 11}, "<= 10"),
    ("get_error", {"reference": "nothing/at/all"}, "search_errors"),
    ("get_error", {"reference": ""}, "search_errors"),
    ("get_error", {"reference": "http://["}, "search_errors"),
    ("get_error", {"reference": RECORD, "sections": ["fix"]}, "Invalid enum value 'fix'"),
    ("search_errors", {"query": "x", "cursor": "nonsense"}, "without a cursor"),
    ("search_errors", {"query": "x" * 2_001}, "<= 2000"),
    ("list_repositories", {"cursor": "nonsense"}, "without a cursor"),
    ("what_changed", {"cursor": "nonsense"}, "without a cursor"),
    ("what_changed", {"since_revision": 99}, "without since_revision"),
    ("what_changed", {"repository": "psycopg/psycopgg"}, "Did you mean psycopg/psycopg?"),
    ("what_changed", {"repository": "psycopg"}, "list_repositories"),
    ("what_changed", {"since_revision": -1}, ">= 0"),
)


def test_a_wrong_call_is_told_what_is_right(starter: None, call: Call) -> None:
    for tool, arguments, words in WRONG:
        told = call(tool, **arguments)
        assert told.failed, words
        assert told.content == {}
        assert words in told.text
        assert len(told.text) < 500


def test_a_number_as_text_and_a_null_are_taken(starter: None, call: Call) -> None:
    assert not call("search_errors", query="timeout", limit="3", cursor=None, repository=None).failed


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (SearchUnavailable("The index is damaged."), "Try again in a minute"),
        (OperationalError("server closed the connection: hunter2"), "Try again in a minute"),
        (RuntimeError("hunter2"), "by a fault of this server"),
    ],
)
def test_a_failure_is_told_with_the_next_step_and_logged_without_what_was_asked(
    starter: None,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    problem: Exception,
    words: str,
) -> None:
    def explain(*_: Any, **__: Any) -> None:
        raise problem

    monkeypatch.setattr(engine, "explain", explain)
    with caplog.at_level(logging.DEBUG):
        told = call("explain_error", text="hunter2 was here")
    assert told.failed
    assert words in told.text
    assert "hunter2" not in told.text
    assert any("explain_error" in row.getMessage() for row in caplog.records)
    _assert_unseen(caplog, "hunter2")


def test_arguments_never_reach_a_log(starter: None, call: Call, post: Call, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, "django_mcpz.calls"):
        call("explain_error", text="hunter2 failed", packages=["hunter2"])
        call("search_errors", query="hunter2")
        call("get_error", reference="hunter2")
        call("explain_error", hunter2="x")
        post(b'{"jsonrpc": "2.0", "id": 1, "method": "hunter2", "params": {"text": "hunter2"')
        post({"jsonrpc": "2.0", "id": "hunter2", "method": "tools/call", "params": {"name": "hunter2"}})
    calls = [row for row in caplog.records if row.name == "django_mcpz.calls"]
    assert len(calls) == 4
    _assert_unseen(caplog, "hunter2")


def _assert_unseen(caplog: pytest.LogCaptureFixture, word: str) -> None:
    """Neither in a message nor in anything else that handlers get."""
    assert caplog.records
    for row in caplog.records:
        assert word not in repr(row.__dict__), row.name
        assert word not in row.getMessage()
    assert word not in caplog.text


def test_reading_writes_nothing_and_asks_little(starter: None, call: Call, trace: str) -> None:
    ours = ("SAVEPOINT", "RELEASE")  # of the library, since the test is inside a transaction
    for tool, arguments, most in (
        ("explain_error", {"text": trace}, 4),
        ("search_errors", {"query": "timeout"}, 3),
        ("get_error", {"reference": RECORD}, 3),
        ("list_repositories", {}, 3),
        ("what_changed", {}, 8),
    ):
        with CaptureQueriesContext(connection) as seen:
            call(tool, **arguments)
        statements = [row["sql"].lstrip().upper() for row in seen.captured_queries]
        statements = [sql for sql in statements if not sql.startswith(ours)]
        assert [sql for sql in statements if not sql.startswith(("SELECT", "WITH"))] == []
        assert 0 < len(statements) <= most, tool
