"""Python: traces of the interpreter, of IPython and of rich, with their chains and exception groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kb.matching.shapes import Fault, Line, Relation
from kb.matching.traces.class_names import last_part
from kb.matching.traces.drafts import Draft, indent_of
from kb.matching.traces.endings import begins_other
from kb.matching.traces.python_frames import Mention, broken_frame, frame_in, gutter_of, is_bar
from kb.matching.traces.python_heads import (
    ErrorLine,
    chain_in,
    error_line,
    header_class,
    is_header,
    is_preamble,
    is_reversed_header,
)
from kb.matching.traces.python_listings import Place
from kb.matching.traces.python_messages import read_message

__all__ = ["find"]

LANGUAGE: Final = "Python"

_SIGNS: Final = ("line ", "Traceback", " in ", "Cell In", "File ", "Fatal Python error")
_AHEAD: Final = 14
"""Lines after a frame in which the next frame or the error must come when nothing tells source from other text."""
_LISTED_AHEAD: Final = 80
"""The same where listings are printed."""
_MOST_BLANK: Final = 4
"""Lines from one line of source to the next; a listing holds blank lines, but not a page of them."""
_ELISIONS: Final = ("...", "\u2026", "[", "<")
"""What stands in the place of the frames that somebody left out."""
_MOST_OPEN: Final = 50


def find(lines: Sequence[Line]) -> list[Fault]:
    """The Python errors with a trace in ``lines``, in text order."""
    text = "\n".join(line.text for line in lines)
    if not any(sign in text for sign in _SIGNS):
        return []
    reader = _Reader(lines)
    at = 0
    while at < len(lines):
        at = reader.read(at)
    reader.finish()
    return [draft.build() for draft in reader.drafts]


@dataclass(slots=True)
class _Trace:
    """A trace whose error has not come yet."""

    first: int
    indent: int | None = None
    """Where the header stands, and so the error."""
    cls: str = ""
    is_reversed: bool = False
    places: list[Place] = field(default_factory=list)
    last: int = -1
    reach: int = -1
    """Lines up to this one belong to it, since its next frame or its error stands there."""


@dataclass(slots=True)
class _Group:
    """An exception group whose members are being read, and the column of their gutter."""

    draft: int | None
    column: int


class _Reader:
    """The state of one pass over the lines."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.gutters = [gutter_of(line.text) if "|" in line.text or "+" in line.text else 0 for line in lines]
        self.drafts: list[Draft] = []
        self.trace: _Trace | None = None
        self.groups: list[_Group] = []
        self.latest: int | None = None
        self.pending: tuple[Relation, int, int] | None = None
        self.free = 0

    def text(self, at: int) -> str:
        return self.lines[at].text[self.gutters[at] :]

    def read(self, at: int) -> int:
        """Read the line at ``at``; gives the next line to read."""
        text = self.text(at)
        if is_bar(text):
            self.finish()
            self.read_bar(text, at)
        elif is_header(text):
            self.begin(at, text)
        elif relation := chain_in(text):
            self.finish()
            self.close_groups(self.column(at))
            while self.groups and self.groups[-1].draft == self.latest:
                self.groups.pop()
            self.pending = (relation, self.latest, at) if self.latest is not None else None
            self.free = at + 1
        elif text.startswith("Fatal Python error: "):
            self.read_fatal(at)
        elif (mention := frame_in(text)) is not None and (self.trace or not mention.listed or self.leads(at)):
            self.read_frame(mention, at)
        elif (mention := self.broken(at)) is not None:
            self.read_frame(mention, at, lines=2)
            return at + 2
        elif self.trace is not None and text.strip():
            return self.read_rest(text, at)
        return at + 1

    def column(self, at: int) -> int:
        """The column of the gutter that the line stands in, -1 when it has none."""
        return self.lines[at].text[: self.gutters[at]].rstrip().rfind("|")

    # -- Traces -----------------------------------------------------------------------------------------------------

    def begin(self, at: int, text: str) -> None:
        self.finish()
        first = at
        while first > self.free and first > at - 4 and is_preamble(self.text(first - 1)):
            first -= 1
        self.trace = _Trace(
            first, indent=indent_of(text), cls=header_class(text), is_reversed=is_reversed_header(text), last=at
        )

    def read_frame(self, mention: Mention, at: int, lines: int = 1) -> None:
        if self.trace is None:
            self.trace = _Trace(at)
        self.trace.places.append(Place(mention, at, indent_of(self.text(at))))
        self.trace.last = at + lines - 1

    def broken(self, at: int) -> Mention | None:
        """The frame that this line begins and the next one ends, in a box that was too narrow for it."""
        boxed = self.trace is not None and bool(self.lines[at].removed) and at + 1 < len(self.lines)
        return broken_frame(self.text(at), self.text(at + 1)) if boxed else None

    def leads(self, at: int) -> bool:
        """Whether what may be the frame of a notebook or of rich is followed by its listing."""
        below = range(at + 1, min(at + 4, len(self.lines)))
        return self.text(at).startswith("File ") or any(Place.is_listing(self.text(line)) for line in below)

    def read_rest(self, text: str, at: int) -> int:
        """Read a line of a trace that is no frame: source, the error, or something else, which ends the trace."""
        trace = self.trace
        if trace is None:
            return at + 1
        found = error_line(text)
        if found is not None and self.is_error(trace, found, text, at):
            return self.complete(trace, found, at)
        if self.belongs(trace, text, at):
            if trace.places:
                trace.places[-1].add(text)
            trace.last = at
            return at + 1
        self.finish()
        return at + 1

    def is_error(self, trace: _Trace, found: ErrorLine, text: str, at: int) -> bool:
        indent = indent_of(text)
        if trace.is_reversed:
            return False
        if not trace.places:
            return trace.indent is None or indent <= trace.indent or found.sure
        place = trace.places[-1]
        if last_part(found.cls) in (last_part(trace.cls), last_part(place.raises)):
            return True
        if found.sure:
            return indent <= place.indent or place.mention.listed or indent == trace.indent
        return not place.mention.listed and indent < place.indent and bool(self.text(at - 1).strip())

    def belongs(self, trace: _Trace, text: str, at: int) -> bool:
        """Whether the line at ``at`` is source of the last frame, or stands between two frames."""
        if at < trace.reach:
            return True
        if not trace.places:
            return text.lstrip().startswith(_ELISIONS)
        place = trace.places[-1]
        listed = place.mention.listed or place.numbered
        if Place.is_listing(text) or (indent_of(text) > place.indent and not listed):
            return at - trace.last <= _MOST_BLANK
        if begins_other(text):
            return False
        trace.reach = self.reach(trace, at, _LISTED_AHEAD if listed else _AHEAD)
        below = range(at + 1, min(at + _MOST_BLANK, len(self.lines)))
        return (
            trace.reach > at
            or (listed and any(Place.is_listing(self.text(later)) for later in below))
            or (not listed and text.lstrip().startswith("raise "))
        )

    def reach(self, trace: _Trace, at: int, most: int) -> int:
        """The line of the next frame, or of the error, when it comes after ``at`` before anything else begins."""
        for ahead in range(at + 1, min(at + most, len(self.lines))):
            text = self.text(ahead)
            if frame_in(text) is not None:
                return ahead
            if is_header(text) or (begins_other(text) and not Place.is_listing(text)):
                break
            found = error_line(text)
            if found is not None and self.is_error(trace, found, text, ahead):
                return ahead
        return -1

    def complete(self, trace: _Trace, found: ErrorLine, at: int) -> int:
        """The error of the trace is found: take its message and go on after it."""
        self.trace = None
        draft = self.add(trace, found.cls, at)
        read_message(draft, self.lines, self.gutters, at, self.gutters[at] + found.column)
        self.free = draft.last + 1
        return self.free

    def finish(self) -> None:
        """The trace ends before its error."""
        trace, self.trace = self.trace, None
        if trace is None or not trace.places:
            return
        if trace.is_reversed and self.latest is not None and not self.drafts[self.latest].frames:
            draft = self.drafts[self.latest]
            draft.frames = [place.frame() for place in trace.places]
            draft.last = trace.last
        else:
            quoted = trace.places[-1].quoted()
            draft = self.add(trace, trace.cls or trace.places[-1].raises, trace.last)
            draft.kind, draft.quoted = "cut", quoted
        self.free = trace.last + 1

    def add(self, trace: _Trace, cls: str, last: int) -> Draft:
        draft = Draft(cls=cls, language=LANGUAGE, first=trace.first, last=last)
        order = trace.places if trace.is_reversed else trace.places[::-1]
        draft.frames = [place.frame() for place in order]
        if trace.places:
            draft.quoted = trace.places[-1].raising()
        self.close_groups(self.column(last))
        if self.groups and self.groups[-1].draft is not None:
            draft.parent, draft.relation = self.groups[-1].draft, "member"
        if self.pending is not None:
            relation, place, marker = self.pending
            draft.first = min(draft.first, marker)
            if draft.parent is None or draft.parent < place:  # else it would wrap itself
                self.drafts[place].relation, self.drafts[place].parent = relation, len(self.drafts)
            self.pending = None
        self.latest = len(self.drafts)
        self.drafts.append(draft)
        return draft

    def read_fatal(self, at: int) -> None:
        self.finish()
        draft = self.add(_Trace(at), "", at)
        draft.say(self.lines, at, self.gutters[at] + len("Fatal Python error: "))

    # -- Groups -----------------------------------------------------------------------------------------------------

    def read_bar(self, text: str, at: int) -> None:
        """``+-+---- 1 ----`` opens the newest error's members, ``+---- 2 ----`` begins the next, ``+------`` ends.

        A member that was never raised has no trace: its error stands right below.
        """
        column = self.gutters[at]
        is_open = text.startswith("+-+")
        ends = not is_open and not text.strip("+- ")  # no number in it
        self.close_groups(column - 1 if ends else column + 1 if is_open else column)
        if is_open and len(self.groups) < _MOST_OPEN:
            # After a marker the group's own error must have come; it was cut off.
            self.groups.append(_Group(None if self.pending else self.latest, column + 2))
        if not ends:
            self.trace = _Trace(at, last=at)
        self.free = at + 1

    def close_groups(self, column: int) -> None:
        """End the groups whose members stand further right than ``column``."""
        while self.groups and self.groups[-1].column > column:
            self.latest = self.groups.pop().draft
