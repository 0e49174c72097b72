"""What an address may hold. Functions of its text; refusals are in the language that is spoken where it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from django.utils.translation import gettext

from kb.present.links import EXPLAIN, LONGEST_Q
from kb.present.numbers import grouped

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
        said = gettext("The query string has %(length)s bytes; at most %(most)s are read.")
        return _too_long(said, len(query), LONGEST_QUERY)
    for parameter in query.split(b"&"):
        name, _, value = parameter.partition(b"=")
        if name == b"q" and len(value) > LONGEST_WORDS:
            said = gettext("The parameter q has %(length)s bytes; at most %(most)s are read.")
            return _too_long(said, len(value), LONGEST_WORDS)
    if "\x00" in path or _BROKEN.search(path):
        return _unreadable(gettext("The path holds a NUL character or bytes that are not UTF-8 text."))
    if not _readable(unquote_to_bytes(query)):
        return _unreadable(gettext("The query string holds a NUL character or bytes that are not UTF-8 text."))
    return None


def _readable(text: bytes) -> bool:
    try:
        return "\x00" not in text.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _too_long(said: str, length: int, most: int) -> Refusal:
    advice = gettext("Search for the line with the message alone. Longer texts go by POST: paste them at %(address)s.")
    detail = f"{said % {'length': grouped(length), 'most': grouped(most)}} {advice % {'address': EXPLAIN}}"
    return Refusal(status=414, code="query_too_long", detail=detail)


def _unreadable(detail: str) -> Refusal:
    return Refusal(status=400, code="invalid_character", detail=detail)
