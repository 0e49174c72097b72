"""Go: panics and fatal errors with their goroutine's stack, errors with stacks of their own, and lines with a place.

A message of the form ``a: b: c`` also tells ``b: c`` and ``c``, which other code made and this one wrapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from kb.matching.shapes import Fault, FaultKind, Frame, Line
from kb.matching.traces.drafts import MAX_MESSAGE_LINES, Draft, indent_of, name_end
from kb.matching.traces.go_lines import (
    Place,
    after_date,
    function_in,
    is_dated,
    is_goroutine,
    place_in,
    placed_message,
    wrapped_starts,
)

__all__ = ["find"]

_SIGNS: Final = (".go:", "panic: ", "fatal error: ", "goroutine ", "exit status ")
_SURE_SIGNS: Final = (".go:", "goroutine ", "exit status ", "[recovered", "panic: runtime error: ")
_PANIC: Final = "panic: "
_FATAL: Final = "fatal error: "
_RECOVERED: Final = (" [recovered]", " [recovered, repanicked]")
_MAX_GAP: Final = 2


def find(lines: Sequence[Line]) -> list[Fault]:
    """The errors of Go programs in ``lines``, in text order."""
    if not any(sign in line.text for line in lines for sign in _SIGNS):
        return []
    reader = _Reader(lines)
    at = 0
    while at < len(lines):
        at = max(reader.read(at), at + 1)
    return [draft.build() for draft in _with_wrapped(lines, reader.drafts)]


class _Reader:
    """One pass over the lines; every method takes the line it begins at and returns the line where reading goes on."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.is_go = any(sign in line.text for line in lines for sign in _SURE_SIGNS)
        """Whether anything but the word "panic" tells Go."""

        self.drafts: list[Draft] = []
        self.goroutine = 0
        """Up to this line goroutines have been looked for."""

        self.free = 0
        """The first line that no fault has taken."""

    def read(self, at: int) -> int:
        text = self.lines[at].text
        bare = text.strip()
        if bare.startswith((_PANIC, _FATAL)):
            return self.read_panics(at)
        if is_goroutine(text):
            return self.read_logged_stack(at)
        if bare.endswith("panic recovered:"):
            return self.read_recovery(at)
        if ".go:" in text:
            return self.read_placed(at)
        if bare.startswith("exit status ") and at > self.free:
            self.read_fatal_log(at)
        return at + 1

    # -- Panics -----------------------------------------------------------------------------------------------------

    def read_panics(self, at: int) -> int:
        """The panics that are printed one below the other, then the stack of the goroutine."""
        heads = [at]
        stack = self.stack_after(at)
        if stack is None and not (self.is_go and self.lines[at].text.strip().startswith(_PANIC)):
            return at + 1
        heads.extend(place for place in range(at + 1, stack or at) if self.lines[place].text.strip().startswith(_PANIC))
        first = len(self.drafts)
        for place, head in enumerate(heads):
            stop = heads[place + 1] if place + 1 < len(heads) else stack
            self.drafts.append(self.panic(head, stop))
        groups, end = self.read_stack(stack) if stack is not None else ([], self.drafts[-1].last + 1)
        self.settle_panics(first, groups, end)
        self.free = end
        return end

    def stack_after(self, at: int) -> int | None:
        """The line of the first goroutine after the panic at ``at``, unless it is too far away to belong to it."""
        while self.goroutine <= at or not is_goroutine(self.lines[self.goroutine].text):
            self.goroutine += 1
            if self.goroutine >= len(self.lines):
                self.goroutine = len(self.lines) - 1
                return None
        return self.goroutine if self.goroutine - at <= MAX_MESSAGE_LINES else None

    def panic(self, at: int, stop: int | None) -> Draft:
        """The panic whose head is line ``at``; its message ends before ``stop``, a blank line or a signal."""
        text = self.lines[at].text
        bare = text.strip()
        draft = Draft(cls="", language="Go", first=at, last=at)
        column = indent_of(text) + len(_PANIC if bare.startswith(_PANIC) else _FATAL)
        last = at
        while stop is not None and last + 1 < stop and _is_message(self.lines[last + 1].text):
            last += 1
        end = None
        for mark in _RECOVERED:
            if bare.endswith(mark):
                end, last = len(text.rstrip()) - len(mark), at
        if text.startswith("(", column) and (close := text.find(") ", column, column + 200)) >= 0:
            name = text[column + 1 : close].lstrip("*")
            if name_end(name, 0) == len(name):
                draft.cls, column = name, close + 2
        draft.say(self.lines, at, column, end=end, last=last)
        return draft

    def settle_panics(self, first: int, groups: list[list[Frame]], end: int) -> None:
        """Give each panic its frames: the last one was raised at the top of the stack, the one before it below the
        first call of ``panic``, and so on. A panic raised again as it was counts once.
        """
        panics = self.drafts[first:]
        again = [later.message == panic.message for panic, later in pairwise(panics)]
        for distance, draft in enumerate(reversed(panics)):
            place = len(groups) - len(panics) + distance
            rest = groups[max(place, 0) :] if place < len(groups) else []
            draft.frames = [frame for group in rest for frame in group]
            draft.last = max(draft.last, draft.frames[-1].at if draft.frames else -1)
        kept = [draft for place, draft in enumerate(panics) if place == len(panics) - 1 or not again[place]]
        for place in range(len(panics) - 1, 0, -1):
            if again[place - 1]:
                panics[place].first, panics[place].frames = panics[place - 1].first, panics[place - 1].frames
        for place, draft in enumerate(kept):
            if place + 1 < len(kept):
                draft.parent, draft.relation = first + place + 1, "context"
        kept[-1].last = max(kept[-1].last, end - 1)
        self.drafts[first:] = kept

    def read_stack(self, at: int) -> tuple[list[list[Frame]], int]:
        """The frames of the goroutine whose head is line ``at``, in groups divided by calls of ``panic``; and the line
        behind them.
        """
        groups: list[list[Frame]] = [[]]
        end = place = at + 1
        while place < len(self.lines) and place - end <= _MAX_GAP:
            text = self.lines[place].text
            if not text.strip() or is_goroutine(text):
                break
            found = place_in(text)
            if found is not None:
                name, called = function_in(self.lines[place - 1].text)
                if name == "panic":
                    groups.append([])
                elif name and called:
                    groups[-1].append(Frame(path=found.path, line=found.line, function=name, at=place))
                end = place + 1
            place += 1
        return groups, end

    # -- Logged stacks ----------------------------------------------------------------------------------------------

    def read_logged_stack(self, at: int) -> int:
        """A stack that a program printed: ``http: panic serving 1.2.3.4:5: message``, then the goroutine."""
        groups, end = self.read_stack(at)
        if not any(groups):
            return end
        above = at - 1
        while above > self.free and above > at - _MAX_GAP and not self.lines[above].text.strip():
            above -= 1
        usable = above >= self.free and bool(self.lines[above].text.strip())
        if not usable and "[running]" not in self.lines[at].text:
            return end
        draft = Draft(cls="", language="Go", first=above if usable else at, last=end - 1, kind="cut")
        if usable:
            draft.kind = "logged"
            draft.say(self.lines, above, _logged_column(self.lines[above].text))
        raised = groups[1:] if len(groups) > 1 else groups
        draft.frames = [frame for group in raised for frame in group]
        self.drafts.append(draft)
        self.free = end
        return end

    def read_recovery(self, at: int) -> int:
        """What a web framework's recovery prints: the message, then place and function on two lines each."""
        if at + 1 >= len(self.lines):
            return at + 1
        draft = Draft(cls="", language="Go", first=at, last=at + 1, kind="logged")
        place = at + 2
        while place < len(self.lines) and (found := place_in(self.lines[place].text)) is not None:
            below = self.lines[place + 1].text.strip() if place + 1 < len(self.lines) else ""
            draft.frames.append(
                Frame(path=found.path, line=found.line, function=below.partition(": ")[0], at=place, source=below)
            )
            place += 2
        if not draft.frames:
            return at + 1
        draft.say(self.lines, at + 1, 0)
        draft.last = min(place, len(self.lines)) - 1
        self.drafts.append(draft)
        self.free = place
        return place

    # -- Lines with a place -----------------------------------------------------------------------------------------

    def read_placed(self, at: int) -> int:
        """A line of an error's own stack, or a message behind its place."""
        text = self.lines[at].text
        found = place_in(text)
        if found is not None and at > self.free and function_in(self.lines[at - 1].text)[0]:
            return self.read_error_stack(at)
        placed = placed_message(text)
        if placed is not None:
            draft = self.add_line(at, placed[1], placed[0])
            self.free = draft.last + 1
        return at + 1

    def read_error_stack(self, at: int) -> int:
        """``message``, then function and place on two lines each; in a chain the root cause comes first."""
        frames: list[Frame] = []
        place = at
        while place < len(self.lines) and (found := place_in(self.lines[place].text)) is not None:
            name, _ = function_in(self.lines[place - 1].text)
            if not name:
                break
            frames.append(Frame(path=found.path, line=found.line, function=name, at=place))
            place += 2
        above, end = at - 2, frames[-1].at + 1
        kind: FaultKind = "logged" if above >= self.free and self.lines[above].text.strip() else "cut"
        draft = Draft(cls="", language="Go", first=above if kind == "logged" else at - 1, last=end - 1, kind=kind)
        draft.frames = frames
        if kind == "logged":
            draft.say(self.lines, above, _logged_column(self.lines[above].text))
            inner = self.drafts[-1] if self.drafts else None
            if inner is not None and inner.frames and inner.last == above - 1 and inner.kind == "logged":
                inner.parent, inner.relation = len(self.drafts), "cause"
        self.drafts.append(draft)
        self.free = end
        return end

    def read_fatal_log(self, at: int) -> None:
        """The line that a program logged before it ended with a status."""
        above = at - 1
        line = self.lines[above]
        column = after_date(line.text)
        if column or is_dated(line.removed):
            self.add_line(above, column, None)
            self.drafts[-1].last = at
            self.free = at + 1

    def add_line(self, at: int, column: int, place: Place | None) -> Draft:
        draft = Draft(cls="", language="Go", first=at, last=at, kind="logged")
        draft.say(self.lines, at, column)
        if place is not None:
            draft.frames = [Frame(path=place.path, line=place.line, function="", at=at)]
        self.drafts.append(draft)
        return draft


def _is_message(text: str) -> bool:
    bare = text.strip()
    return bool(bare) and not bare.startswith(("[signal ", _PANIC, "goroutine ", "runtime stack:"))


def _logged_column(text: str) -> int:
    """Where the message of a logged line begins: behind the date and behind ``panic …: ``."""
    start = after_date(text) or indent_of(text)
    panic = text.lower().find("panic", start)
    colon = text.find(": ", panic) if panic >= 0 else -1
    return colon + 2 if colon >= 0 else start


def _with_wrapped(lines: Sequence[Line], drafts: Sequence[Draft]) -> list[Draft]:
    """``drafts``, each followed by the errors that its message wraps, the innermost last."""
    places: dict[int, int] = {}
    found: list[Draft] = []
    for place, draft in enumerate(drafts):
        places[place] = len(found)
        found.append(draft)
        for start in wrapped_starts(draft.message):
            inner = Draft(cls="", language="Go", first=draft.first, last=draft.last, kind=draft.kind)
            inner.say(lines, draft.message_line, draft.message_column + start, last=draft.message_last)
            inner.message = draft.message[start:]
            inner.relation, inner.parent, inner.frames = "wrapped", -len(found), draft.frames
            found.append(inner)
    for draft in found:
        if draft.relation == "wrapped" and draft.parent is not None:
            draft.parent = -draft.parent - 1
        elif draft.parent is not None:
            draft.parent = places[draft.parent]
    return found
