"""Opaque cursors: where a list goes on, bound to the list that made them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json

from kb.catalog.answers import BadCursor

__all__ = ["decode_cursor", "encode_cursor", "signature"]

_MOST = 4096


def signature(*parts: object) -> str:
    """Six digits that tell one list, with its filters, from another."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:6]


def encode_cursor(mark: str, keys: tuple[str | int, ...]) -> str:
    """A cursor after the item with these keys, safe in a URL."""
    text = json.dumps([mark, *keys], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(mark: str, cursor: str, kinds: tuple[type, ...]) -> tuple[str | int, ...]:
    """The keys of a cursor. Raises :class:`BadCursor` when it is damaged or belongs to another list."""
    try:
        if len(cursor) > _MOST:
            raise BadCursor("the cursor is too long")
        padded = cursor + "=" * (-len(cursor) % 4)
        found, *keys = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
    except (binascii.Error, UnicodeError, ValueError, TypeError, RecursionError) as error:
        message = "this is not a cursor of this site"
        raise BadCursor(message) from error
    fits = len(keys) == len(kinds) and all(type(key) is kind for key, kind in zip(keys, kinds, strict=True))
    clean = all(not isinstance(key, str) or ("\x00" not in key and key.isprintable()) for key in keys)
    small = all(not isinstance(key, int) or abs(key) < 2**63 for key in keys)
    if found != mark or not fits or not clean or not small:
        message = "this cursor belongs to another list"
        raise BadCursor(message)
    return tuple(keys)
