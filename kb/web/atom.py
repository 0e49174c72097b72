"""Atom feeds: entries in, a document out that every reader can parse, whatever a dataset wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.template.loader import render_to_string

from kb.present.invisible import visible_text

__all__ = ["FeedEntry", "feed_response", "stamp"]

_NOT_IN_XML = re.compile("[\ufffe\uffff]")
_NEVER = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, kw_only=True)
class FeedEntry:
    """One entry; ``id`` never changes, ``lines`` are (text, address) of what the entry is about."""

    id: str
    title: str
    url: str
    updated: str
    summary: str
    lines: tuple[tuple[str, str], ...] = ()


def stamp(moment: datetime) -> str:
    """A time in UTC as feeds have it."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def feed_response(*, address: str, page: str, title: str, entries: Sequence[FeedEntry], latest: str) -> HttpResponse:
    """The feed at ``address`` about ``page``. ``latest`` stands for the time of its last entry when it has none."""
    context = {
        "title": visible_text(title),
        "id": address,
        "page": page,
        "updated": max((entry.updated for entry in entries), default=latest) or _NEVER,
        "entries": entries,
    }
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", render_to_string("machines/atom.xml", context))
    return HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
