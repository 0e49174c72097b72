"""URL keys of labels that are no slugs: codes and classes such as ``ERR_BAD_RESPONSE`` or ``std::out_of_range``."""

from __future__ import annotations

import hashlib
import re

__all__ = ["MAX_KEY", "MAX_SLUG", "url_key"]

MAX_SLUG = 60
MAX_KEY = MAX_SLUG + 1 + 12

_WORD = re.compile(r"[a-z0-9]+")
# What a slug tells in full, up to case and the kind of separator: ASCII words with one usual separator between them.
_TOLD = re.compile(r"[A-Za-z0-9]+(?:(?:[_./: -]|::)[A-Za-z0-9]+)*")
_DIGITS = 6
_MORE_DIGITS = 12


def url_key(label: str) -> str:
    """``{slug}-{6 hex}`` for a label: readable, safe in a path, and different for labels with the same words.

    The slug is the label's lower-case ASCII words joined by ``-``, at most :data:`MAX_SLUG` characters, ``x`` when the
    label has none. The digits begin the SHA-256 of the label as written, so ``E1`` and ``e1`` have different keys.

    Six digits are enough for the few labels that differ in nothing but case and separators. A label of which the slug
    drops more, such as ``$E``, ``E__1``, ``错误`` or one that is cut, shares its slug with any number of others, so
    its key has twelve digits.
    """
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
    slug = "-".join(_WORD.findall(label.lower()))
    told = len(slug) <= MAX_SLUG and _TOLD.fullmatch(label)
    return f"{slug[:MAX_SLUG].rstrip('-') or 'x'}-{digest[: _DIGITS if told else _MORE_DIGITS]}"
