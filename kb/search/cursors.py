"""Cursors of a list of hits: opaque, safe in a URL, tied to their query and to the revision that the list began in."""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Mapping, Sequence

from kb.search import tuning
from kb.search.errors import BadSearchCursor

__all__ = ["next_cursor", "query_digest", "read_cursor"]

_STAMP = 4
_CURSOR = struct.Struct(f">IH{_STAMP}s")
_CHARACTERS = 14


def query_digest(text: str, filters: Mapping[str, Sequence[str]], *, unfinished: bool = False) -> bytes:
    """What tells one question from another; its beginning ties a cursor to its question."""
    told = repr((text, sorted((name, sorted(values)) for name, values in filters.items() if values)))
    told += " unfinished" if unfinished else ""
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).digest()


def next_cursor(revision: int, *, offset: int, count: int, digest: bytes) -> str | None:
    """The cursor of the hits from ``offset`` on; ``None`` when there are none, or none that can be paged to."""
    if offset >= min(count, tuning.MAX_RANKED):
        return None
    return base64.urlsafe_b64encode(_CURSOR.pack(revision, offset, digest[:_STAMP])).decode().rstrip("=")


def read_cursor(cursor: str, digest: bytes) -> tuple[int, int]:
    """Revision and offset of a cursor. Raises :class:`BadSearchCursor` when it is none, or one of another query."""
    try:
        if len(cursor) != _CHARACTERS:
            raise BadSearchCursor("This is no cursor of a search.")
        revision, offset, theirs = _CURSOR.unpack(base64.urlsafe_b64decode(cursor.encode("ascii") + b"=="))
    except (ValueError, struct.error):
        raise BadSearchCursor("This is no cursor of a search.") from None
    if theirs != digest[:_STAMP] or not 0 < offset < tuning.MAX_RANKED:
        raise BadSearchCursor("This cursor belongs to another search.")
    return revision, offset
