"""Characters that a reader cannot see, made visible.

Control characters, bidirectional controls (they reorder what is read), zero-width characters and odd line separators
become ``⟨U+202E⟩``. Nothing is dropped silently: who reads the text learns what the dataset holds, and no terminal or
browser obeys it. Language models get the text without them.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape  # what Django's own calls; a page has hundreds of short texts

from django.utils.safestring import SafeString

__all__ = ["breakable_html", "has_invisible", "visible_html", "visible_text", "without_invisible"]

# C0 but tab and line feed, DEL, C1, soft hyphen, grapheme joiner, Arabic letter mark, Hangul and Khmer fillers,
# Mongolian separators, zero-width space and direction marks, line separators and direction overrides, invisible
# operators and isolates, byte order mark, annotations, tag characters, supplementary variation selectors.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# The zero-width joiners build letters and emoji: they are kept between characters beyond ASCII, shown elsewhere.
_INVISIBLE = re.compile(f"[{_HIDDEN}]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])")

# Where a path or a qualified name may go on in the next line: between its names, and between the words of a name,
# but not before a file's short ending.
_SEAM = re.compile(r"(?<=[/\\])(?=[^/\\])|(?<=[.:@])(?=[^\W_]{4})|(?<=[^\W_]_)(?=[^\W_])")


def _mark(found: re.Match[str]) -> str:
    return f"⟨U+{ord(found[0]):04X}⟩"


def _mark_html(found: re.Match[str]) -> str:
    name = unicodedata.name(found[0], "control character").lower()
    return f'<span class="ctl" title="{name}">{_mark(found)}</span>'


def has_invisible(text: str) -> bool:
    """Whether ``text`` holds a character that would be shown as a mark."""
    return _INVISIBLE.search(text) is not None


def visible_text(text: str) -> str:
    """``text`` with ``⟨U+…⟩`` for every invisible character; tabs and line feeds stay, CRLF becomes a line feed."""
    return _INVISIBLE.sub(_mark, text.replace("\r\n", "\n"))


def without_invisible(text: str) -> str:
    """``text`` without its invisible characters, for readers that are programs; tabs and line feeds stay."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n"))


def visible_html(text: str) -> SafeString:
    """``text`` escaped for HTML, its invisible characters as ``<span class="ctl">``."""
    if text.isascii() and text.isprintable():
        return SafeString(escape(text))
    return SafeString(_INVISIBLE.sub(_mark_html, escape(text.replace("\r\n", "\n"))))


def breakable_html(name: str) -> SafeString:
    """A path or qualified name as :func:`visible_html`, with ``<wbr>`` where a line may end; copies are equal."""
    return SafeString("<wbr>".join(visible_html(part) for part in _SEAM.split(name)))
