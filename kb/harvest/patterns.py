"""A message template as the pattern that finds it when it is printed."""

from __future__ import annotations

import re
from typing import Final

from kb.records.messages import split_message
from kb.records.patterns import GAP, MAX_PATTERN

__all__ = ["is_readable", "pattern_of"]

_FEWEST_LITERALS: Final = 3
_SPECIAL: Final = re.compile(r"[.*+?^${}()|\[\]\\]")


def is_readable(message: str) -> bool:
    """Whether a template says something besides its placeholders."""
    literals = "".join(segment.text for segment in split_message(message) if segment.kind == "text")
    return sum(map(len, literals.split())) >= _FEWEST_LITERALS


def pattern_of(message: str) -> str:
    """Literal text escaped, a gap for each placeholder, no anchors; at most 500 characters, cut where one part ends.

    ``%%`` and doubled braces are taken as they stand: templates come with them undone.
    """
    pattern = ""
    for segment in split_message(message):
        if segment.kind == "text":
            pattern += _fitting(segment.text, MAX_PATTERN - len(pattern))
        elif not pattern.endswith(GAP):
            pattern += GAP
        if len(pattern) >= MAX_PATTERN - len(GAP):
            break
    return pattern


def _fitting(text: str, room: int) -> str:
    """The escaped text, or as much of its beginning as there is room for."""
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    if len(escaped) <= room:
        return escaped
    parts: list[str] = []
    for character in text:
        part = _SPECIAL.sub(r"\\\g<0>", character)
        if room < len(part):
            break
        parts.append(part)
        room -= len(part)
    return "".join(parts)
