"""The values that the gaps of a message took, by the names of its placeholders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.answers import Capture
from kb.matching.reading.secrets import Masked
from kb.records.messages import split_message

__all__ = ["captures"]

_NAME: Final = re.compile(r"[A-Za-z_]\w{0,60}")
_LONGEST: Final = 500  # characters of a value that are shown


def captures(template: str, text: Masked, gaps: Sequence[tuple[int, int]]) -> tuple[Capture, ...]:
    """What each placeholder of a record's message stands for in a text, its secrets masked.

    ``gaps`` are the spans that the pattern's gaps took in the text as it was. When the message has another number of
    placeholders than the pattern has gaps, the values have no names.
    """
    placeholders = [part.text for part in split_message(template) if part.kind == "placeholder"]
    if len(placeholders) != len(gaps):
        placeholders = [""] * len(gaps)
    return tuple(
        Capture(placeholder=placeholder, name=_name(placeholder), value=_value(text, start, end))
        for placeholder, (start, end) in zip(placeholders, gaps, strict=True)
    )


def _value(text: Masked, start: int, end: int) -> str:
    value = text.text[text.to_masked(start) : text.to_masked(end)]
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _name(placeholder: str) -> str:
    """``status`` of ``{status}``, ``%(status)s`` and ``${status}``; empty for expressions and bare verbs."""
    inside = placeholder.strip("$#%{}() ").split("!", 1)[0].split(":", 1)[0].split(")", 1)[0].strip()
    return inside if _NAME.fullmatch(inside) and placeholder[-1:] in "})sdifr" and len(placeholder) > 2 else ""  # noqa: PLR2004  a bare verb
