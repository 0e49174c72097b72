"""The choice of a media type."""

from __future__ import annotations

import pytest

from kb.api.negotiation import JSON, MARKDOWN, choose

BOTH = (JSON, MARKDOWN)


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("text/*", MARKDOWN),
        ("text/markdown", MARKDOWN),
        ("TEXT/Markdown", MARKDOWN),
        ("text/markdown;charset=utf-8", MARKDOWN),
        ("text/markdown;charset=latin-1", None),
        ("text/markdown;variant=GFM", None),
        ("application/json;q=0.4, text/markdown;q=0.6", MARKDOWN),
        ("text/markdown;q=0.2, */*;q=0.1", MARKDOWN),
        ("application/json;q=0, */*", MARKDOWN),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", JSON),
        ("text/html", None),
        ("application/problem+json", None),
        ("application/json;q=0", None),
        ("nonsense", JSON),
        ("/, ;q=1", None),
        ("text/markdown;q=high", MARKDOWN),
        (", ".join(["text/html"] * 5_000), None),
    ],
)
def test_the_range_with_the_highest_weight_decides(accept: str, chosen: str | None) -> None:
    assert choose(accept, BOTH) == chosen
