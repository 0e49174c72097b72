"""Every word of ours on every page comes from the catalog of messages, and programs read English all the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client

from kb.api import schema
from kb.search.query import FIELDS
from tests.look.conftest import catalog, extremes, findings, small_catalog
from tests.look.page_kinds import REPORT, addresses
from tests.look.test_failures import FAILURES, failing
from tests.web.conftest import getter
from tests.web.page_checks import FEEDS, HOSTILE_ID, MACHINES, SEED, TRACE
from tests.web.translated import BEGIN, LANGUAGE, Data, marked, pseudo, speaking, template, unmarked

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

__all__ = ["catalog", "extremes", "failing", "findings", "pseudo", "small_catalog", "template"]

RECORD = "/errors/acme/rocket/first-stage"
PROBLEMS = ('"open', "severity:nonsense", "http:abc", "colour:red", "id:x", "status:404", "!!!", "a " * 80)
STAFF = "staff-"  # these pages are in English, with the rest of Django's admin


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, dict):
        yield from value
        yield from _texts(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


@pytest.fixture(scope="module")
def data(catalog: Path, django_db_blocker: Any) -> Data:
    """Every text that the catalog got from datasets, what the pages are asked, and names of the interface."""
    from kb.catalog.models import Article, Dataset, Record, Rejection, Repository, SlugHistory

    known = (Article, Dataset, Record, Rejection, Repository, SlugHistory)
    with django_db_blocker.unblock():
        rows = [row for model in known for row in model.objects.values()]
        export = b"".join(Client().get("/api/v1/export/").streaming_content).decode()
    records = [json.loads(line) for line in export.split("\n") if line]
    assert len(records) > 10
    shapes = list(schema.document()["components"]["schemas"])
    asked = [TRACE, *TRACE.splitlines(), "lunch is late", "no fuel", *FIELDS, *shapes, "GET", "POST", "HEAD"]
    return Data.of(list(_texts([records, rows, asked])))


def test_every_word_of_every_page_is_translated(
    get: Callable[..., Any], pseudo: None, data: Data, findings: tuple[str, ...]
) -> None:
    left = {}
    for label, address in addresses(findings=findings):
        if label.startswith(STAFF) or HOSTILE_ID in address:  # a record that is nothing but noise
            continue
        page = get(address)
        if page.status_code == 302:
            continue
        assert page.status_code == 200, address
        assert f'<html lang="{LANGUAGE}" dir="ltr">' in page.text_body, address
        left[label] = unmarked(page.text_body, data)
    assert {label: words for label, words in left.items() if words} == {}


def test_what_is_said_of_queries_and_of_parts_of_pages_is_translated(
    get: Callable[..., Any], post: Callable[..., Any], pseudo: None, data: Data
) -> None:
    said = [Client().get("/search/results/", {"q": words}).content.decode() for words in PROBLEMS]
    said += [Client().post("/explain/recognized/", {"text": text}).content.decode() for text in (TRACE, "x", "")]
    said.append(post("").text_body)
    left = [word for page in said for word in unmarked(page, data) if not any(word in query for query in PROBLEMS)]
    assert left == []


@pytest.mark.parametrize("failing", set(FAILURES) - {503}, indirect=True)
def test_pages_about_failures_are_translated(get: Callable[..., Any], pseudo: None, data: Data, failing: int) -> None:
    path, posted = FAILURES[failing]
    client = Client(raise_request_exception=False, headers={"accept": "text/html"})
    form = "application/x-www-form-urlencoded"
    response = client.post(path, posted, content_type=form) if posted else client.get(path)
    assert response.status_code == failing
    page = response.content.decode()
    assert f'lang="{LANGUAGE}"' in page
    assert unmarked(page, data) == []


def test_a_part_that_is_away_is_told_in_the_site_s_language(
    get_empty: Callable[..., Any], pseudo: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    def away(*_arguments: object) -> None:
        raise OperationalError

    monkeypatch.setattr("kb.web.views.home.queries.home", away)
    page = get_empty("/")
    assert page.status_code == 503
    assert unmarked(page.text_body, Data.of([])) == []


def test_programs_read_english(get: Callable[..., Any], findings: tuple[str, ...], pseudo: None) -> None:
    """Data, feeds, Markdown and text for terminals, also right after a page in another language."""
    pages = iter([f"{RECORD}/", "/quality/", "/search/?q=severity:nonsense", "/nothing/here/"] * 20)
    asked = [
        *((path, "text/html") for path in (*MACHINES, *FEEDS, f"{RECORD}.json", f"{RECORD}.md", f"{SEED}.md")),
        *(("/e/E_FUEL", kind) for kind in ("text/markdown", "text/plain", "application/json")),
        *(("/e/12c38bb1afed0ec1", kind) for kind in ("text/markdown", "text/plain", "application/json", "*/*")),
        ("/e/ffffffffffffffff", "text/plain"),
        ("/quality/findings.ndjson", "*/*"),
        ("/releases/4/rejections.ndjson", "*/*"),
        *((f"/api/v1/{path}", "*/*") for path in ("", "search/?q=severity:nonsense+fuel", "quality/", "records/nope/")),
        *((f"/api/v1/{path}", "*/*") for path in ("match/?q=FuelError", "releases/", "changes/?cursor=x", "schema/")),
        (f"/api/v1/search/?q={'a' * 5000}", "*/*"),
    ]
    for path, accept in asked:
        assert BEGIN in get(next(pages)).text_body
        answer = get(path, accept=accept)
        assert BEGIN not in answer.text_body, (path, accept)
        assert "\\u27e6" not in answer.text_body, (path, accept)


def test_the_markdown_of_a_report_is_english(get: Callable[..., Any], pseudo: None) -> None:
    page = get(REPORT).text_body
    found = re.search(r'<pre[^>]*id="report-markdown"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found
    assert BEGIN not in found[1]
    assert "# 2 errors in this text" in found[1]


def test_mcp_answers_in_english(catalog: Path, db: None, settings: Any, pseudo: None) -> None:
    settings.KB_INDEX_DIR = catalog
    assert BEGIN in getter()("/").text_body
    for name, arguments in (("search_errors", {"query": "severity:nonsense fuel"}), ("explain_error", {"text": TRACE})):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"accept": "application/json, text/event-stream"}
        answer = Client().post("/mcp", json.dumps(call), content_type="application/json", headers=headers)
        text = answer.content.decode()
        assert "result" in text
        assert BEGIN not in text
        assert "\\u27e6" not in text


def test_kept_copies_belong_to_one_language(get: Callable[..., Any], template: Catalog, tmp_path: Path) -> None:
    english = get(f"{RECORD}/")
    with speaking(marked(template), tmp_path / "locale"):
        other = get(f"{RECORD}/", if_none_match=english["ETag"])
    assert other.status_code == 200
    assert other["ETag"] != english["ETag"]
    assert "Accept-Language" not in other.get("Vary", "")
    assert BEGIN not in get(f"{RECORD}/").text_body


def test_the_reader_s_browser_has_no_say(get: Callable[..., Any]) -> None:
    assert '<html lang="en" dir="ltr">' in get("/", accept_language="de").text_body


def test_languages_that_are_written_from_the_right(get: Callable[..., Any], settings: Any) -> None:
    settings.KB_LANGUAGE = "ar"
    for path in ("/", "/nothing/here/"):
        assert '<html lang="ar" dir="rtl">' in get(path).text_body


def test_the_command_line_speaks_english(
    catalog: Path, db: None, settings: Any, pseudo: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from contextlib import suppress

    from django.core.management import call_command

    settings.KB_INDEX_DIR = catalog
    log = tmp_path / "trace.log"
    log.write_text(TRACE, encoding="utf-8")
    for words in (["search", "fuel", "severity:nonsense"], ["show", "12c38bb1afed0ec1"], ["explain", str(log)]):
        assert BEGIN in getter()("/").text_body
        with suppress(SystemExit):
            call_command(*words)
        told = "".join(capsys.readouterr())
        assert len(told.splitlines()) > 1, words
        assert BEGIN not in told
