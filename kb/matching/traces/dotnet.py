"""C# and the other languages of .NET and Mono: exceptions with inner ones, groups, async frames, compiler errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.compiler_lines import CodedError, coded_error
from kb.matching.traces.dotnet_lines import ARROW, Head, frame_in, head_inside, heads_in
from kb.matching.traces.drafts import MAX_MESSAGE_LINES, Draft, indent_of, same_fault, without

__all__ = ["find"]

_SIGNS: Final = ("Exception", "at ", ".cs:", "--- End of", ": error ")
_END_OF_INNER: Final = "--- End of inner "
_LANGUAGE: Final = "C#"
_FAMILIES: Final = ("CS", "BC", "FS", "NU", "MSB", "NETSDK", "CA", "IDE")
_MAX_GAP: Final = 2
_MAX_DEPTH: Final = 50


def find(lines: Sequence[Line]) -> list[Fault]:
    """The .NET exceptions of ``lines``, in text order."""
    if not any(sign in line.text for line in lines for sign in _SIGNS):
        return []
    reader = _Reader(lines)
    for at in range(len(lines)):
        reader.read(at)
    reader.drop_head()
    return [draft.build() for draft in without(reader.drafts, _doubles(reader.drafts))]


class _Reader:
    """The state of one pass over the lines: ``stack`` holds the exceptions that are open, the innermost last;
    ``head`` is that of the innermost one while its message may go on.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.drafts: list[Draft] = []
        self.stack: list[int] = []
        self.head: Head | None = None
        self.head_at = -1
        self.last_frame = -1
        self.free = 0
        """The first line that no exception has taken."""

    def read(self, at: int) -> None:
        text = self.lines[at].text
        frame = frame_in(text, at)
        if frame is not None:
            self.read_frame(frame, at, closes=text.rstrip().endswith("<---"))
            return
        if self.stack and _END_OF_INNER in text:
            self.read_end(at)
            return
        if len(self.stack) > 1 and text.strip() == "<---":
            self.extend(at)
            self.stack.pop()
            return
        if "Exception" not in text and ARROW not in text:
            error = coded_error(text, _FAMILIES) if ": error " in text else None
            if error is not None:
                self.add_error(error, at)
            return
        for head in heads_in(text):
            self.read_head(head, at)

    # -- Heads ------------------------------------------------------------------------------------------------------

    def read_head(self, head: Head, at: int) -> None:
        if not head.inner:
            self.drop_head()
            self.stack = []
        elif self.head_at != at:
            self.close_message(at)
        draft = Draft(cls=head.cls, language=_LANGUAGE, first=at, last=at, codes=[head.code] if head.code else [])
        if head.inner and self.stack:
            while head.member and len(self.stack) > 1 and not self.is_group(self.stack[-1]):
                self.stack.pop()
            draft.parent, draft.relation = self.stack[-1], "member" if head.member else "cause"
        draft.say(self.lines, at, head.column, end=head.end)
        self.drafts.append(draft)
        if len(self.stack) < _MAX_DEPTH:
            self.stack.append(len(self.drafts) - 1)
        self.head, self.head_at = head, at
        if head.sure:
            self.free = at + 1

    def is_group(self, place: int) -> bool:
        return self.drafts[place].cls.endswith("AggregateException")

    def close_message(self, stop: int) -> None:
        """Let the message of the innermost exception run up to the line before ``stop``."""
        head, self.head = self.head, None
        if head is None or not self.stack or stop - self.head_at > MAX_MESSAGE_LINES:
            return
        draft = self.drafts[self.stack[-1]]
        draft.say(self.lines, self.head_at, head.column, end=head.end, last=stop - 1)

    def drop_head(self) -> None:
        """Forget an exception without frames that need not be .NET's."""
        head, self.head = self.head, None
        if head is not None and not head.sure and self.stack and self.stack[-1] == len(self.drafts) - 1:
            if not self.drafts[-1].frames:
                self.drafts.pop()
            self.stack.pop()

    # -- Frames -----------------------------------------------------------------------------------------------------

    def read_frame(self, frame: Frame, at: int, *, closes: bool) -> None:
        if self.head is not None and at - self.head_at <= MAX_MESSAGE_LINES:
            self.close_message(at)
        elif not self.stack or at - self.last_frame > _MAX_GAP + 1:
            self.drop_head()
            self.begin_without_head(at)
        draft = self.drafts[self.stack[-1]]
        draft.frames.append(frame)
        self.last_frame = at
        self.extend(at)
        if closes and len(self.stack) > 1:
            self.stack.pop()

    def begin_without_head(self, at: int) -> None:
        """Begin an exception whose head does not stand at the start of a line, or is cut off."""
        above = at - 1
        draft = Draft(cls="", language=_LANGUAGE, first=at, last=at, kind="cut")
        if above >= self.free and self.lines[above].text.strip():
            text = self.lines[above].text
            head = head_inside(text)
            draft.first, draft.kind = above, "raised" if head else "logged"
            draft.cls = head.cls if head else ""
            draft.say(self.lines, above, head.column if head else indent_of(text))
        self.drafts.append(draft)
        self.stack = [len(self.drafts) - 1]

    def read_end(self, at: int) -> None:
        """The frames of the inner exception end here; those of its wrapper follow."""
        self.close_message(at)
        self.last_frame = at
        self.extend(at)
        if len(self.stack) > 1:
            self.stack.pop()
            return
        draft = Draft(cls="", language=_LANGUAGE, first=at, last=at, kind="cut")
        inner = self.drafts[self.stack[0]]
        inner.parent, inner.relation = len(self.drafts), "cause"
        self.drafts.append(draft)
        self.stack = [len(self.drafts) - 1]

    def extend(self, at: int) -> None:
        """Let every open exception reach to ``at``."""
        for place in self.stack:
            self.drafts[place].last = at
        self.free = at + 1

    def add_error(self, error: CodedError, at: int) -> None:
        self.drop_head()
        self.stack = []
        draft = Draft(cls="", language=_LANGUAGE, first=at, last=at, kind="logged", codes=[error.code])
        draft.say(self.lines, at, error.column, end=error.end)
        if error.path:
            draft.frames = [Frame(path=error.path, line=error.line, function="", at=at)]
        self.drafts.append(draft)
        self.free = at + 1


def _doubles(drafts: Sequence[Draft]) -> set[int]:
    """What is printed twice: the first member of a group, told as its cause before, and a whole report that Mono
    prints again. The first of the two reaches over the other's lines.
    """
    doubles: set[int] = set()
    causes: dict[int, Draft] = {}
    top: Draft | None = None
    for place, draft in enumerate(drafts):
        if draft.parent in doubles:
            doubles.add(place)
        elif draft.parent is None:
            if top is not None and same_fault(top, draft) and top.last + 1 >= draft.first - 1:
                top.last = draft.last
                doubles.add(place)
            else:
                top = draft
        elif draft.relation == "cause":
            causes[draft.parent] = draft
        elif draft.relation == "member" and draft.parent in causes and same_fault(causes[draft.parent], draft):
            doubles.add(place)
    return doubles
