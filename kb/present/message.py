"""Error messages: placeholders marked, everything else as it stands."""

from __future__ import annotations

from django.utils.safestring import SafeString, mark_safe

from kb.present.invisible import visible_html, visible_text
from kb.records.messages import split_message
from kb.records.text import one_line

__all__ = ["message_html", "message_text"]


def message_text(message: str, *, limit: int) -> str:
    """``message`` on one line, at most ``limit`` characters, for titles and plain lists."""
    return one_line(visible_text(one_line(message, limit)), limit)


def message_html(message: str, *, limit: int | None = None) -> SafeString:
    """``message`` escaped, each placeholder in ``<span class="ph">``; with ``limit`` cut there and put on one line."""
    parts: list[str] = []
    for segment in split_message(message if limit is None else one_line(message, limit)):
        shown = visible_html(segment.text)
        parts.append(f'<span class="ph">{shown}</span>' if segment.kind == "placeholder" else shown)
    return mark_safe("".join(parts))  # noqa: S308 - every part is escaped
