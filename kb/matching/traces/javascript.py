"""JavaScript and TypeScript: stacks of V8, Firefox and Safari, with causes, members and the properties below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.compiler_lines import CodedError, coded_error
from kb.matching.traces.drafts import MAX_MESSAGE_LINES, Draft, indent_of, name_end, number, stack_in_line
from kb.matching.traces.javascript_frames import frame_in
from kb.matching.traces.javascript_heads import Head, head_in, head_inside, is_error_name

__all__ = ["find"]

LANGUAGE: Final = "JavaScript"

_SIGNS: Final = ("at ", "@", "Uncaught", "(node:", "]: ", "[", "Unhandled", "error TS")
_COMPILER: Final = ("TS",)
_MAX_GAP: Final = 2
"""Lines between two frames that do not end a stack: a frame broken in two, "... 3 lines matching cause stack trace"."""

_MAX_LISTING: Final = 12
_MAX_OBJECTS: Final = 50
_MAX_CODE: Final = 80


def find(lines: Sequence[Line]) -> list[Fault]:
    """The JavaScript errors of ``lines``, in text order."""
    if not any(sign in line.text for line in lines for sign in _SIGNS):
        return []
    reader = _Reader(lines)
    for at in range(len(lines)):
        reader.read(at)
    reader.drop_head()
    return [draft.build() for draft in reader.drafts]


class _Reader:
    """The state of one pass over the lines.

    ``head`` is a head whose stack has not begun, ``current`` the draft whose stack is being read, ``open`` the errors,
    lists and objects whose braces are open: a draft's position, or None.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.drafts: list[Draft] = []
        self.head: Head | None = None
        self.head_at = -1
        self.current: int | None = None
        self.last_frame = -1
        self.open: list[int | None] = []
        self.free = 0
        """The first line that no fault has taken."""

    def read(self, at: int) -> None:
        text = self.lines[at].text
        frame = frame_in(text, at)
        if frame is not None:
            self.read_frame(frame, at, opens=text.rstrip().endswith("{"))
            return
        bare = text.strip()
        if not bare:
            return
        if self.open and self.read_property(bare, at):
            return
        error = coded_error(text, _COMPILER) if "error TS" in text else None
        if error is not None:
            self.add_error(error, at)
            return
        head = head_in(text)
        if head is not None and (head.strong or head.sure) and not self.continues(head):
            self.take_head(head, at)
        elif head is not None and self.is_weak_head(head):
            self.current = None

    # -- Frames -----------------------------------------------------------------------------------------------------

    def read_frame(self, frame: Frame, at: int, *, opens: bool) -> None:
        if self.head is not None and at - self.head_at <= MAX_MESSAGE_LINES:
            self.begin(at)
        elif self.current is None or at - self.last_frame > _MAX_GAP + 1:
            self.drop_head()
            self.begin_without_head(at)
        if self.current is None:
            return
        draft = self.drafts[self.current]
        draft.frames.append(frame)
        draft.last = self.last_frame = at
        self.free = at + 1
        if opens and len(self.open) < _MAX_OBJECTS:
            self.open.append(self.current)

    def begin(self, at: int) -> None:
        """Begin a fault at the pending head; its message runs up to the frame at ``at``, or to a listing."""
        head, head_at = self.head, self.head_at
        self.head = None
        if head is None:
            return
        stop = _listing_start(self.lines, head_at + 1, at)
        draft = self.add(head, head_at)
        draft.say(self.lines, head_at, head.column, end=head.end if stop == head_at + 1 else None, last=stop - 1)
        draft.quoted = "\n".join(line.text for line in self.lines[stop:at]) or self.listing_above(draft)
        self.peel(len(self.drafts) - 1)
        self.current = len(self.drafts) - 1

    def begin_without_head(self, at: int) -> None:
        """Begin a fault whose head does not look like one, or is cut off."""
        above, head = self.label_above(at)
        draft = Draft(cls="", language=LANGUAGE, first=at, last=at, kind="cut")
        if above >= 0:
            draft.first, draft.kind = above, "raised" if head else "logged"
            draft.cls = head.cls if head else ""
            draft.say(self.lines, above, head.column if head else indent_of(self.lines[above].text))
        self.drafts.append(draft)
        self.current = len(self.drafts) - 1

    def label_above(self, at: int) -> tuple[int, Head | None]:
        """The line above a stack that tells the message, and the head in it: a label with a class in it, also behind
        a listing or a blank line, else the line just above; -1 when there is none.
        """
        for above in range(at - 1, max(self.free, at - _MAX_LISTING) - 1, -1):
            head = head_inside(self.lines[above].text)
            if head is not None:
                return above, head
        text = self.lines[at - 1].text
        usable = at > self.free and text.strip() and not _is_listing(text)
        return (at - 1, head_in(text)) if usable else (-1, None)

    # -- Heads ------------------------------------------------------------------------------------------------------

    def continues(self, head: Head) -> bool:
        """Whether what looks like a head is a deeper line of the message before it."""
        return self.head is not None and not head.sure and not head.key and head.indent > self.head.indent

    def is_weak_head(self, head: Head) -> bool:
        """Whether a line between two stacks begins an error whose class does not look like one."""
        if self.current is None or not head.cls[:1].isupper():
            return False
        return head.indent < indent_of(self.lines[self.last_frame].text)

    def take_head(self, head: Head, at: int) -> None:
        self.drop_head()
        if not self.open and not head.sure and head.key:
            head.key, head.relation = "", ""
        alone = head.end is not None and (head.sure or (head.opens and self.property_follows(at)))
        one_line = self.read_one_line(head, at)
        if not alone or one_line:
            self.head, self.head_at = (None, -1) if one_line else (head, at)
            return
        draft = self.add(head, at)
        draft.say(self.lines, at, head.column, end=head.end)
        self.free = at + 1
        self.current = None
        if head.opens and len(self.open) < _MAX_OBJECTS:
            self.open.append(len(self.drafts) - 1)

    def drop_head(self) -> None:
        """Give up waiting for the stack of the pending head; it is kept when it is surely JavaScript's."""
        head, at = self.head, self.head_at
        self.head = None
        if head is not None and head.sure and head.strong:
            self.add(head, at).say(self.lines, at, head.column, end=head.end)
            self.free = at + 1
            self.current = None

    def add(self, head: Head, at: int) -> Draft:
        draft = Draft(cls=head.cls, language=LANGUAGE, first=at, last=at, codes=head.codes)
        parent = next((place for place in reversed(self.open) if place is not None), None)
        if parent is not None:
            member = self.open[-1] is None and not head.relation
            draft.parent, draft.relation = parent, "member" if member else "cause"
        self.drafts.append(draft)
        return draft

    def add_error(self, error: CodedError, at: int) -> None:
        """Take an error of the TypeScript compiler."""
        self.drop_head()
        draft = Draft(cls="", language=LANGUAGE, first=at, last=at, kind="logged", codes=[error.code])
        draft.say(self.lines, at, error.column, end=error.end)
        draft.frames = [Frame(path=error.path, line=error.line, function="", at=at)] if error.path else []
        self.drafts.append(draft)
        self.current, self.free = None, at + 1

    def read_one_line(self, head: Head, at: int) -> bool:
        """Take a whole stack that stands on one line."""
        text = self.lines[at].text
        if " at " not in text:
            return False
        cut, frames = stack_in_line(text, head.column, lambda piece: frame_in(piece, at))
        if not frames:
            return False
        draft = self.add(head, at)
        draft.say(self.lines, at, head.column, end=cut)
        draft.frames = frames
        self.current, self.last_frame, self.free = len(self.drafts) - 1, at, at + 1
        return True

    def peel(self, place: int) -> None:
        """``Error: TypeError: x`` also tells a TypeError."""
        outer = self.drafts[place]
        end = name_end(outer.message, 0)
        if not is_error_name(outer.message[:end]) or not outer.message.startswith(": ", end):
            return
        inner = Draft(cls=outer.message[:end], language=LANGUAGE, first=outer.first, last=outer.last)
        inner.say(self.lines, outer.message_line, outer.message_column + end + 2, last=outer.message_last)
        inner.relation, inner.parent, inner.frames = "wrapped", place, outer.frames
        self.drafts.append(inner)

    def listing_above(self, draft: Draft) -> str:
        """The source that Node.js prints above an uncaught error: ``/app/x.js:3``, the line, a caret."""
        above = draft.first - 1
        while above >= self.free and not self.lines[above].text.strip():
            above -= 1
        if above < self.free or self.lines[above].text.strip().strip("^~"):
            return ""
        for top in range(above - 1, max(self.free, above - _MAX_LISTING) - 1, -1):
            text = self.lines[top].text.strip()
            if number(text.rpartition(":")[2]) is not None:
                draft.first = top
                return "\n".join(line.text for line in self.lines[top + 1 : above])
        return ""

    # -- Properties -------------------------------------------------------------------------------------------------

    def read_property(self, bare: str, at: int) -> bool:
        """Read a line inside the braces of an error; False when it may be a head."""
        if bare[0] in "}]":
            self.drop_head()
            self.close(bare, at)
            return True
        key, colon, value = bare.partition(": ")
        head = head_in(bare)
        if head and head.strong:
            return False
        if bare.endswith(("{", "[")):
            if len(self.open) < _MAX_OBJECTS:
                self.open.append(None)
            return True
        if colon and value[:1] not in "{[":
            self.note(key.strip("[]'\""), value.rstrip(", "), at)
            return True
        return False

    def close(self, bare: str, at: int) -> None:
        for character in bare:
            if character not in "}]" or not self.open:
                break
            place = self.open.pop()
            if place is not None:
                self.drafts[place].last = at
        self.free = at + 1
        self.current = None

    def note(self, key: str, value: str, at: int) -> None:
        """Keep what a property tells."""
        self.free = at + 1
        place = self.open[-1]
        draft = self.drafts[place] if place is not None else None
        bare = value.strip("'\"`")
        if key in ("status", "statusCode") and number(bare) is not None:
            outer = next((place for place in reversed(self.open) if place is not None), None)
            if outer is not None and self.drafts[outer].status is None:
                self.drafts[outer].status = number(bare)
        elif draft is not None and key in ("code", "errno") and 0 < len(bare) <= _MAX_CODE:
            draft.codes.append(bare)
        if draft is not None:
            draft.last = at

    def property_follows(self, at: int) -> bool:
        """Whether the next line is a property of the error at ``at``."""
        if at + 1 >= len(self.lines):
            return False
        text = self.lines[at + 1].text.strip().lstrip("['\"")
        end = name_end(text, 0)
        return end > 0 and text[end : end + 3].lstrip("]'\"").startswith(":")


def _is_listing(text: str) -> bool:
    """Whether ``text`` is a line of a source listing (``> 12 | code``, ``   | ^``)."""
    bare = text.lstrip(" >")
    count, bar, _ = bare.partition("|")
    return bool(bar) and (not count.strip() or number(count.strip()) is not None)


def _listing_start(lines: Sequence[Line], start: int, stop: int) -> int:
    """The first line of a source listing between ``start`` and ``stop``; ``stop`` when there is none."""
    return next((at for at in range(start, stop) if _is_listing(lines[at].text)), stop)
