"""What a person gives for a record: an id, a code, an address that was copied from anywhere, or its place."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

from kb.present import links

__all__ = ["path_of"]

_ID: Final = re.compile(r"[0-9a-f]{16}", re.IGNORECASE)
_BY_ID: Final = re.compile(r"/(?:e|api/v1/errors)/(?P<reference>[^/]+)(?:/history)?/?")
_SLUG: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_BY_SLUG: Final = re.compile(rf"(?P<repo>[^/]+/[^/]+)/(?P<slug>{_SLUG})(?:\.json|\.md|/|/history/?)?")
_LONGEST: Final = 2_000


def path_of(reference: str) -> str:
    """The path that answers for ``reference``: ``/e/…`` by id or code, or the record's JSON by repository and slug.

    Of an address the path counts, whatever the host: datasets name records by their publisher's addresses. Raises
    ``ValueError`` for what names no record.
    """
    text = reference.strip()
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise ValueError(f"{text[:80]!r} names no record; give an id, a code, an address or owner/name/slug")
    if "://" in text:
        return _path_of_address(text)
    if _BY_ID.fullmatch(text) and text.startswith(("/e/", "/api/")):
        return _path_of_address(f"http://localhost{text}")
    place = _BY_SLUG.fullmatch(text.removeprefix("/errors/").removeprefix("errors/"))
    if place and not _ID.fullmatch(text):
        return links.record_json_path(place["repo"], place["slug"])
    return links.short_path(text)


def _path_of_address(address: str) -> str:
    """Raises ``ValueError`` for an address of something else."""
    try:
        path = urlsplit(address).path
    except ValueError:
        path = ""
    by_id = re.search(_BY_ID.pattern + r"\Z", path)
    if by_id:
        return links.short_path(unquote(by_id["reference"]))
    parts = re.search(rf"/{_BY_SLUG.pattern}\Z", path)
    if parts is None:
        raise ValueError(f"{address[:200]!r} is the address of no record")
    return links.record_json_path(unquote(parts["repo"]), parts["slug"])
