"""Prefixes that only their repetition tells from a message: container names, build seconds, task names; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft, blocks
from kb.matching.reading.log_fields import is_error_name

__all__ = ["strip_block_prefixes"]

_COMPOSE: Final = re.compile(r"(?P<name>[A-Za-z][\w.-]{0,80})[ ]{1,60}[|](?:[ ]|$)")
_NUMBERED: Final = re.compile(r"[-_.][0-9]{1,4}$")
_SECONDS: Final = re.compile(r"[ ]?(?P<name>[0-9]{1,5}[.])[0-9]{1,4}(?:[ ]|$)")
_TASK: Final = re.compile(r"(?P<name>[@A-Za-z][\w./@-]{0,80}:[\w.:-]{1,60}):(?:[ ]|$)")
_BRACKET: Final = re.compile(r"(?P<name>\[[\w.:/@-]{1,60}\])(?:[ ]|$)")
_SHARE: Final = 0.6
_FEW: Final = 3
"""Lines that make a block long enough to believe that what they share is a prefix."""

_Found = list[tuple[Draft, re.Match[str]]]


def strip_block_prefixes(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take a prefix off the lines of a block when most of them carry it."""
    for block in blocks(drafts):
        kinds: dict[str, _Found] = {}
        for draft in block:
            kind = _kind(draft.text)
            if kind and (match := _PATTERNS[kind].match(draft.text)):
                kinds.setdefault(kind, []).append((draft, match))
        for kind, found in kinds.items():
            if len(found) >= len(block) * _SHARE and _BELONGS[kind](found):
                seen.add(kind)
                for draft, match in found:
                    draft.cut(match.end())
    return drafts


def _kind(text: str) -> str:
    """The only kind of prefix that a line can have, judged by what it begins with; empty for none."""
    first = text[0]
    if first == "[":
        return "tag"
    if first.isdigit() or (first == " " and text[1:2].isdigit()):
        return "buildkit"
    if first == "@" or first.isalpha():
        return "docker" if " |" in text else "task" if ":" in text else ""
    return ""


def _compose(found: _Found) -> bool:
    """Container names: few of them, and their bars in one column, or numbered as Compose numbers them."""
    names = {match["name"] for _, match in found}
    if len(found) < _FEW and not all(_NUMBERED.search(name) for name in names):
        return False
    columns = {match.end() - match[0].endswith(" ") for _, match in found}
    return len(names) <= max(1, len(found) // 2) and (len(columns) == 1 or all(map(_NUMBERED.search, names)))


def _seconds(found: _Found) -> bool:
    """Seconds of a build: at least two lines, and they rise."""
    seconds = [float(match[0]) for _, match in found]
    return len(found) > 1 and seconds == sorted(seconds)


def _shared(found: _Found) -> bool:
    """One name on every line of a block that is long enough, and not that of an error."""
    names = {match["name"] for _, match in found}
    return len(found) >= _FEW and len(names) == 1 and not is_error_name(names.pop().strip("[]"))


_PATTERNS: Final = {"docker": _COMPOSE, "buildkit": _SECONDS, "task": _TASK, "tag": _BRACKET}
_BELONGS: Final = {"docker": _compose, "buildkit": _seconds, "task": _shared, "tag": _shared}
