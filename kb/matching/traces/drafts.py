"""A fault while its lines are still being read, and the pieces of a line that several languages share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kb.matching.shapes import Fault, FaultKind, Frame, Line, Relation

__all__ = [
    "MAX_FRAME_LINE",
    "MAX_MESSAGE_LINES",
    "Draft",
    "indent_of",
    "location",
    "name_end",
    "number",
    "same_fault",
    "stack_in_line",
    "without",
]

MAX_FRAME_LINE: Final = 2_000
"""Characters of a line that may still be a frame."""

MAX_MESSAGE_LINES: Final = 100
"""Lines between a head and the first frame that are still its message."""

_NAME: Final = re.compile(r"[^\W\d][\w$.]{0,200}|[$][\w$.]{0,200}")
_DIGITS: Final = frozenset("0123456789")
_MAX_DIGITS: Final = 9


@dataclass(slots=True, kw_only=True)
class Draft:
    """A fault that is being read; :meth:`build` freezes it. The fields are those of :class:`Fault`."""

    cls: str
    language: str
    first: int
    last: int
    kind: FaultKind = "raised"
    message: str = ""
    message_line: int = -1
    message_column: int = 0
    message_last: int = -1
    relation: Relation = ""
    parent: int | None = None
    frames: list[Frame] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    status: int | None = None
    quoted: str = ""
    notes: list[str] = field(default_factory=list)

    def say(
        self, lines: Sequence[Line], at: int, column: int, *, end: int | None = None, last: int | None = None
    ) -> None:
        """Take the message from ``column`` of line ``at`` (to ``end`` there) and the lines after it up to ``last``.

        Blank lines at either end do not count.
        """
        last = at if last is None else last
        head = lines[at].text[column:end]
        while last > at and not lines[last].text.strip():
            last -= 1
        self.last = max(self.last, last)
        if not head.strip():
            at += 1
            while at <= last and not lines[at].text.strip():
                at += 1
            if at > last:
                return
            head, column = lines[at].text, 0
        column += indent_of(head)
        texts = [head.strip() if at == last else head.lstrip(), *(line.text for line in lines[at + 1 : last + 1])]
        self.message = "\n".join(texts).rstrip()
        self.message_line, self.message_column, self.message_last = at, column, last

    def build(self) -> Fault:
        """The fault as read."""
        return Fault(
            cls=self.cls,
            message=self.message,
            language=self.language,
            kind=self.kind,
            first=self.first,
            last=self.last,
            frames=tuple(self.frames),
            relation=self.relation,
            parent=self.parent,
            message_line=self.message_line,
            message_column=self.message_column,
            message_last=self.message_last,
            codes=tuple(dict.fromkeys(self.codes)),
            status=self.status,
            quoted=self.quoted,
            notes=tuple(self.notes),
        )


def same_fault(one: Draft, other: Draft) -> bool:
    """Whether two drafts tell the same error, printed twice."""
    return one.cls == other.cls and one.message == other.message


def indent_of(text: str) -> int:
    """How many blanks ``text`` begins with."""
    return len(text) - len(text.lstrip())


def name_end(text: str, start: int) -> int:
    """Where the dotted name that begins at ``start`` ends; ``start`` itself when none does."""
    found = _NAME.match(text, start)
    return found.end() if found else start


def number(text: str) -> int | None:
    """``text`` as a number when it is a short run of ASCII digits."""
    return int(text) if 0 < len(text) <= _MAX_DIGITS and _DIGITS.issuperset(text) else None


def location(text: str) -> tuple[str, int | None, int | None]:
    """``path:line:column``, ``path:line`` or ``path``, as path, line and column."""
    path, colon, tail = text.rpartition(":")
    last = number(tail)
    if not colon or last is None:
        return text, None, None
    inner, colon, tail = path.rpartition(":")
    line = number(tail)
    if not colon or line is None:
        return path, last, None
    return inner, line, last


def stack_in_line(text: str, start: int, read_frame: Callable[[str], Frame | None]) -> tuple[int, list[Frame]]:
    """The frames from column ``start`` on of a stack whose line breaks were lost (``x at f (a.js:1:2) at g (…)``), and
    the column where the first begins; the text's length and none when there are none. ``read_frame`` reads one.
    """
    frames: list[Frame] = []
    cut = len(text)
    place = text.find(" at ", start)
    while place >= 0 and len(frames) < MAX_FRAME_LINE:
        after = text.find(" at ", place + len(" at "))
        end = after if after >= 0 else len(text)
        frame = read_frame(text[place:end]) if end - place <= MAX_FRAME_LINE else None
        if frame is not None and frame.line is not None:
            cut = cut if frames else place
            frames.append(frame)
        elif frames and frame is None:
            break
        place = after
    return cut, frames


def without(drafts: Sequence[Draft], dropped: set[int]) -> list[Draft]:
    """``drafts`` without those at the positions ``dropped``; who named one as parent names its parent instead."""
    places: dict[int, int] = {}
    for place in range(len(drafts)):
        if place not in dropped:
            places[place] = len(places)
    for draft in drafts:
        steps = 0
        while draft.parent in dropped and steps < len(dropped):
            draft.parent, steps = drafts[draft.parent].parent, steps + 1
        draft.parent = None if draft.parent is None else places.get(draft.parent)
    return [drafts[place] for place in places]
