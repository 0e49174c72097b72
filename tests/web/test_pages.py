"""Every page: it answers, it is one well-formed document, and it knows nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import get_resolver

from tests.web.page_checks import ALWAYS, ASKING, FEEDS, MACHINES, SEED, WITH_DATA, assert_a_page, assert_anonymous

Get = Callable[..., Any]


@pytest.mark.parametrize("path", [*ALWAYS, *ASKING, *WITH_DATA])
def test_a_page_is_a_whole_document_and_sets_no_cookie(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == 200, response.text_body[:500]
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert_a_page(response.text_body)
    assert_anonymous(response)


@pytest.mark.parametrize("path", ["/", "/search/?q=fuel", f"{SEED}/", "/nothing/here/"])
def test_a_reader_who_is_signed_in_gets_the_same_page(get: Get, path: str) -> None:
    signed_in = get(path, cookie=f"sessionid={'a' * 32}; csrftoken={'b' * 32}")
    assert_anonymous(signed_in)
    assert signed_in.text_body == get(path).text_body


def test_only_the_admin_sets_cookies(get: Get) -> None:
    response = get("/admin/login/")
    assert response.status_code == 200
    assert "csrftoken" in response.cookies


@pytest.mark.parametrize("path", [*MACHINES, *FEEDS])
def test_machines_are_answered(get: Get, path: str) -> None:
    response = get(path)
    assert response.status_code == 200
    assert response.text_body.strip()
    assert_anonymous(response)


def test_every_class_and_code_of_the_lists_has_its_page(get: Get) -> None:
    lists = [get(path).text_body for path in ("/codes/", "/classes/")]
    links = [link for text in lists for link in re.findall(r'href="(/(?:codes|classes)/[^"]+)"', text)]
    assert len(links) > 3
    for link in links:
        response = get(link)
        assert response.status_code == 200
        assert_a_page(response.text_body)


def test_every_page_of_the_urlconf_is_visited_by_this_file(get: Get) -> None:
    """A route that is added shows up here: each has a path in the tables above, or a test that names it."""
    tested_by_name = {
        "errors", "owner", "recognized", "record-json", "record-markdown", "rejections", "favicon", "sitemap-records",
        "code", "class", "publisher-repository", "publisher-record", "quality", "quality-download", "quality-finding",
        "quality-records", "quality-repository", "search-results",
    }  # fmt: skip
    visited = {get(path).resolver_match.url_name for path in (*ALWAYS, *ASKING, *WITH_DATA, *MACHINES, *FEEDS)}
    routes = {pattern.name for pattern in get_resolver("kb.web.urls").url_patterns}
    assert routes == visited | tested_by_name


@pytest.mark.parametrize("path", ["/", "/search/?q=fuel", f"{SEED}/", f"{SEED}.json", "/e/12c38bb1afed0ec1"])
def test_head_answers_as_get_without_a_body(get: Get, path: str) -> None:
    whole, head = get(path), get(path, method="head")
    assert head.status_code == whole.status_code == 200
    assert head.text_body == ""
    assert head.get("ETag") == whole.get("ETag")


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_pages_are_for_reading(get: Get, method: str) -> None:
    response = get("/about/", method=method)
    assert response.status_code == 405
    assert response["Allow"] == "GET, HEAD"


def test_a_record_page_shows_what_the_record_says(get: Get) -> None:
    text = get("/errors/acme/rocket/first-stage/").text_body
    order = [
        "What it means", "How to fix it", "Where it is raised", "Example fix", "Catch it", "What triggers it",
        "When it commonly happens", "How to prevent it", "Related errors", "Tags", "All details",
    ]  # fmt: skip
    places = [text.index(f">{title}</h2>") for title in order]
    assert places == sorted(places)
    assert '<span class="ph">{tank}</span>' in text
    assert "second-rocket has no fuel in" in text
    assert 'href="/errors/acme/rocket/first-stage.json"' in text
    assert 'href="/errors/acme/rocket/first-stage.md"' in text


def test_an_article_stands_above_the_records_of_its_family(get: Get) -> None:
    text = get("/families/out-of-resources/").text_body
    order = ("Something was used up.", "<em>something</em>", "A leak", "Give it back.", "has no fuel in")
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_a_release_tells_what_it_changed_and_what_it_rejected(get: Get) -> None:
    text = get("/releases/4/").text_body
    assert "unknown_value" in text
    assert "/releases/4/rejections.ndjson" in text


def test_rejections_are_downloaded_a_line_each(get: Get) -> None:
    response = get("/releases/4/rejections.ndjson")
    lines = [json.loads(line) for line in response.text_body.splitlines()]
    assert {line["rule"] for line in lines} >= {"unknown_value"}
    assert all(line["repo"] == "acme/rocket" for line in lines)
    assert get("/releases/999/rejections.ndjson").status_code == 404


def test_the_schema_is_the_one_of_the_record_contract(get: Get) -> None:
    from kb.records.schema import json_schema

    assert json.loads(get("/schema.json").text_body) == json.loads(json.dumps(json_schema()))


def test_the_favicon_of_old_browsers_leads_to_the_image(get: Get) -> None:
    response = get("/favicon.ico")
    assert response.status_code == 302
    assert response["Location"].endswith(".svg")
