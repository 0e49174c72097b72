"""Quoted strings with escapes: their values, and where each character of a value stands; pure."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Final

from kb.matching.reading.drafts import Draft

__all__ = ["STRING", "Strings", "drafts_of", "unescaped"]

STRING: Final = r'"(?:[^"\\]|\\.)*+"'
_STRING: Final = re.compile(STRING)
_RUN: Final = re.compile(
    r"""(?P<plain>[^\\]++)
    |\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    |\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\\""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "e": "\x1b"}


def unescaped(text: str, start: int) -> tuple[str, Sequence[int]]:
    """A text with its escapes decoded, and for each character its offset when the text begins at ``start``."""
    texts: list[str] = []
    offsets = array("q")
    for found in _RUN.finditer(text):
        if found.lastgroup:
            texts.append(found[0])
            offsets.extend(range(start + found.start(), start + found.end()))
        else:
            texts.append(_character(found[0]))
            offsets.append(start + found.start())
    return "".join(texts), offsets


def _character(escape: str) -> str:
    """The one character that an escape stands for."""
    if len(escape) == 12:  # noqa: PLR2004  two surrogates
        high, low = int(escape[2:6], 16), int(escape[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if digits := escape[2:]:
        return chr(int(digits, 16))
    return _ESCAPES.get(escape[1:], escape[1:] or "\\")


class Strings:
    """Where the quoted strings of one line stand, looked up by value."""

    def __init__(self, draft: Draft) -> None:
        """The strings of a line; they are found when first asked for."""
        self._draft = draft
        self._places: dict[str, tuple[int, int]] | None = None

    def parts(self, *texts: str) -> Draft:
        """Texts put together as one, each mapped to where it stands in the line, or to the line's begin."""
        offsets = array("q")
        for text in texts:
            offsets.extend(self._offsets(text))
        return Draft("".join(texts), offsets[0] if offsets else self._draft.start, offsets, self._draft.removed)

    def _offsets(self, text: str) -> Sequence[int]:
        if self._places is None:
            self._places = self._find()
        place = self._places.get(text)
        if place is None:
            return [self._draft.start] * len(text)
        value, columns = unescaped(self._draft.text[place[0] : place[1]], place[0])
        if len(value) != len(text):
            return [self._draft.start] * len(text)
        if self._draft.offsets is None:
            return [self._draft.start + column for column in columns]
        return [self._draft.place(column) for column in columns]

    def _find(self) -> dict[str, tuple[int, int]]:
        places: dict[str, tuple[int, int]] = {}
        for found in _STRING.finditer(self._draft.text):
            raw = found[0][1:-1]
            places.setdefault(_loaded(raw), (found.start() + 1, found.end() - 1))
        return places


def _loaded(raw: str) -> str:
    if "\\" not in raw:
        return raw
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return unescaped(raw, 0)[0]


def drafts_of(draft: Draft) -> Iterator[Draft]:
    """A line that holds line breaks since it was decoded, as its lines."""
    position = 0
    for raw in draft.text.splitlines(keepends=True) or [""]:
        body = raw.rstrip()
        if draft.offsets is None:
            yield Draft(body, draft.start + position, None, draft.removed)
        else:
            offsets = draft.offsets[position : position + len(body)]
            yield Draft(body, draft.place(position), offsets, draft.removed)
        position += len(raw)
