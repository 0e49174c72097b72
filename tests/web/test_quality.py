"""The work list of maintainers: pages and NDJSON of findings, by kind, repository and release."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from kb.catalog import queries
from tests.imports.conftest import make_record

Import = Callable[..., Any]


def _weak(number: int, repo: str, **fields: Any) -> dict[str, Any]:
    """A record without a solution, with an explanation that is thin."""
    return make_record(number, repo=repo, solutions=[], **fields)


def _fine(number: int, repo: str) -> dict[str, Any]:
    return make_record(number, repo=repo, documentation="A long explanation of what went wrong. " * 8)


@pytest.fixture
def catalog(import_records: Import) -> None:
    """Two revisions: three and then two records without a solution, in two repositories; one record is fine."""
    rows = [_weak(1, "acme/rockets"), _weak(2, "acme/rockets"), _weak(3, "globex/pumps"), _fine(4, "globex/pumps")]
    import_records(*rows, complete=True)
    rows[2] |= {"solutions": ["Prime the pump."]}
    import_records(*rows, complete=True)


def _page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


@pytest.mark.usefixtures("catalog")
def test_findings_by_kind_with_their_trend(client: Client) -> None:
    text = _page(client, "/quality/")
    assert "5 findings in 4 current records" in text
    assert '<a href="/quality/no_solutions/"><code>no_solutions</code></a>' in text
    assert 'href="/quality/repositories/acme/rockets/"' in text
    assert text.count("<polyline") == 2
    assert "−1" in text


@pytest.mark.usefixtures("catalog")
def test_repositories_of_a_finding_the_worst_first_and_its_course(client: Client) -> None:
    text = _page(client, "/quality/thin_text/")
    assert text.index("/quality/thin_text/acme/rockets/") < text.index("/quality/thin_text/globex/pumps/")
    course = _page(client, "/quality/no_solutions/")
    assert re.search(r'<a href="/releases/[0-9]+/">2</a>', course)
    assert "50.0 %" in course
    assert "75.0 %" in course


@pytest.mark.usefixtures("catalog")
def test_records_of_a_finding_in_a_repository(client: Client) -> None:
    text = _page(client, "/quality/no_solutions/acme/rockets/")
    assert "/errors/acme/rockets/engine-1-failed/" in text
    assert "/errors/acme/rockets/engine-2-failed/" in text
    assert "No current record of this repository" in _page(client, "/quality/no_solutions/globex/pumps/")
    assert "/quality/thin_text/globex/pumps/" in _page(client, "/quality/repositories/globex/pumps/")


@pytest.mark.usefixtures("catalog")
def test_a_retired_record_is_no_work(client: Client, import_records: Import) -> None:
    import_records(_weak(1, "acme/rockets"), _fine(4, "globex/pumps"), complete=True)
    assert queries.findings_of_repository("globex/pumps") == ()
    assert [row.record_count for row in queries.finding_kinds()] == [1, 1]
    assert "Nothing was found" in _page(client, "/quality/repositories/globex/pumps/")


@pytest.mark.usefixtures("catalog")
def test_ndjson_of_all_or_some(client: Client) -> None:
    def lines(path: str) -> list[tuple[str, str]]:
        answer = client.get(path)
        assert answer["Content-Type"].startswith("application/x-ndjson")
        raw = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
        return [(row["finding"], row["repo"]) for row in map(json.loads, raw.splitlines())]

    assert len(lines("/quality/findings.ndjson")) == 5
    assert lines("/quality/findings.ndjson?finding=no_solutions") == [("no_solutions", "acme/rockets")] * 2
    assert lines("/quality/findings.ndjson?repo=globex/pumps") == [("thin_text", "globex/pumps")]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    "path",
    [
        "/quality/no_such_finding/",
        "/quality/findings.ndjson?finding=no_such_finding",
        "/quality/no_such_finding/acme/rockets/",
        "/quality/no_solutions/acme/none/",
        "/quality/repositories/acme/none/",
    ],
)
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.usefixtures("catalog")
def test_a_kind_that_no_record_has_says_so(client: Client) -> None:
    assert "No current record has this finding" in _page(client, "/quality/pattern_invalid/")


@pytest.mark.django_db
def test_an_empty_catalog_is_not_praised(client: Client, import_records: Import) -> None:
    assert "The catalog is still empty" in _page(client, "/quality/")
    import_records(_fine(4, "globex/pumps"))
    assert "Nothing was found" in _page(client, "/quality/")


def test_lists_go_on_by_cursor(import_records: Import) -> None:
    import_records(*(_weak(number, f"acme/r{number % 5}") for number in range(1, 14)))
    every = queries.finding_repositories("no_solutions").items
    assert [row.record_count for row in every] == [3, 3, 3, 2, 2]
    assert _walk(lambda cursor: queries.finding_repositories("no_solutions", cursor=cursor, limit=2)) == list(every)
    rows = queries.finding_records("no_solutions").items
    assert [row.repo for row in rows] == sorted(row.repo for row in rows)
    assert _walk(lambda cursor: queries.finding_records("no_solutions", cursor=cursor, limit=4)) == list(rows)
    assert list(queries.iter_finding_records("no_solutions")) == list(rows)
    with pytest.raises(queries.BadCursor):
        queries.finding_records("thin_text", cursor=queries.finding_records("no_solutions", limit=1).next)


def _walk(read: Callable[[str | None], Any]) -> list[Any]:
    found, cursor = [], None
    while True:
        page = read(cursor)
        found += page.items
        if page.next is None:
            return found
        cursor = page.next


@pytest.mark.usefixtures("catalog")
def test_the_api_tells_the_same(client: Client) -> None:
    told = client.get("/api/v1/quality/").json()
    kinds = {row["finding"]: (row["recordCount"], row["repositoryCount"]) for row in told["findings"]}
    assert kinds == {"no_solutions": (2, 1), "thin_text": (3, 2)}
    assert [row["counts"]["no_solutions"] for row in told["trend"]] == [3, 2]
    repositories = client.get("/api/v1/quality/thin_text/").json()["results"]
    assert [(row["repo"], row["recordCount"]) for row in repositories] == [("acme/rockets", 2), ("globex/pumps", 1)]
    first = client.get("/api/v1/quality/thin_text/errors/?limit=1").json()
    assert first["next"]
    some = client.get("/api/v1/quality/thin_text/errors/?repo=globex/pumps").json()["results"]
    assert [row["slug"] for row in some] == ["engine-3-failed"]
    raw = b"".join(client.get("/api/v1/quality/thin_text/errors.ndjson").streaming_content)  # type: ignore[attr-defined]
    assert len(raw.splitlines()) == 3
    assert client.get("/api/v1/quality/nothing/").status_code == 404
    assert client.get("/api/v1/quality/thin_text/?repo=a/b").status_code == 400
