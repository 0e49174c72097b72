"""JSON inside an HTML page: the one escaping for it. Data blocks only, never a program."""

from __future__ import annotations

import json
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

__all__ = ["data_block", "embedded_json"]

_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&'\u2028\u2029\x7f"}


def embedded_json(value: Any) -> SafeString:
    """``value`` as ASCII JSON that cannot end or reopen the element round it (``</script>``, ``<!--``, ``]]>``).

    Raises ``ValueError`` for NaN and infinities, ``TypeError`` for what JSON cannot hold.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return mark_safe(text.translate(_ESCAPES))  # noqa: S308 - no character that HTML knows is left


def data_block(value: Any, *, kind: str = "application/json", id: str | None = None) -> SafeString:
    """A ``<script>`` data block of type ``kind`` (``application/ld+json``, …) that holds ``value``."""
    if id is None:
        return format_html('<script type="{}">{}</script>', kind, embedded_json(value))
    return format_html('<script id="{}" type="{}">{}</script>', id, kind, embedded_json(value))
