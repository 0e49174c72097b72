"""Entity tags: their comparison with what a client sends."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from kb.api import caching


@pytest.mark.parametrize(
    ("header", "same"),
    [
        ('"r1-a"', True),
        ('W/"r1-a"', True),
        ('"x", "r1-a"', True),
        ('"x","r1-a" , "y"', True),
        ('"r1-a-gzip"', True),
        ("*", True),
        ('"r1-b"', False),
        ('"r1-a', False),
        ("r1-a", False),
        ("", False),
        ("\xff\xfe", False),
    ],
)
def test_tags_are_compared_weakly(header: str, same: bool) -> None:
    request = RequestFactory().get("/", headers={"if-none-match": header} if header else {})
    assert caching.matches(request, '"r1-a"') is same


def test_everything_that_shapes_an_answer_changes_its_tag() -> None:
    base = ("https://a.example", "/api/v1/errors/", "limit=1", "application/json")
    others = [(*base[:place], part + "x", *base[place + 1 :]) for place, part in enumerate(base)]
    tags = {caching.revision_tag(1, caching.variant(*parts)) for parts in [base, *others]}
    tags |= {caching.revision_tag(2, caching.variant(*base)), caching.revision_tag(1, caching.variant(*base), "ab")}
    assert len(tags) == 7
