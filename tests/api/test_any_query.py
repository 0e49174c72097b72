"""Whatever text a client searches for, the answer is one that the document knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

Get = Callable[..., Any]
# Words of the language and of the records among any characters, surrogates excepted: they cannot be sent.
PIECES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "repo:",
            "severity:",
            "-",
            '"',
            "http:5xx",
            "timeout",
            "E_FUEL",
            "foo.bar()",
            "状態",
            "\u202e",
            "\u0301",
            ":",
            "\\",
            "*",
            "~2",
            "AND",
            "((",
        ]
    ),
)
QUERIES = st.lists(PIECES, max_size=12).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(query=QUERIES)
@example(query="a" * 2_000)
@example(query="\0")
@example(query="ﷺ" * 200)
def test_a_search_never_fails(query: str, get: Get) -> None:
    response = get("search/", {"q": query, "facets": "none", "limit": "5"})
    assert response.status_code in {200, 400, 414}, response.body
    if response.status_code == 200:
        body = response.json()
        assert len(body["results"]) <= min(5, body["count"])
    else:
        assert response.json()["code"] in {"invalid_character", "query_too_long"}
