"""The form in which texts are compared: quotes, dashes, ellipses, blanks and line breaks do not count; pure.

Each character is replaced by itself and nothing beside it, and runs of white space become one blank. So a part of a
text stays a part of it: when ``s`` occurs in ``t``, ``fold(s)`` occurs in ``fold(t)``. Case is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

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
_PLANE: Final = 0x10000  # All that is folded stands in the basic plane.
_KEPT, _WHITE, _DROPPED, _DASH, _ELLIPSIS = range(5)


def _kinds() -> npt.NDArray[np.uint8]:
    """What is done with each character of the basic plane."""
    white = np.fromiter(map(str.isspace, map(chr, range(_PLANE))), dtype=np.bool_, count=_PLANE)
    kinds = np.where(white, np.uint8(_WHITE), np.uint8(_KEPT))
    for character, form in _FORMS.items():
        kinds[ord(character)] = {"": _DROPPED, "-": _DASH}.get(form, _ELLIPSIS)
    return kinds


_KINDS: Final = _kinds()


def fold(text: str) -> str:
    """The comparison form of a text."""
    if text.isascii():
        return " ".join(text.translate(_ASCII_QUOTES).split())
    return " ".join(_FOLDED.sub(lambda found: _FORMS[found[0]], text).split())


def fold_map(text: str) -> tuple[str, Sequence[int]]:
    """The comparison form, and for each of its characters the offset in ``text`` of the character it stands for."""
    codes = _codes(text)
    kinds = _KINDS[np.where(codes < _PLANE, codes, 0)]
    places = np.flatnonzero(kinds != _DROPPED)
    kinds = kinds[places]
    white = kinds == _WHITE
    after_white = np.concatenate(([True], white[:-1])) if len(white) else white
    keep = ~(white & after_white)
    places, kinds = places[keep], kinds[keep]
    if len(kinds) and kinds[-1] == _WHITE:
        places, kinds = places[:-1], kinds[:-1]
    folded = codes[places]
    for kind, form in ((_WHITE, " "), (_DASH, "-"), (_ELLIPSIS, ".")):
        folded[kinds == kind] = ord(form)
    if "…" in text:
        widths = np.where(kinds == _ELLIPSIS, len(_FORMS["…"]), 1)
        folded, places = np.repeat(folded, widths), np.repeat(places, widths)
    return _text(folded), places.tolist()


def _codes(text: str) -> npt.NDArray[np.uint32]:
    """The code points of a text. A lone surrogate has no encoding."""
    try:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    except UnicodeEncodeError:
        return np.fromiter(map(ord, text), dtype=np.uint32, count=len(text))


def _text(codes: npt.NDArray[np.uint32]) -> str:
    """The text of code points."""
    try:
        return codes.tobytes().decode("utf-32-le")
    except UnicodeDecodeError:
        return "".join(map(chr, codes.tolist()))
