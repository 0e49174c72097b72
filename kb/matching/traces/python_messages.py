"""The message after a Python class, which may run over lines and have notes below it; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kb.matching.shapes import Line
from kb.matching.traces.drafts import Draft
from kb.matching.traces.endings import message_last
from kb.matching.traces.python_frames import frame_in, is_bar
from kb.matching.traces.python_heads import chain_in, is_header

__all__ = ["read_message"]

_MOST_LINES: Final = 200
_QUOTING: Final = frozenset(("KeyError",))
"""Classes that print the message with quotes around it, on one line whatever it holds."""


def read_message(draft: Draft, lines: Sequence[Line], gutters: Sequence[int], at: int, column: int) -> None:
    """Give ``draft`` the message that begins at ``column`` of line ``at``, and its notes."""
    gutter = gutters[at]
    stop = _stop(lines, gutters, at)
    part = [lines[at], *(_inside(line, gutter) for line in lines[at + 1 : stop])]
    last = message_last(part, 0, len(part))
    said = 0 if _ends_at_once(draft.cls, part[0].text[column:]) else last
    draft.say(part, 0, column, last=said)
    if draft.message_line > 0:
        draft.message_column += gutter
    if draft.message_line >= 0:
        draft.message_line += at
        draft.message_last += at
    draft.last = max(draft.last, at + last)
    draft.notes = [line.text.strip() for line in part[said + 1 : last + 1] if line.text.strip()]


def _inside(line: Line, gutter: int) -> Line:
    """The line without the gutters of an exception group, when the message stands in them."""
    return replace(line, text=line.text[gutter:]) if gutter else line


def _ends_at_once(cls: str, first: str) -> bool:
    """Whether the message is surely over with its first line, so that notes follow."""
    bare = first.strip()
    name = cls.rpartition(".")[2]
    if name in _QUOTING and len(bare) > 1 and bare[0] in "'\"":
        return bare[-1] == bare[0]
    return name.endswith("ExceptionGroup") and bare.endswith(("sub-exception)", "sub-exceptions)"))


def _stop(lines: Sequence[Line], gutters: Sequence[int], at: int) -> int:
    """The first line after ``at`` that belongs to another trace or stands in another gutter."""
    for place in range(at + 1, min(len(lines), at + _MOST_LINES)):
        text = lines[place].text[gutters[place] :]
        outside = gutters[place] < gutters[at] - 1  # the gutter of an empty line lacks its blank
        if outside or is_bar(text):
            return place
        if is_header(text) or chain_in(text) or frame_in(text) is not None:
            return _without_header(lines, gutters, at, place)
    return min(len(lines), at + _MOST_LINES)


def _without_header(lines: Sequence[Line], gutters: Sequence[int], at: int, place: int) -> int:
    """Blank lines and rules above a header are not the message's."""
    while place > at + 1 and not lines[place - 1].text[gutters[place - 1] :].strip("-= "):
        place -= 1
    return place
