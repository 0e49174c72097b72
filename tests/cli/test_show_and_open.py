"""``faultbook show`` and ``open``: by id, code, place and address, here and on another server."""

from __future__ import annotations

import json
import webbrowser
from typing import Any

import pytest

from kb.cli.references import path_of

TIMEOUT = "c53735311c96eaf3"
PLACE = "psycopg/psycopg/connection-timeout-expired"
SEVERAL = "parcel/scale"


@pytest.fixture
def parcels(starter: None, import_records: Any, record: Any) -> None:
    """Two records with one code, which has a slash; and one with another code."""
    import_records(
        record(1, errorCode=SEVERAL), record(2, errorCode=SEVERAL), record(3, errorCode="E_LOST"), dataset="parcels"
    )


NAMES = (
    TIMEOUT,
    TIMEOUT.upper(),
    PLACE,
    f"/errors/{PLACE}/",
    f"/e/{TIMEOUT}",
    f"http://127.0.0.1:8000/e/{TIMEOUT}/",
    f"https://errors.example.org/kb/errors/{PLACE}.md",
    f"https://errors.example.org/errors/{PLACE}/history/#r1",
    f"https://errors.example.org/{PLACE}/",
    f"https://errors.example.org/api/v1/errors/{TIMEOUT}/?fields=id",
    f"https://errors.example.org/errors/PSYCOPG/{PLACE.partition('/')[2]}/",
)


def test_a_record_is_shown_by_whatever_names_it(run: Any, starter: None) -> None:
    for reference in NAMES:
        ended = run("show", reference)
        assert (ended.code, ended.err) == (0, ""), reference
        assert ended.out.startswith("connection timeout expired\n")
        assert ended.out.endswith(f"http://127.0.0.1:8000/e/{TIMEOUT}/\n")
        assert all(len(line) <= 80 for line in ended.out.splitlines())


def test_a_code_shows_its_record_or_the_list(run: Any, parcels: None) -> None:
    assert run("show", "e_lost").out.startswith("parcel number 3 is lost\n")
    ended = run("show", SEVERAL)
    assert ended.code == 0
    assert ended.out.count("http://127.0.0.1:8000/e/000000000000000") == 2
    assert [row["id"] for row in json.loads(run("show", SEVERAL, "--json").out)["records"]] == [
        "0" * 15 + "1",
        "0" * 15 + "2",
    ]


def test_json_and_markdown_are_the_whole_record(run: Any, starter: None) -> None:
    told = json.loads(run("show", PLACE, "--json").out)
    assert told["record"]["id"] == TIMEOUT
    assert told["meta"]["shortUrl"] == f"http://127.0.0.1:8000/e/{TIMEOUT}/"
    assert run("show", PLACE, "--markdown").out.startswith("# connection timeout expired\n")
    assert run("show", PLACE, "--markdown", "--json").code == 2


def test_what_is_not_there_ends_with_three(run: Any, starter: None) -> None:
    for reference in ("nothing", "0" * 16, "a/b/c", "https://errors.example.org/e/nothing"):
        for command in ("show", "open"):
            ended = run(command, reference)
            assert (ended.code, ended.out) == (3, "")
            assert "in the catalog here" in ended.err


def test_what_names_no_record_is_wrong_usage(run: Any, starter: None) -> None:
    for reference in ("", "a\nb", "\udcff", "https://errors.example.org/", "http://[/e/x", "x" * 3_000):
        ended = run("show", reference)
        assert ended.code == 2
        assert ended.err.count("\n") == 1


def test_an_empty_catalog_says_what_helps(run: Any, db: None) -> None:
    for words in (("show", TIMEOUT), ("search", "timeout"), ("open", TIMEOUT)):
        ended = run(*words)
        assert ended.code == 1
        assert "faultbook import SOURCE" in ended.err


def test_codes_and_addresses_become_paths() -> None:
    assert path_of("auth/invalid-email") == "/e/auth%2Finvalid-email/"
    assert path_of("ORA-00942") == "/e/ORA-00942/"
    assert path_of("http://host/e/auth%2Finvalid-email/") == "/e/auth%2Finvalid-email/"
    assert path_of("http://host/errors/acme/a%20b/slug/") == "/errors/acme/a%20b/slug.json"


# --- another server ---------------------------------------------------------------------------------------------------


def test_a_server_answers_as_the_catalog_here(run: Any, live_site: str, settings: Any) -> None:
    for words in (("search", "timeout"), ("show", TIMEOUT), ("show", PLACE, "--markdown"), ("open", "--print", PLACE)):
        here = run(*words)
        there = run(*words, "--server", live_site + "/")
        assert (there.code, there.err) == (0, "")
        assert there.out == here.out.replace("http://127.0.0.1:8000", live_site)
    settings.KB_SERVER = live_site
    assert live_site in run("show", TIMEOUT).out
    assert live_site not in run("show", TIMEOUT, "--server", "").out
    ended = run("show", "nothing")
    assert (ended.code, ended.err) == (
        3,
        f"There is no record 'nothing' in {live_site}. Look for it: faultbook search WORDS\n",
    )


@pytest.mark.parametrize("words", [("search", "x"), ("show", "x"), ("open", "x")])
def test_a_server_that_is_not_there_is_told(run: Any, words: tuple[str, ...]) -> None:
    ended = run(*words, "--server", "http://127.0.0.1:1")
    assert ended.code == 1
    assert "http://127.0.0.1:1 cannot be asked" in ended.err


# --- the browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    addresses: list[str] = []

    def kept(url: str) -> bool:
        addresses.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", kept)
    return addresses


def test_open_opens_the_page_that_it_prints(run: Any, live_site: str, opened: list[str], settings: Any) -> None:
    assert run("open", PLACE, "--server", live_site).out == f"{live_site}/e/{TIMEOUT}/\n"
    assert json.loads(run("open", "--json", "--server", live_site).out) == {"url": f"{live_site}/"}
    settings.KB_BASE_URL = live_site
    assert run("open", TIMEOUT).code == 0
    assert opened == [f"{live_site}/e/{TIMEOUT}/", f"{live_site}/", f"{live_site}/e/{TIMEOUT}/"]


def test_open_says_when_no_server_runs_and_when_no_browser_is_there(
    run: Any, starter: None, monkeypatch: pytest.MonkeyPatch, opened: list[str], settings: Any, live_server: Any
) -> None:
    settings.KB_BASE_URL = "http://127.0.0.1:1"
    ended = run("open", TIMEOUT)
    assert (ended.code, opened) == (1, [])
    assert ended.err.endswith("Start it first: faultbook serve\n")
    settings.KB_BASE_URL = live_server.url
    monkeypatch.setattr(webbrowser, "open", lambda _url: False)
    ended = run("open", TIMEOUT)
    assert (ended.code, ended.out) == (1, f"{live_server.url}/e/{TIMEOUT}/\n")
    assert "BROWSER" in ended.err
