"""What crawlers and readers are told: structured data, feeds, robots.txt, OpenSearch, llms.txt, forms of a record."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.urls import resolve

from kb.records.timestamps import parse_timestamp
from tests.web.conftest import LIVING, record_url
from tests.web.page_checks import HOSTILE_ID, SEED, Outline

Get = Callable[..., Any]
HOST = "http://testserver"
ATOM = "{http://www.w3.org/2005/Atom}"
DATA = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def data_of(text: str) -> dict[str, dict[str, Any]]:
    """The things in a page's structured data, by kind; there is at most one block."""
    blocks = DATA.findall(text)
    assert len(blocks) <= 1
    document = json.loads(blocks[0]) if blocks else {"@graph": []}
    return {thing["@type"]: thing for thing in document["@graph"]}


# --- structured data and cards of links -------------------------------------------------------------------------------


def test_a_record_says_what_it_is_about(get: Get) -> None:
    data = data_of(get(record_url(LIVING)).text_body)
    article = data["TechArticle"]
    assert article["url"] == f"{HOST}{record_url(LIVING)}"
    assert article["@id"] == f"{HOST}/e/{LIVING['id']}/"
    assert article["headline"] == LIVING["errorMessage"]
    assert article["keywords"][:2] == ["E_FUEL", "FuelError"]
    assert article["about"]["url"] == LIVING["githubUrl"]
    assert article["about"]["codeRepository"] == "https://github.com/acme/rocket"
    assert parse_timestamp(article["dateModified"])
    for form in article["encoding"]:
        response = get(form["contentUrl"].removeprefix(HOST), accept=form["encodingFormat"])
        assert response.status_code == 200
        assert response["Content-Type"].startswith(form["encodingFormat"])


@pytest.mark.parametrize(
    "path", [record_url(LIVING), "/errors/acme/rocket/", "/families/out-of-resources/", "/tags/fuel/"]
)
def test_a_trail_leads_to_the_page(get: Get, path: str) -> None:
    items = data_of(get(path).text_body)["BreadcrumbList"]["itemListElement"]
    assert [item["position"] for item in items] == list(range(1, len(items) + 1))
    assert items[-1]["item"] == HOST + path
    assert all(get(item["item"].removeprefix(HOST)).status_code == 200 for item in items)


def test_a_retired_record_leads_to_its_permanent_address(get: Get) -> None:
    text = get("/errors/acme/rocket/retired-stage/").text_body
    article = data_of(text)["TechArticle"]
    assert article["url"] == article["@id"]
    assert f'<link rel="canonical" href="{article["url"]}">' in text
    assert len(article["encoding"]) == 1


def test_no_record_breaks_out_of_its_data(get: Get) -> None:
    for path in (f"/e/{HOSTILE_ID}", "/errors/hostile/~scr%2Bipt_%E5%90%8D%E5%89%8D./"):
        text = get(path).text_body
        assert data_of(text)["BreadcrumbList"]
        block = DATA.findall(text)[0]
        assert block.isascii()
        assert not set("<>&") & set(block)


def test_only_pages_about_something_have_data(get: Get) -> None:
    for path in ("/", "/search/?q=fuel", "/about/", "/repositories/", "/nothing"):
        assert data_of(get(path).text_body) == {}


def _meta(text: str) -> dict[str, str]:
    return {
        str(attributes["property"]): str(attributes["content"])
        for attributes in Outline(text).named("meta")
        if "property" in attributes
    }


@pytest.mark.parametrize(("path", "kind"), [(f"{SEED}/", "article"), ("/", "website"), ("/docs/api/", "website")])
def test_a_link_to_a_page_has_a_card(get: Get, path: str, kind: str) -> None:
    meta = _meta(get(path).text_body)
    assert (meta["og:type"], meta["og:url"]) == (kind, HOST + path)
    assert meta["og:title"]
    assert meta["og:description"]


def test_a_failure_has_no_card(get: Get) -> None:
    assert _meta(get("/nothing").text_body) == {}


# --- alternate forms and feeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", f"{SEED}/", "/errors/acme/rocket/", "/families/out-of-resources/", "/changes/"])
def test_alternates_are_what_they_say(get: Get, path: str) -> None:
    links = [row for row in Outline(get(path).text_body).named("link") if row.get("rel") == "alternate"]
    assert links
    for link in links:
        response = get(link["href"])
        assert response.status_code == 200
        assert response["Content-Type"].partition(";")[0] == link["type"]


def test_a_family_has_a_feed_of_what_changed_last(get: Get) -> None:
    response = get("/families/out-of-resources/atom.xml")
    feed = ET.fromstring(response.text_body)
    assert feed.findtext(f"{ATOM}id") == f"{HOST}/families/out-of-resources/atom.xml"
    entries = feed.findall(f"{ATOM}entry")
    times = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert entries
    assert times == sorted(times, reverse=True)
    assert all(map(parse_timestamp, times))
    assert feed.findtext(f"{ATOM}updated") == times[0]
    ids = [entry.findtext(f"{ATOM}id") or "" for entry in entries]
    assert len(set(ids)) == len(ids)
    assert all(get(address.removeprefix(HOST)).status_code == 200 for address in ids)
    assert get("/families/unknown/atom.xml").status_code == 404


def test_hostile_records_leave_a_feed_whole(get: Get) -> None:
    families = re.findall(r'href="(/families/[^"/]+/)"', get(f"/e/{HOSTILE_ID}").text_body)
    assert families
    for path in families:
        text = get(f"{path}atom.xml").text_body
        assert len(ET.fromstring(text).findall(f"{ATOM}entry")) >= 1
        assert "<script" not in text


# --- robots.txt and its like ------------------------------------------------------------------------------------------


def _may_crawl(robots: str, path: str) -> bool:
    """What RFC 9309 says: the longest rule that fits decides, and an allowing one wins a tie."""
    rules = re.findall(r"^(Allow|Disallow): (\S+)$", robots, re.MULTILINE)
    fitting = [
        (len(pattern), kind == "Allow")
        for kind, pattern in rules
        if re.match(re.escape(pattern).replace(r"\*", ".*"), path)
    ]
    return max(fitting, default=(0, True))[1]


def test_records_may_be_crawled_and_searches_and_filters_may_not(get: Get) -> None:
    robots = get("/robots.txt").text_body
    sitemaps = re.findall(r"^Sitemap: (\S+)$", robots, re.MULTILINE)
    assert [get(address.removeprefix(HOST)).status_code for address in sitemaps] == [200]
    for path in (
        "/", record_url(LIVING), f"{SEED}.md", "/e/E_FUEL", "/families/out-of-resources/", "/errors/acme/rocket/",
        "/changes/atom.xml?repo=acme%2Frocket", "/docs/api/", "/llms.txt", "/static/css/base.css", "/explain/",
    ):  # fmt: skip
        assert _may_crawl(robots, path), path
    for path in (
        "/search/", "/search/?q=x", "/search/?cursor=x", "/explain/?q=x", "/errors/acme/rocket/?severity=error",
        "/errors/acme/rocket/?status=retired", "/repositories/?q=x", "/changes/?repo=x", "/api/v1/errors/",
        "/api/v1/errors/?cursor=x", "/errors/acme/rocket/?cursor=x", "/data/index.json", "/mcp",
        "/admin/", "/changes/4/?repo=x&kind=retired",
    ):  # fmt: skip
        assert not _may_crawl(robots, path), path


def test_every_link_to_a_filter_says_that_it_is_not_to_be_followed(get: Get) -> None:
    """Where robots.txt is not read, either; further pages of a list may be followed."""
    followed = []
    for path in ("/errors/acme/rocket/", "/search/?q=fuel", "/changes/4/", "/repositories/", "/families/", f"{SEED}/"):
        text = get(path).text_body
        for link in Outline(text).named("a"):
            address = link["href"] or ""
            filters = "?" in address and address.startswith(("/", "?")) and "cursor=" not in address
            if filters and "nofollow" not in (link.get("rel") or "") and "noindex" not in text:
                followed.append((path, address))
    assert followed == []


def test_a_browser_learns_to_search_here(get: Get) -> None:
    response = get("/opensearch.xml")
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    description = ET.fromstring(response.text_body)
    assert len(description.findtext(f"{space}ShortName") or "") <= 16
    urls = {url.attrib["rel"] + url.attrib["type"]: url.attrib["template"] for url in description.iter(f"{space}Url")}
    assert urls["selfapplication/opensearchdescription+xml"] == f"{HOST}/opensearch.xml"
    for kind in ("text/html", "application/json"):
        address = urls[f"results{kind}"].replace("{searchTerms}", quote("fuel tank"))
        assert get(address.removeprefix(HOST), accept=kind).status_code == 200


@pytest.mark.parametrize("words", ["a catalog", "an empty one"])
def test_addresses_in_llms_txt_are_answered(request: pytest.FixtureRequest, words: str) -> None:
    get: Get = request.getfixturevalue("get" if words == "a catalog" else "get_empty")
    text = get("/llms.txt").text_body
    addresses = re.findall(r"\]\((http://testserver[^)]*)\)", text)
    assert len(addresses) > 10
    awaited = {"/mcp": {405}, "/api/v1/search/?q=timeout": {200, 503}}
    for address in addresses:
        path = address.removeprefix(HOST)
        if path == "/data/manifest.json":  # the first request has the dataset made
            assert resolve(path)
            continue
        assert get(path, accept="*/*").status_code in awaited.get(path, {200}), path


def test_addresses_follow_the_configured_site(get: Get, settings: Any) -> None:
    settings.KB_BASE_URL = "https://errors.example.org"
    for path in (
        "/llms.txt",
        "/robots.txt",
        "/opensearch.xml",
        "/sitemap.xml",
        "/families/out-of-resources/atom.xml",
        f"{SEED}/",
    ):
        text = get(path).text_body
        assert "https://errors.example.org/" in text
        assert "testserver" not in text


# --- a terminal -------------------------------------------------------------------------------------------------------


def test_curl_gets_a_card_or_a_list_that_fits_a_terminal(get: Get) -> None:
    for reference in (LIVING["id"], HOSTILE_ID, "E_FUEL", "e_fuel"):
        response = get(f"/e/{reference}", accept="*/*")
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        lines = response.text_body.splitlines()
        assert len(lines) <= 40
        assert all(len(line) <= 80 for line in lines)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", response.text_body)
    listed = get("/e/E_FUEL", accept="*/*").text_body
    assert listed.count(f"{HOST}/e/") > 1
