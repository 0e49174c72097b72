"""The pieces that PHP's traces share: class names, places and stacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.drafts import MAX_FRAME_LINE, location, number

__all__ = ["CLASS", "Place", "place", "stack"]

CLASS: Final = r"[A-Za-z_\\][\w\\]{0,200}(?:@anonymous[^ :]{0,200})?"
"""The pattern of a class name, with its namespace."""

_FRAME: Final = re.compile(r"[ \t]{0,20}#[0-9]{1,5} {1,3}(?:(\S.{0,1000}?)\(([0-9]{1,7})\): )?(.{0,1000})")
_NUMBERED: Final = re.compile(r"(?:PHP)?[ \t]{1,8}[0-9]{1,5}\. (\S.{0,1000}) (\S{1,500}):([0-9]{1,7})$")
_TRACES: Final = frozenset(("Stack trace:", "[stacktrace]", "[Stacktrace]", "PHP Stack trace:"))
_ON_LINE: Final = " on line "


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message says that it arose, and the column where the message ends."""

    path: str
    line: int
    end: int
    has_line_word: bool


def place(text: str, column: int) -> Place | None:
    """The place that ends a line whose message begins at ``column``: `` in /path:12`` or `` in /path on line 12``."""
    end = text.rfind(" in ", column)
    worded = text.rfind(_ON_LINE, column)
    if worded >= 0:
        before = text.rfind(" in ", column, worded)
        digits = text[worded + len(_ON_LINE) :][:12].split(" ", 1)[0].rstrip('.,"<')
        line = number(digits)
        if before >= 0 and line is not None and (end <= worded):
            return Place(text[before + len(" in ") : worded], line, before, has_line_word=True)
    tail = text[end + len(" in ") :] if end >= 0 else ""
    if not tail or len(tail) > MAX_FRAME_LINE:
        return None
    path, line, _ = location(tail.split('"', 1)[0].split(" while ", 1)[0].strip())
    return None if line is None else Place(path, line, end, has_line_word=False)


def stack(lines: Sequence[Line], at: int, raised: Frame | None) -> tuple[list[Frame], int]:
    """The frames nearest first, beginning with the place ``raised``, and the line after the stack.

    PHP prints with each place the function that was called there; here each place has the function it lies in.
    """
    places = [raised] if raised else []
    begin = at
    while at < len(lines) and at < begin + 2 and not lines[at].text.strip():
        at += 1
    if at >= len(lines) or lines[at].text.strip() not in _TRACES:
        return places, begin
    at += 1
    outermost: list[Frame] = []
    pending = raised is not None
    while at < len(lines) and len(lines[at].text) <= MAX_FRAME_LINE:
        text = lines[at].text
        called = _FRAME.match(text)
        if called is not None:
            if pending:
                places[-1] = replace(places[-1], function=_function(called[3]))
            pending = called[1] is not None
            if called[1] is not None:
                places.append(Frame(path=called[1], line=number(called[2]), function="", at=at))
        elif (numbered := _NUMBERED.match(text)) is not None:
            outermost.append(Frame(path=numbered[2], line=number(numbered[3]), function=_function(numbered[1]), at=at))
        else:
            break
        at += 1
    if at < len(lines) and lines[at].text.lstrip().startswith("thrown in "):
        at += 1
    return places + outermost[::-1], at


def _function(text: str) -> str:
    name = text.strip() if text.startswith("{") else text.split("(", 1)[0].strip()
    return name.replace("\\\\", "\\")
