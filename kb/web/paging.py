"""Parameters that lists share: where the list goes on, and words that narrow it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest

__all__ = ["SHOWN_NAMES", "SHOWN_RECORDS", "cursor_of", "paging", "word_of"]

SHOWN_RECORDS = 30
SHOWN_NAMES = 60
_LONGEST_WORD = 200


def cursor_of(request: HttpRequest) -> str | None:
    """Where the list goes on; ``None`` on its first page."""
    return request.GET.get("cursor") or None


def word_of(request: HttpRequest, name: str) -> str:
    """The parameter ``name`` without white space round it, empty when it is not there."""
    return request.GET.get(name, "").strip()[:_LONGEST_WORD]


def paging(request: HttpRequest, following: str | None) -> dict[str, str]:
    """What the template part ``paging`` needs: the addresses of the first page, empty on it, and of the next one.

    ``following`` is the cursor of the next page. Everything else of this page's query string is kept.
    """
    kept = [(name, value) for name, values in request.GET.lists() if name != "cursor" for value in values if value]
    return {
        "first": f"?{urlencode(kept)}" if cursor_of(request) else "",
        "next": f"?{urlencode([*kept, ('cursor', following)])}" if following else "",
    }
