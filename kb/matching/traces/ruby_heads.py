"""Where Ruby's logs, frameworks and test runners print the class and message of a backtrace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Line
from kb.matching.traces.drafts import indent_of

__all__ = ["Head", "class_at_end", "head_above"]

_MOST_LINES: Final = 12
_LONGEST: Final = 4_000
_CLASS: Final = r"[A-Z]\w{0,80}(?:::[A-Z]\w{0,80}){0,8}"
_ONLY_CLASS: Final = re.compile(_CLASS)
_PARENTHESIZED: Final = re.compile(
    rf"(?:\[[^\]]{{1,80}}\] ?){{0,4}}(?:(Caused by: |Information for cause: )|Information for: )?({_CLASS}) \("
)
_PREFIXED: Final = re.compile(rf"(?<![^\s\]])(Caused by: )?({_CLASS}): ?")
_LOGGED: Final = re.compile(r" -- [^ :]{0,60}: ")


@dataclass(frozen=True, slots=True)
class Head:
    """A class and where its message stands: from ``column`` of line ``at`` (to ``end`` there) to line ``last``.

    ``closing`` says that the message is in parentheses that close at its end.
    """

    cls: str
    at: int
    column: int
    end: int | None
    last: int
    closing: bool = False
    is_cause: bool = False


def class_at_end(text: str, column: int) -> tuple[str, int]:
    """The class in parentheses at the end of a line whose message begins at ``column``, or that is the whole message,
    and where the message ends.
    """
    stripped = text.rstrip()
    begin = stripped.rfind(" (")
    if stripped.endswith(")") and begin >= column and _ONLY_CLASS.fullmatch(stripped, begin + 2, len(stripped) - 1):
        return stripped[begin + 2 : -1], begin
    if _ONLY_CLASS.fullmatch(stripped, column):
        return stripped[column:], column
    return "", len(stripped)


def head_above(lines: Sequence[Line], at: int, floor: int) -> Head | None:
    """The head nearest above the frames that begin in line ``at``, not above line ``floor``."""
    last = at - 1
    while last >= max(floor, at - 3) and not lines[last].text.strip():
        last -= 1
    for line in range(last, max(floor, last - _MOST_LINES) - 1, -1):
        text = lines[line].text
        if len(text) > _LONGEST:
            return None
        head = _head(lines, line, last)
        if head is not None:
            return head
    return None


def _head(lines: Sequence[Line], at: int, last: int) -> Head | None:
    text = lines[at].text
    begin = indent_of(text)
    matched = _PARENTHESIZED.match(text, begin)
    if matched is not None:  # NoMethodError (undefined method …):
        end = _closing_line(lines, at, last)
        if end >= 0:
            return Head(matched[2], at, matched.end(), None, end, closing=True, is_cause=bool(matched[1]))
    if text.rstrip().endswith(")") and at == last:  # message (Class)
        logged = _LOGGED.search(text)
        column = logged.end() if logged else begin
        cls, end = class_at_end(text, column)
        if cls:
            return Head(cls, at, column, end, last)
    # In "WARN: Class: message" the first is no class.
    matched = next((found for found in _PREFIXED.finditer(text) if not found[2].isupper()), None)
    if matched is None:
        return None
    if at != last and "::" not in matched[2] and not matched[2].endswith(("Error", "Exception", "Invalid")):
        return None
    return Head(matched[2], at, matched.end(), None, last, is_cause=bool(matched[1]))


def _closing_line(lines: Sequence[Line], at: int, last: int) -> int:
    """The line from ``at`` to ``last`` that ends in ``):``, -1 when there is none."""
    for line in range(at, last + 1):
        if lines[line].text.rstrip().endswith("):"):
            return line
    return -1
