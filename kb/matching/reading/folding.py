"""The form in which texts are compared: quotes, dashes, ellipses, blanks and line breaks do not count; pure.

Each character is replaced by itself and nothing beside it, and runs of white space become one blank. So a part of a
text stays a part of it: when ``s`` occurs in ``t``, ``fold(s)`` occurs in ``fold(t)``. Case is kept.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Final

__all__ = ["fold", "fold_map"]

_QUOTES: Final = "'\"`´‘’‚‛“”„‟‹›«»′″‵‶ʼ＇＂｀「」『』〝〞〟❛❜❝❞"  # noqa: RUF001  typographic quotes are the subject
_DASHES: Final = "‐‑‒–—―−﹘﹣－"  # noqa: RUF001  so are dashes
_INVISIBLE: Final = (
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_FORMS: Final[dict[str, str]] = {
    **dict.fromkeys(_QUOTES + _INVISIBLE, ""),
    **dict.fromkeys(_DASHES, "-"),
    "…": "...",
}
_ASCII_QUOTES: Final = str.maketrans("", "", "'\"`")
_FOLDED: Final = re.compile("[" + "".join(re.escape(character) for character in _FORMS) + "]")
_PIECE: Final = re.compile(
    rf"(?P<white>\s+)|(?P<folded>{_FOLDED.pattern})|[^\s{_FOLDED.pattern[1:-1]}]+",
)


def fold(text: str) -> str:
    """The comparison form of a text."""
    if text.isascii():
        return " ".join(text.translate(_ASCII_QUOTES).split())
    return " ".join(_FOLDED.sub(lambda found: _FORMS[found[0]], text).split())


def fold_map(text: str) -> tuple[str, Sequence[int]]:
    """The comparison form, and for each of its characters the offset in ``text`` of the character it stands for."""
    pieces: list[str] = []
    offsets = array("q")
    blank = -1  # where the white space stands that no character has followed yet
    for found in _PIECE.finditer(text):
        start = found.start()
        if found.lastgroup == "white":
            blank = start if blank < 0 else blank
            continue
        piece = found[0] if found.lastgroup is None else _FORMS[found[0]]
        if not piece:
            continue
        if blank >= 0 and pieces:
            pieces.append(" ")
            offsets.append(blank)
        blank = -1
        pieces.append(piece)
        if found.lastgroup is None:
            offsets.extend(range(start, found.end()))
        else:
            offsets.extend([start] * len(piece))
    return "".join(pieces), offsets
