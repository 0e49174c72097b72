"""What an address may hold. Pure functions of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from kb.present.links import EXPLAIN, LONGEST_Q

__all__ = ["LONGEST_QUERY", "LONGEST_WORDS", "Refusal", "refusal_of"]

LONGEST_WORDS = LONGEST_Q  # bytes of the parameter q, as encoded (decisions 17)
LONGEST_QUERY = 6_000  # bytes of the whole query string
_BROKEN = re.compile("%[89A-F][0-9A-F]")


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why an address is not answered: a status, a stable code, and a sentence for the reader."""

    status: int
    code: str
    detail: str


def refusal_of(path: str, query: bytes) -> Refusal | None:
    """What is wrong with a decoded ``path`` or an encoded ``query`` string, ``None`` when nothing is.

    Both must be UTF-8 without NUL once decoded: databases refuse the rest (pitfalls P1, P2). A lone surrogate is no
    UTF-8 either. Django leaves bytes of a path that are no UTF-8 as their escapes. In a query, a percent sign that
    begins no escape stands for itself.
    """
    if len(query) > LONGEST_QUERY:
        return _too_long(f"The query string has {len(query):,} bytes; at most {LONGEST_QUERY:,} are read.")
    for parameter in query.split(b"&"):
        name, _, value = parameter.partition(b"=")
        if name == b"q" and len(value) > LONGEST_WORDS:
            return _too_long(f"The parameter q has {len(value):,} bytes; at most {LONGEST_WORDS:,} are read.")
    if "\x00" in path or _BROKEN.search(path):
        return _unreadable("path")
    if not _readable(unquote_to_bytes(query)):
        return _unreadable("query string")
    return None


def _readable(text: bytes) -> bool:
    try:
        return "\x00" not in text.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _too_long(detail: str) -> Refusal:
    advice = f"Search for the line with the message alone. Longer texts go by POST: paste them at {EXPLAIN}."
    return Refusal(status=414, code="query_too_long", detail=f"{detail} {advice}")


def _unreadable(where: str) -> Refusal:
    return Refusal(
        status=400,
        code="invalid_character",
        detail=f"The {where} holds a NUL character or bytes that are not UTF-8 text.",
    )
