"""Ruby: uncaught exceptions in either order with their causes, and the backtraces of logs and test runners."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, location, number, same_fault
from kb.matching.traces.ruby_heads import class_at_end, head_above

__all__ = ["find"]

_LANGUAGE: Final = "Ruby"
_PLACED: Final = re.compile(r"(.{1,1000}?):([0-9]{1,7}):in ([`'])")
_FROM: Final = re.compile(r"[ \t]{0,20}(?:[0-9]{1,6}: )?from ")
_LEVELS: Final = re.compile(r"[ \t]{1,20}\.{3} ?[0-9]{1,9} levels\.{3}")
_SYNTAX: Final = re.compile(r"(\S.{0,500}\.r[bu]|-e):([0-9]{1,7}): ")
_LISTING: Final = re.compile(r"[ \t>]{1,8}[0-9]{0,6} \|")
_OTHER: Final = re.compile(r"[A-Z]\w{0,80}(?:::[A-Z]\w{0,80}){0,8}(?:Error|Exception): ")
_TRACEBACK: Final = "Traceback (most recent call last):"


def find(lines: Sequence[Line]) -> list[Fault]:
    """All Ruby faults of ``lines`` in text order; a cause names the fault it was the cause of as its parent."""
    drafts: list[Draft] = []
    at = 0
    while at < len(lines):
        text = lines[at].text
        after = at + 1
        if ":in `" in text or ":in '" in text:
            after = _located(lines, at, drafts)
        elif "yntax error" in text or "(SyntaxError)" in text:
            after = _syntax_error(lines, at, drafts)
        at = max(at + 1, after)
    return [draft.build() for draft in drafts]


def _frame(text: str, at: int) -> tuple[Frame, int] | None:
    """The frame at the beginning of ``text``, after blanks, ``from`` and a comment mark, and the column after it."""
    matched = _PLACED.match(text)
    if matched is None:
        return None
    end = text.find("'", matched.end())
    if end < 0:
        return None
    path = matched[1].strip().removeprefix("# ")
    if (moved := _FROM.match(matched[1])) is not None:
        path = matched[1][moved.end() :]
    elif " " in path and not path.startswith(("/", "<internal:")) and path[1:3] not in {":/", ":\\"}:
        path = path.rsplit(" ", 1)[1]
    return Frame(path=path, line=number(matched[2]), function=text[matched.end() : end], at=at), end + 1


def _located(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """Read what begins with the located line ``at``: a head, frames before a head, or frames after one."""
    read = _frame(lines[at].text, at)
    if read is None:
        return at + 1
    frame, end = read
    text = lines[at].text
    if _FROM.match(text) is None and text.startswith(": ", end):
        return _head(lines, at, end + 2, [frame], drafts)
    if text[end:].strip():
        return at + 1
    frames, after = _frames(lines, at)
    if _FROM.match(text) and after < len(lines):
        read = _frame(lines[after].text, after)
        if read is not None and lines[after].text.startswith(": ", read[1]):  # printed with the raise last
            first = at - 1 if at and lines[at - 1].text.strip() == _TRACEBACK else at
            after = _head(lines, after, read[1] + 2, [read[0], *reversed(frames)], drafts)
            drafts[-1].first = first
            return after
    draft = _above(lines, at, drafts)
    draft.frames, draft.last = frames, after - 1
    if draft.kind != "cut" or len(frames) > 1:
        drafts.append(draft)
    return after


def _frames(lines: Sequence[Line], at: int) -> tuple[list[Frame], int]:
    """The frames in the lines from ``at`` on, and where they end."""
    frames: list[Frame] = []
    while at < len(lines) and len(lines[at].text) <= MAX_FRAME_LINE:
        text = lines[at].text
        read = _frame(text, at)
        if read is not None and not text[read[1] :].strip():
            frames.append(read[0])
        elif (moved := _FROM.match(text)) is not None:
            path, line, _ = location(text[moved.end() :].strip())
            if line is None:
                break
            frames.append(Frame(path=path, line=line, function="", at=at))
        elif _LEVELS.match(text) is None:
            break
        at += 1
    return frames, at


def _head(lines: Sequence[Line], at: int, column: int, frames: list[Frame], drafts: list[Draft]) -> int:
    """``path:line:in 'method': message (Class)`` and what follows it; where to go on."""
    draft = Draft(cls="", language=_LANGUAGE, first=at, last=at, frames=frames)
    draft.cls, end = class_at_end(lines[at].text, column)
    if at and lines[at - 1].text.startswith("#<Thread:") and (not drafts or drafts[-1].last < at - 1):
        draft.first = at - 1
    follows, last = _tail(lines, at + 1)
    draft.say(lines, at, column, end=end, last=last)
    draft.last = max(draft.last, follows - 1)
    _quote(lines, draft, last + 1, follows)
    below, after = _frames(lines, follows)
    if len(frames) == 1:
        draft.frames = frames + below
        draft.last = max(draft.last, after - 1)
    else:
        after = follows
    draft.codes.extend(codes_in(draft.message))
    if drafts and drafts[-1].last == at - 1 and same_fault(drafts[-1], draft):  # a thread's, printed once more
        drafts[-1].last = draft.last
        return after
    if drafts and drafts[-1].last == at - 1 and _same_bottom(drafts[-1], draft):
        draft.relation, draft.parent = "cause", len(drafts) - 1
    drafts.append(draft)
    return after


def _same_bottom(one: Draft, other: Draft) -> bool:
    """Whether two traces end in the same frame, as those of an exception and its cause do."""
    return (
        bool(one.frames and other.frames)
        and one.frames[-1].path == other.frames[-1].path
        and one.frames[-1].line == other.frames[-1].line
    )


def _tail(lines: Sequence[Line], start: int) -> tuple[int, int]:
    """Where the frames after a head begin, or what else follows it, and the last line of its message."""
    blank = -1
    for at in range(start, min(len(lines), start + MAX_MESSAGE_LINES)):
        text = lines[at].text
        if _FROM.match(text) and (".rb:" in text or ":in " in text):
            return at, (blank if blank >= 0 else at) - 1
        if ":in `" in text or ":in '" in text:
            head = head_above(lines, at, start)  # of frames that are another's
            end = min(head.at if head else at, blank if blank >= 0 else at)
            return end, end - 1
        if blank < 0 and (text.startswith("Did you mean?") or _OTHER.match(text)):
            blank = at
        elif not text.strip():
            if blank >= 0 and not lines[blank].text.strip() and at > blank + 3:
                return blank, blank - 1
            blank = at if blank < 0 else blank
    if blank >= 0:
        return blank, blank - 1
    return start, start - 1


def _quote(lines: Sequence[Line], draft: Draft, begin: int, end: int) -> None:
    """Take the source line that is shown with a mark below it, between the message and the frames."""
    for at in range(begin + 1, end):
        if lines[at].text.strip() and not lines[at].text.strip("^ \t"):
            draft.quoted = lines[at - 1].text.strip()


def _above(lines: Sequence[Line], at: int, drafts: list[Draft]) -> Draft:
    """The fault whose class and message stand above the frames that begin in line ``at``."""
    floor = drafts[-1].last + 1 if drafts else 0
    head = head_above(lines, at, floor)
    if head is None:
        return Draft(cls="", language=_LANGUAGE, kind="cut", first=at, last=at)
    draft = Draft(cls=head.cls, language=_LANGUAGE, first=head.at, last=at)
    draft.say(lines, head.at, head.column, end=head.end, last=head.last)
    if head.closing:
        draft.message = draft.message.removesuffix("):").rstrip()
        draft.message_last = draft.message_line + draft.message.count("\n")
    draft.codes.extend(codes_in(draft.message))
    if head.is_cause and drafts and drafts[-1].last >= head.at - 2:
        draft.relation, draft.parent = "cause", len(drafts) - 1
    return draft


def _syntax_error(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``path:line: syntax error, …``, with ``(SyntaxError)`` or without, and the listing below it."""
    text = lines[at].text
    begin = indent_of(text)
    matched = _SYNTAX.match(text[:MAX_FRAME_LINE], begin)
    if matched is None:
        return at + 1
    cls, end = class_at_end(text, matched.end())
    if not cls and not text.startswith("syntax error", matched.end()):
        return at + 1
    draft = Draft(cls=cls or "SyntaxError", language=_LANGUAGE, first=at, last=at)
    draft.say(lines, at, matched.end(), end=end)
    draft.frames.append(Frame(path=matched[1], line=number(matched[2]), function="", at=at))
    drafts.append(draft)
    while draft.last + 1 < len(lines) and draft.last < at + MAX_MESSAGE_LINES and _is_listing(lines, draft.last + 1):
        draft.last += 1
    return draft.last + 1


def _is_listing(lines: Sequence[Line], at: int) -> bool:
    """Whether line ``at`` shows source: numbered, or with a mark in the line below or in itself."""
    text = lines[at].text
    marked = bool(text.strip()) and not text.strip("^~ \t")
    below = lines[at + 1].text if at + 1 < len(lines) else ""
    return marked or _LISTING.match(text[:80]) is not None or (bool(below.strip()) and not below.strip("^~ \t"))
