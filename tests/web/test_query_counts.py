"""A page costs a fixed number of queries, whatever the catalog holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.web.page_checks import ALWAYS, ASKING, FEEDS, MACHINES, SEED, WITH_DATA

Get = Callable[..., Any]
MOST_A_PAGE = 6
MOST_A_SEARCH = 4


@pytest.mark.parametrize(
    "path", [*ALWAYS, *ASKING, *WITH_DATA, *MACHINES, *FEEDS, f"{SEED}.json", f"{SEED}.md", "/acme/rocket/"]
)
def test_a_page_makes_few_queries(get: Get, django_assert_max_num_queries: Any, path: str) -> None:
    with django_assert_max_num_queries(MOST_A_SEARCH if path.startswith("/search/") else MOST_A_PAGE):
        assert get(path).status_code in {200, 302}


@pytest.mark.parametrize("path", ["/healthz", "/favicon.ico", "/nothing-here", "/search/?q=%00", "/errors/"])
def test_what_needs_no_catalog_asks_nothing(get: Get, django_assert_num_queries: Any, path: str) -> None:
    with django_assert_num_queries(0):
        get(path)


@pytest.mark.parametrize("path", ["/errors/acme/rocket/first-stage/", "/repositories/", "/families/", "/sitemap.xml"])
def test_a_copy_that_still_holds_is_confirmed_by_one_query(get: Get, django_assert_num_queries: Any, path: str) -> None:
    tag = get(path)["ETag"]
    with django_assert_num_queries(1):
        assert get(path, if_none_match=tag).status_code == 304
