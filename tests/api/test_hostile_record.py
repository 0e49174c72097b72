"""A record whose every text is an attack is data in JSON, and text in Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from markdown_it import MarkdownIt

Get = Callable[..., Any]
HOSTILE_ID = "5886547cf5882709"
ATTACKS = ("<script", "<img", "javascript:")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (f"errors/{HOSTILE_ID}/", {}),
        ("errors/", {"dataset": "hostile"}),
        ("errors/", {"dataset": "hostile", "fields": "documentation,solutions"}),
        ("search/", {"q": "onerror alert"}),
        ("codes/", {}),
        ("classes/", {"prefix": "evil"}),
    ],
)
def test_json_says_that_it_is_json(path: str, query: dict[str, str], get: Get) -> None:
    response = get(path, query)
    assert response.status_code == 200
    assert b"onerror" in response.body or query.get("fields")
    assert json.loads(response.body)
    assert response["content-type"] == "application/json"
    assert response["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in response["content-security-policy"]


def test_addresses_made_from_it_lead_back_to_it(get: Get) -> None:
    meta = get(f"errors/{HOSTILE_ID}/").json()["meta"]
    for name in ("repository", "errorsUrl"):
        address = meta["repository"]["apiUrl" if name == "repository" else name]
        assert address.isascii()
        assert not set("<>\"' ") & set(address)
        assert get(address.removeprefix("http://testserver")).status_code == 200
    (code,) = [row for row in get("codes/", {"limit": "100"}).json()["results"] if "script" in row["label"]]
    (found,) = get(code["errorsUrl"].removeprefix("http://testserver")).json()["results"]
    assert found["id"] == HOSTILE_ID
    assert get(code["apiUrl"].removeprefix("http://testserver")).json()["term"] == code


def test_markdown_of_it_makes_no_elements(get: Get) -> None:
    text = get(f"errors/{HOSTILE_ID}/", accept="text/markdown").body.decode()
    html = MarkdownIt("commonmark", {"html": True}).render(text)
    for attack in ("<script", "<img"):
        assert attack not in html.lower()
    assert 'href="javascript:' not in html.lower()
