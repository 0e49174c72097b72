"""Lists of causes as the error reports of Rust print them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, location

__all__ = ["causes", "is_numbered", "report"]

_MOST_CAUSES: Final = 30
_NUMBERED: Final = re.compile(r"[ \t]{1,8}[0-9]{1,3}: ")


def is_numbered(text: str) -> bool:
    """Whether a line begins an entry of a numbered list of causes."""
    return _NUMBERED.match(text) is not None


def causes(lines: Sequence[Line], at: int, drafts: list[Draft], parent: int) -> int:
    """Read the lists ``Caused by:`` that may begin near line ``at`` into ``drafts``, each cause the child of the one
    before and the first that of ``parent``; where to go on.
    """
    while True:
        begin = at
        while begin < len(lines) and begin < at + 3 and not lines[begin].text.strip():
            begin += 1
        if begin >= len(lines) or lines[begin].text.strip() != "Caused by:":
            return at
        known = len(drafts)
        at = _listed(lines, begin + 1, drafts, parent)
        if len(drafts) == known:
            return at
        drafts[known].first = begin
        parent = len(drafts) - 1


def _listed(lines: Sequence[Line], at: int, drafts: list[Draft], parent: int) -> int:
    """The indented causes from line ``at`` on, numbered or a single one; where to go on."""
    most = len(drafts) + _MOST_CAUSES
    while at < len(lines) and len(drafts) < most:
        text = lines[at].text
        numbered = _NUMBERED.match(text)
        if not text.strip() or indent_of(text) == 0:
            return at
        last = at
        while last + 1 < len(lines) and last < at + MAX_MESSAGE_LINES and _is_continued(lines[last + 1].text):
            last += 1
        draft = Draft(cls="", language="Rust", first=at, last=last, relation="cause", parent=parent)
        draft.say(lines, at, numbered.end() if numbered else indent_of(text), last=last)
        draft.codes.extend(codes_in(draft.message))
        drafts.append(draft)
        parent = len(drafts) - 1
        at = last + 1
    return at


def _is_continued(text: str) -> bool:
    """Whether a line in a list of causes continues the cause above it."""
    return text.startswith("  ") and bool(text.strip()) and not _NUMBERED.match(text)


def report(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """A numbered report below ``Error:`` in line ``at``: its first entry is the error, the others are its causes, and
    the place stands after them; where to go on.
    """
    first = len(drafts)
    after = _listed(lines, at + 1, drafts, first)
    head = drafts[first]
    head.first, head.relation, head.parent = at, "", None
    if after + 2 < len(lines) and lines[after + 1].text.strip() == "Location:":
        path, line, _ = location(lines[after + 2].text.strip()[:MAX_FRAME_LINE])
        head.frames.append(Frame(path=path, line=line, function="", at=after + 2))
        head.last = after + 2
        return after + 3
    return after
