"""URL keys of labels that are no slugs: codes and classes such as ``ERR_BAD_RESPONSE`` or ``std::out_of_range``."""

from __future__ import annotations

import hashlib
import re

__all__ = ["MAX_SLUG", "url_key"]

MAX_SLUG = 60

_WORD = re.compile(r"[a-z0-9]+")
_DIGITS = 6


def url_key(label: str) -> str:
    """``{slug}-{6 hex}`` for a label: readable, safe in a path, and different for labels with the same words.

    The slug is the label's lower-case ASCII words joined by ``-``, at most :data:`MAX_SLUG` characters, ``x`` when the
    label has none. The digits begin the SHA-256 of the label as written, so ``E1`` and ``e1`` have different keys.
    """
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    slug = "-".join(_WORD.findall(label.lower()))[:MAX_SLUG].rstrip("-")
    return f"{slug or 'x'}-{digest}"
