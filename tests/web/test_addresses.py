"""Addresses: the table of our first segments, permanent links, slugs that moved, the publisher's shapes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from kb.web.segments import FIRST_SEGMENTS
from tests.web.conftest import ELSEWHERE, HEIR, LIVING, MOVED, RENAMED, RETIRED, record_url

Get = Callable[..., Any]
FORMS = {
    "text/html": "text/html; charset=utf-8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html; charset=utf-8",
    "text/markdown": "text/markdown; charset=utf-8",
    "application/json": "application/json",
    "text/plain": "text/plain; charset=utf-8",
    "*/*": "text/plain; charset=utf-8",
    "": "text/plain; charset=utf-8",
    "image/png": "text/plain; charset=utf-8",
    "nonsense": "text/plain; charset=utf-8",
    "application/json;q=0.5, text/markdown;q=0.9": "text/markdown; charset=utf-8",
    "text/html;q=0": "text/plain; charset=utf-8",
}


def _first_segments(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        whole = before + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver) and "/" not in whole:
            yield from _first_segments(pattern.url_patterns, whole)
        else:
            yield re.split(r"[/$]", whole.replace("\\", ""), maxsplit=1)[0]


def test_every_first_segment_is_in_the_table() -> None:
    found = set(_first_segments(get_resolver("kb.urls").url_patterns))
    literal = {segment for segment in found if not segment.startswith("(")}
    assert {"", "admin", "api", "docs", "errors", "e", "search"} <= literal
    assert literal - {""} <= FIRST_SEGMENTS
    assert len(found - literal) == 1  # the publisher's shapes, which refuse all of them


@pytest.mark.parametrize("segment", sorted(FIRST_SEGMENTS))
def test_no_owner_stands_in_front_of_our_own_segments(segment: str) -> None:
    from kb.web.views import publisher

    for rest in ("/name/", "/name/slug/"):
        matches = [
            pattern.resolve(f"{segment}{rest}")
            for pattern in get_resolver("kb.web.urls").url_patterns
            if pattern.callback in {publisher.repository, publisher.record}
        ]
        assert matches == [None, None]


def test_the_publishers_addresses_lead_to_ours(get: Get) -> None:
    for theirs, ours in {
        "/acme/rocket/": "/errors/acme/rocket/",
        "/ACME/Rocket/": "/errors/acme/rocket/",
        "/acme/rocket/first-stage/": "/errors/acme/rocket/first-stage/",
        "/acme/rocket/old-name/": "/errors/acme/rocket/old-name/",
        "/ACME/Rocket/first-stage/": "/errors/acme/rocket/first-stage/",
        "/ACME/rocket/old-name/": "/errors/acme/rocket/old-name/",
        "/acme/ROCKET/retired-stage/": "/errors/acme/rocket/retired-stage/",
    }.items():
        response = get(theirs)
        assert (response.status_code, response["Location"]) == (302, ours)
    for unknown in ("/acme/unknown/", "/acme/rocket/unknown/", "/errors/acme/unknown/", "/errors/acme/rocket/unknown/"):
        assert get(unknown).status_code == 404
        assert get(unknown.replace("acme", "ACME")).status_code == 404


def test_a_missing_last_slash_is_put_there(get: Get) -> None:
    for path in ("/search", "/families/out-of-resources", "/errors/acme/rocket", "/acme/rocket"):
        response = get(path)
        assert (response.status_code, response["Location"]) == (301, f"{path}/")


def test_a_repositorys_name_is_found_whatever_its_case(get: Get) -> None:
    response = get("/errors/ACME/rocket/")
    assert (response.status_code, response["Location"]) == (301, "/errors/acme/rocket/")


@pytest.mark.parametrize("ending", ["/", ".json", ".md"])
@pytest.mark.parametrize("slug", ["first-stage", "shared", "old-name", "new-name", "retired-stage"])
@pytest.mark.parametrize("repo", ["ACME/rocket", "acme/Rocket", "ＡＣＭＥ/ROCKET"])
def test_a_record_is_found_whatever_the_case_of_its_repository(
    get: Get, repo: str, slug: str, ending: str, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(6):
        response = get(f"/errors/{repo}/{slug}{ending}")
    assert (response.status_code, response["Location"]) == (301, f"/errors/acme/rocket/{slug}{ending}")
    assert get(response["Location"]).status_code in {200, 302}
    assert get(f"/errors/{repo}/no-such-slug{ending}").status_code == 404


def test_parents_of_a_repository_lead_to_the_list(get: Get) -> None:
    assert get("/errors/")["Location"] == "/repositories/"
    assert get("/errors/acme/")["Location"] == "/repositories/?q=acme%2F"


@pytest.mark.parametrize(("accept", "content_type"), FORMS.items())
@pytest.mark.parametrize("slash", ["", "/"])
def test_the_permanent_link_answers_in_the_form_asked_for(get: Get, accept: str, content_type: str, slash: str) -> None:
    response = get(f"/e/{LIVING['id']}{slash}", accept=accept)
    assert response.status_code == 200
    assert response["Content-Type"] == content_type
    assert response["Vary"] == "Accept"
    assert "first-stage has no fuel in" in response.text_body


def test_the_permanent_link_gives_the_record_field_for_field(get: Get) -> None:
    for reference in (LIVING["id"], LIVING["id"].upper()):
        assert json.loads(get(f"/e/{reference}", accept="application/json").text_body) == LIVING
    assert json.loads(get("/errors/acme/rocket/first-stage.json").text_body) == LIVING


@pytest.mark.parametrize("accept", ["text/html", "text/plain", "text/markdown", "application/json"])
def test_a_code_of_several_records_lists_them(get: Get, accept: str) -> None:
    for code in ("E_FUEL", "e_fuel"):
        text = get(f"/e/{code}", accept=accept).text_body
        assert all(record["errorMessage"].split(" {")[0] in text for record in (LIVING, ELSEWHERE))


def test_a_code_of_one_record_answers_with_it(get: Get) -> None:
    code = "ERR_%3C%2Fscript%3E%3C!--%3Cscript%3E%3Cimg%20src=x%20onerror=alert(1)%3E"
    answer = get(f"/e/{code}", accept="application/json")
    assert json.loads(answer.text_body)["id"] == "5886547cf5882709"


@pytest.mark.parametrize("reference", ["0123456789abcdef", "E_UNKNOWN", "x" * 1_000, "%F0%9F%92%A5", "a/b/c"])
def test_an_unknown_reference_is_not_found(get: Get, reference: str) -> None:
    assert get(f"/e/{reference}").status_code == 404


@pytest.mark.parametrize("path", ["/e/E_UNKNOWN", "/e/0123456789abcdef", "/errors/acme/rocket/no-such.md"])
@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", "text/plain; charset=utf-8"),
        ("text/markdown", "text/plain; charset=utf-8"),
        ("application/json", "application/problem+json"),
        ("text/html", "text/html; charset=utf-8"),
    ],
)
def test_what_is_not_found_is_told_in_the_form_asked_for(get: Get, path: str, accept: str, content_type: str) -> None:
    answer = get(path, accept=accept)
    assert (answer.status_code, answer["Content-Type"]) == (404, content_type)
    assert "Accept" in answer["Vary"]
    if content_type.startswith("text/plain"):
        assert len(answer.text_body.splitlines()) < 4
        assert "/api/v1/search/?q=" in answer.text_body
    elif "json" in content_type:
        assert json.loads(answer.text_body)["code"] == "not_found"


def test_a_slug_that_has_a_new_owner_names_the_former_one(get: Get) -> None:
    text = get("/errors/acme/rocket/shared/").text_body
    assert "heir has no fuel in" in text
    assert "This address belonged to another record before" in text
    assert f'href="/e/{MOVED["id"]}/"' in text
    assert "This address belonged" not in get(f"/e/{HEIR['id']}").text_body


def test_a_slug_without_an_owner_leads_to_its_last_one(get: Get) -> None:
    response = get("/errors/acme/rocket/old-name/")
    assert (response.status_code, response["Location"]) == (302, record_url({**RENAMED, "slug": "new-name"}))
    assert json.loads(get("/errors/acme/rocket/old-name.json").text_body)["id"] == RENAMED["id"]


def test_a_retired_record_keeps_its_page_and_says_so(get: Get) -> None:
    for path in (record_url(RETIRED), f"/e/{RETIRED['id']}"):
        text = get(path).text_body
        assert "This record is retired." in text
        assert '<meta name="robots" content="noindex">' in text
        assert f'<link rel="canonical" href="http://testserver/e/{RETIRED["id"]}/">' in text
    assert "retired-stage" not in get("/errors/acme/rocket/").text_body
    assert "retired-stage" in get("/errors/acme/rocket/?status=retired").text_body


def test_a_canonical_link_names_the_configured_site(get: Get, settings: Any) -> None:
    settings.KB_BASE_URL = "https://errors.example.org"
    text = get(f"/e/{LIVING['id']}").text_body
    assert '<link rel="canonical" href="https://errors.example.org/errors/acme/rocket/first-stage/">' in text
