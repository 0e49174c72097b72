"""Text as the catalog can store and compare it.

Neither database stores NUL, and no driver encodes a lone surrogate, so both are replaced before a text goes anywhere.
Comparisons without regard to case go through :func:`fold`, because ``lower()`` of SQLite and PostgreSQL differ.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["REPLACEMENT", "clean_text", "counted", "fold", "one_line"]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_ENOUGH = 4  # times as many characters as a line takes usually fill it

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> tuple[str, bool]:
    """Replace NUL and lone surrogates by U+FFFD; the flag says whether there were any."""
    if "\x00" not in text:
        if text.isascii():
            return text, False
        try:
            text.encode()  # far faster than looking for surrogates with a regular expression
        except UnicodeEncodeError:
            pass
        else:
            return text, False
    return _UNSTORABLE.sub(REPLACEMENT, text), True


def fold(text: str) -> str:
    """The form in which two texts are compared without case: NFKC, then casefold.

    Full-width characters become ASCII ones, so escape wildcards after folding, never before.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def one_line(text: str, limit: int) -> str:
    """The text on one line, with single spaces, in at most ``limit`` characters (at least 1).

    What is cut off ends in an ellipsis, at a word boundary when one is near.
    """
    line = " ".join(text[: limit * _ENOUGH].split())
    if len(line) <= limit < len(text):  # too much white space, or the end is near
        line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    if line[limit - 1] != " ":
        space = head.rfind(" ")
        if space > limit // 2:
            head = head[:space]
    return head.rstrip() + "…"


def counted(number: int, one: str, many: str = "") -> str:
    """A number, grouped, with its noun: ``one`` of them, else ``many`` (by default with an s)."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
