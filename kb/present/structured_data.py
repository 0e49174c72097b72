"""What a page is about, in the words of schema.org, for crawlers and readers that show more than text.

It says what the page says and nothing else. Values become harmless on the way into the page, by ``data_block``; here
characters that a reader cannot see are made visible, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kb.catalog.answers import RecordView
from kb.present import links
from kb.present.invisible import visible_text
from kb.present.message import message_text
from kb.records.text import one_line
from kb.records.timestamps import parse_timestamp

__all__ = ["breadcrumbs_data", "graph", "record_data"]

_HEADLINE = 110  # characters that readers of such data show
_DESCRIPTION = 280
_MOST_KEYWORDS = 20
_BEFORE_FILE = re.compile(r"/(?:-/)?(?:blob|tree|src)/")  # where the address of a repository ends in that of a file


def graph(*things: dict[str, Any]) -> dict[str, Any]:
    """Several things as one document."""
    return {"@context": "https://schema.org", "@graph": list(things)}


def breadcrumbs_data(site: str, trail: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A ``BreadcrumbList`` of (name, path), the outermost first."""
    items = [
        {
            "@type": "ListItem",
            "position": position,
            "name": _shown(name, _DESCRIPTION),
            "item": links.absolute(site, path),
        }
        for position, (name, path) in enumerate(trail, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}


def record_data(view: RecordView, site: str, path: str) -> dict[str, Any]:
    """A ``TechArticle`` about a record whose page is at ``path``. Dates are those that the record itself gives."""
    record = view.record
    address = links.absolute(site, path)
    keywords = [record.error_code, record.error_class, *record.tags]
    article: dict[str, Any] = {
        "@type": "TechArticle",
        "@id": links.absolute(site, links.short_path(record.id)),
        "url": address,
        "mainEntityOfPage": address,
        "headline": message_text(record.error_message, limit=_HEADLINE),
        "description": _shown(view.row.excerpt, _DESCRIPTION),
        "identifier": record.id,
        "keywords": [_shown(word, _HEADLINE) for word in keywords if word][:_MOST_KEYWORDS],
        "isPartOf": {"@type": "Dataset", "name": _shown(view.dataset, _HEADLINE), "url": links.absolute(site, "/")},
        "encoding": [
            _encoding("application/json", links.absolute(site, links.record_api_path(record.id))),
            *_markdown(view, site),
        ],
    }
    changed = parse_timestamp(record.content_changed_at or record.analyzed_at)
    if changed:
        article["dateModified"] = changed.isoformat().replace("+00:00", "Z")
    source = links.source_url(record.github_url, record.line_number)
    if source:
        article["about"] = {
            "@type": "SoftwareSourceCode",
            "name": _shown(record.repo, 200),
            "url": source,
            "codeRepository": _BEFORE_FILE.split(source, maxsplit=1)[0],
        }
    return article


def _markdown(view: RecordView, site: str) -> list[dict[str, Any]]:
    if view.retired_revision is not None:  # later its slug may be another record's
        return []
    path = links.record_markdown_path(view.record.repo, view.record.slug)
    return [_encoding("text/markdown", links.absolute(site, path))]


def _encoding(kind: str, address: str) -> dict[str, Any]:
    return {"@type": "MediaObject", "encodingFormat": kind, "contentUrl": address}


def _shown(text: str, limit: int) -> str:
    return one_line(visible_text(one_line(text, limit)), limit)
