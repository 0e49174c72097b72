"""The table of paths, and which foreign addresses become links."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from django.urls import resolve

from kb.present import links

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (links.record_path("axios/axios", "timeout-of"), "/errors/axios/axios/timeout-of/"),
        (links.record_json_path("axios/axios", "timeout-of"), "/errors/axios/axios/timeout-of.json"),
        (links.record_markdown_path("axios/axios", "timeout-of"), "/errors/axios/axios/timeout-of.md"),
        (links.record_api_path("12c38bb1afed0ec1"), "/api/v1/errors/12c38bb1afed0ec1/"),
        (links.short_path("12c38bb1afed0ec1"), "/e/12c38bb1afed0ec1/"),
        (links.short_path("auth/invalid-email"), "/e/auth%2Finvalid-email/"),
        (links.repository_path("axios/axios"), "/errors/axios/axios/"),
        (links.repository_path("a b/c?d#e"), "/errors/a%20b/c%3Fd%23e/"),
        (links.repository_path("owner/<name>&é"), "/errors/owner/%3Cname%3E%26%C3%A9/"),
        (links.family_path("connection-refused"), "/families/connection-refused/"),
        (links.code_path("err-x-0a1b2c"), "/codes/err-x-0a1b2c/"),
        (links.class_path("mmerror-0a1b2c"), "/classes/mmerror-0a1b2c/"),
        (links.tag_path("timeout"), "/tags/timeout/"),
        (links.release_path(7), "/releases/7/"),
        (links.search_path('a+b "c" repo:x/y&z'), "/search/?q=a%2Bb%20%22c%22%20repo%3Ax%2Fy%26z"),
        (links.absolute("https://kb.example/", "/e/1/"), "https://kb.example/e/1/"),
        (links.absolute("", "/e/1/"), "/e/1/"),
    ],
)
def test_paths_are_encoded_part_by_part(path: str, expected: str) -> None:
    assert path == expected


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("a b", "/explain/?q=a+b"),
        ('E: "x" & 1+1\n#é', "/explain/?q=E%3A+%22x%22+%26+1%2B1%0A%23%C3%A9"),
        ("x" * 2_000, f"/explain/?q={'x' * 2_000}"),
        ("x" * 2_001, None),
        ("é" * 334, None),  # six bytes each
        ("", None),
        ("a\0b", None),
        ("a\ud800b", None),
    ],
)
def test_short_texts_have_a_link_to_their_explanation(text: str, link: str | None) -> None:
    assert links.explain_url(text) == link


@pytest.mark.parametrize(
    "url",
    [
        "http://github.com/a/b",
        "https://github.com.evil.example/a",
        "https://evil.example/github.com",
        "https://user@github.com/a",
        "https://github.com:8443/a",
        "https://GitHub.com@evil.example/",
        "https://github.com\\@evil.example/",
        "https://github.com/a b",
        "https://github.com/\u202ea",
        'https://github.com/"onmouseover="x',
        "https://github.com/<script>",
        "https://[github.com/a",
        "javascript:alert(1)//https://github.com/",
        "//github.com/a",
        "https://github.com/" + "a" * 3000,
        "https://",
        "",
        " https://github.com/a",
        "https://github.com/a\n",
    ],
)
def test_only_plain_https_addresses_of_known_hosts_become_links(url: str) -> None:
    assert links.source_url(url) is None
    assert links.source_url(url, 7) is None
    assert links.commit_url(url, "a/b", SHA) is None


def test_a_permalink_can_point_at_another_line() -> None:
    url = f"https://github.com/a/b/blob/{SHA}/x%20y/(z).py#L1-L9"
    assert links.source_url(url) == url
    assert links.source_url(url, 5) == f"https://github.com/a/b/blob/{SHA}/x%20y/(z).py#L5"


def test_a_commit_is_linked_only_within_the_record_s_repository() -> None:
    url = f"https://github.com/A/b/blob/{SHA}/x.py"
    assert links.commit_url(url, "a/b", SHA) == f"https://github.com/a/b/commit/{SHA}"
    assert links.commit_url(url, "a/bc", SHA) is None
    assert links.commit_url(url, "other/b", SHA) is None


REPO = "ex.ample-org/na_me.js"


@pytest.mark.parametrize(
    ("path", "view", "arguments"),
    [
        (links.HOME, "home", {}),
        (links.SEARCH, "search", {}),
        (links.EXPLAIN, "explain", {}),
        (links.REPOSITORIES, "repositories", {}),
        (links.FAMILIES, "families", {}),
        (links.CODES, "codes", {}),
        (links.CLASSES, "classes", {}),
        (links.TAGS, "tags", {}),
        (links.RELEASES, "releases", {}),
        (links.STATUS, "status", {}),
        (links.ABOUT, "about", {}),
        (links.record_path(REPO, "a-b"), "record", {"owner": "ex.ample-org", "name": "na_me.js", "slug": "a-b"}),
        (links.record_json_path(REPO, "a"), "record-json", {"owner": "ex.ample-org", "name": "na_me.js", "slug": "a"}),
        (links.record_markdown_path(REPO, "a"), "record-markdown", {"slug": "a"}),
        (links.repository_path(REPO), "repository", {"owner": "ex.ample-org", "name": "na_me.js"}),
        (links.short_path("12c38bb1afed0ec1"), "short", {"reference": "12c38bb1afed0ec1"}),
        (links.short_path("auth/invalid email?"), "short", {"reference": "auth/invalid email?"}),
        (links.family_path("a-b"), "family", {"key": "a-b"}),
        (links.code_path("err-x-0a1b2c"), "code", {"key": "err-x-0a1b2c"}),
        (links.class_path("x-0a1b2c"), "class", {"key": "x-0a1b2c"}),
        (links.tag_path("a-b"), "tag", {"key": "a-b"}),
        (links.release_path(7), "release", {"number": 7}),
    ],
)
def test_the_table_agrees_with_the_resolver(path, view, arguments) -> None:
    found = resolve(unquote(path))  # as the server hands it on
    assert found.url_name == view
    assert arguments.items() <= found.kwargs.items()


def test_the_api_answers_where_the_table_says() -> None:
    assert resolve(links.record_api_path("12c38bb1afed0ec1")).route.startswith("api/v1/")
