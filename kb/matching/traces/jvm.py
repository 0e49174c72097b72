"""Java, Kotlin and Scala: stack traces with their causes and suppressed exceptions, also printed root first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.drafts import MAX_MESSAGE_LINES, Draft, indent_of, name_end, stack_in_line, without
from kb.matching.traces.jvm_compilers import CompilerError, compiler_error
from kb.matching.traces.jvm_lines import Head, frame_in, head_in, head_inside, is_elision, is_error_name

__all__ = ["find"]

_SIGNS: Final = ("at ", ".java:", ".kt:", ".scala:", "Caused by: ", "Exception in thread ", "Exception", "Error")
_MAX_GAP: Final = 2
"""Lines between two frames that do not end a stack: a frame broken in two, a boundary of coroutines."""

_NESTED: Final = "nested exception is "
_MAX_NESTED: Final = 8
_RUNTIME: Final = (
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.coroutines.",
    "scala.",
    "_COROUTINE.",
)
_BY_EXTENSION: Final = ((".kt", "Kotlin"), (".kts", "Kotlin"), (".scala", "Scala"), (".sc", "Scala"))
_BY_PACKAGE: Final = (("kotlin.", "Kotlin"), ("kotlinx.", "Kotlin"), ("scala.", "Scala"))


def find(lines: Sequence[Line]) -> list[Fault]:
    """The exceptions of the JVM in ``lines``, in text order."""
    if not any(sign in line.text for line in lines for sign in _SIGNS):
        return []
    reader = _Reader(lines)
    for at in range(len(lines)):
        reader.read(at)
    reader.drop_head()
    drafts = without(reader.drafts, _repeated(reader.drafts))
    for draft in drafts:
        draft.language = _language(draft) if draft.language == "Java" else draft.language
    return [draft.build() for draft in drafts]


class _Reader:
    """The state of one pass over the lines: ``head`` waits for its stack, ``current`` is the draft whose stack is read,
    ``chain`` holds the indentation and position of the exceptions that a marker may refer to.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.drafts: list[Draft] = []
        self.head: Head | None = None
        self.head_at = -1
        self.current: int | None = None
        self.last_frame = -1
        self.chain: list[tuple[int, int]] = []
        self.free = 0
        """The first line that no exception has taken."""

    def read(self, at: int) -> None:
        text = self.lines[at].text
        frame = frame_in(text, at)
        if frame is not None:
            self.read_frame(frame, at)
        elif self.current is not None and is_elision(text):
            self.read_elision(at)
        elif (error := compiler_error(text)) is not None:
            self.add_error(error, at)
        else:
            head = head_in(text)
            if head is not None and not self.continues(head):
                self.drop_head()
                self.head, self.head_at = head, at
                self.read_one_line(head, at)

    def continues(self, head: Head) -> bool:
        """Whether what looks like a head is a line of the message before it."""
        if self.head is None or head.relation:
            return False
        return not head.strong or head.indent > self.head.indent

    def read_frame(self, frame: Frame, at: int) -> None:
        if self.head is not None and at - self.head_at <= MAX_MESSAGE_LINES:
            self.begin(self.head, self.head_at, at - 1)
        elif self.current is None or at - self.last_frame > _MAX_GAP + 1:
            self.drop_head()
            self.begin_without_head(at)
        if self.current is not None:
            draft = self.drafts[self.current]
            draft.frames.append(frame)
            draft.last = self.last_frame = at
            self.free = at + 1

    def read_elision(self, at: int) -> None:
        """``... 23 more``: it may be all there is of a stack."""
        if self.head is not None:
            self.begin(self.head, self.head_at, at - 1)
        if self.current is not None:
            self.drafts[self.current].last = self.last_frame = at
            self.free = at + 1

    def add_error(self, error: CompilerError, at: int) -> None:
        """Take an error of a compiler."""
        self.drop_head()
        draft = Draft(cls="", language=error.language, first=at, last=at, kind="logged")
        draft.say(self.lines, at, error.column)
        draft.frames = [Frame(path=error.path, line=error.line, function="", at=at)]
        self.drafts.append(draft)
        self.current, self.free = None, at + 1

    def read_one_line(self, head: Head, at: int) -> None:
        """Take a whole stack that stands on one line."""
        text = self.lines[at].text
        cut, frames = stack_in_line(text, head.column, lambda piece: frame_in(piece, at))
        if frames:
            self.begin(head, at, at)
            draft = self.drafts[-1]
            draft.say(self.lines, at, head.column, end=cut)
            draft.frames, self.last_frame = frames, at

    def begin(self, head: Head, at: int, last: int) -> None:
        """Begin the exception that ``head`` names, its message up to line ``last``."""
        self.head = None
        draft = Draft(cls=head.cls, language="Java", first=at, last=at)
        draft.say(self.lines, at, head.column, last=last)
        place = len(self.drafts)
        self.drafts.append(draft)
        self.relate(draft, place, head)
        self.current, self.free = place, last + 1
        self.unwrap(place)

    def begin_without_head(self, at: int) -> None:
        """Begin an exception whose head does not stand at the start of a line, or is cut off."""
        above = at - 1
        draft = Draft(cls="", language="Java", first=at, last=at, kind="cut")
        if above >= self.free and self.lines[above].text.strip():
            text = self.lines[above].text
            head = head_inside(text)
            draft.first, draft.kind = above, "raised" if head else "logged"
            draft.cls = head.cls if head else ""
            draft.say(self.lines, above, head.column if head else indent_of(text))
        self.chain = [(0, len(self.drafts))]
        self.drafts.append(draft)
        self.current = len(self.drafts) - 1

    def drop_head(self) -> None:
        """Give up waiting for the stack of the pending head; it is kept when it is surely the JVM's."""
        head, self.head = self.head, None
        if head is not None and head.sure:
            self.begin(head, self.head_at, self.head_at)
            self.current = None

    def relate(self, draft: Draft, place: int, head: Head) -> None:
        """Name the parent of a new draft by its marker and its indentation, which may be lost."""
        if not head.relation:
            self.chain = [(head.indent, place)]
            return
        if not self.chain:
            pass
        elif head.relation == "previous":
            inner = self.drafts[self.chain[-1][1]]
            inner.parent, inner.relation = place, "cause"
        elif head.relation == "suppressed":
            outer = next((entry for entry in reversed(self.chain) if entry[0] < head.indent), self.chain[0])
            draft.parent, draft.relation = outer[1], "suppressed"
        else:
            same = next((entry for entry in reversed(self.chain) if entry[0] <= head.indent), self.chain[-1])
            draft.parent, draft.relation = same[1], "cause"
        while self.chain and self.chain[-1][0] >= head.indent:
            self.chain.pop()
        self.chain.append((head.indent, place))

    def unwrap(self, place: int) -> None:
        """``A: text; nested exception is b.C: message`` and ``A: b.C: message`` also tell a C."""
        outer = self.drafts[place]
        first, _, _ = outer.message.partition("\n")
        start = 0
        for count in range(_MAX_NESTED):
            nested = first.find(_NESTED, start)
            if nested < 0 and count:
                return
            start = nested + len(_NESTED) if nested >= 0 else 0
            end = name_end(first, start)
            name = first[start:end]
            if "." not in name or not is_error_name(name) or not first.startswith(": ", end):
                if nested < 0:
                    return
                continue
            inner = Draft(
                cls=name, language="Java", first=outer.first, last=outer.last, relation="wrapped", parent=place
            )
            inner.say(self.lines, outer.message_line, outer.message_column + end + 2, last=outer.message_last)
            inner.frames = outer.frames
            self.drafts.append(inner)
            place = len(self.drafts) - 1
            if nested < 0:
                return


def _repeated(drafts: Sequence[Draft]) -> set[int]:
    """The quoted causes that the text tells again as causes of their own."""
    told = {(draft.cls, draft.message.partition("\n")[0]) for draft in drafts if draft.relation != "wrapped"}
    return {
        place
        for place, draft in enumerate(drafts)
        if draft.relation == "wrapped" and (draft.cls, draft.message.partition("\n")[0]) in told
    }


def _language(draft: Draft) -> str:
    """The language of the code that raised: that of the nearest frame that is not the runtime's, else of the class."""
    for frame in draft.frames:
        if frame.path and not frame.function.startswith(_RUNTIME):
            return next((language for ending, language in _BY_EXTENSION if frame.path.endswith(ending)), "Java")
    return next((language for package, language in _BY_PACKAGE if draft.cls.startswith(package)), "Java")
