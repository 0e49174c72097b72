"""Rust: panics old and new with their backtraces, ``Caused by:`` lists, and the compiler's errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, location
from kb.matching.traces.rust_causes import causes, is_numbered, report
from kb.matching.traces.rust_compiler import diagnostic

__all__ = ["find"]

_LANGUAGE: Final = "Rust"
_PANICKED: Final = "panicked at "
_OVERFLOWED: Final = "' has overflowed its stack"
_ENDS: Final = (
    "note: run with",
    "note: Run with",
    "run with `RUST_",
    "Run with `RUST_",
    "stack backtrace:",
    "Stack backtrace:",
    "thread '",
    "Location:",
)
_LOOK_AHEAD: Final = 20
_UNWRAPPED: Final = "` on an `Err` value: "

_FRAME: Final = re.compile(r"[ \t]{0,40}[0-9]{1,5}: {1,8}(?:0x[0-9a-f]{1,20} - )?(\S.{0,1000})")
_AT: Final = re.compile(r"[ \t]{1,60}at (\S.{0,1000})")
_HASH: Final = re.compile(r"::h[0-9a-f]{16}$")
_VALUE: Final = re.compile(r"((?:\w{1,80}::){0,8}[A-Z]\w{0,80})(?: \{ \w{1,60}: |\()")
_EXPECTED: Final = re.compile(r": (?=[A-Z]\w{0,80} \{ \w{1,60}: )")
_CLOSING: Final = ("error: aborting due to", "error: could not compile", "fatal runtime error: stack overflow",
    "For more information about this error", "Some errors have detailed", "Backtrace omitted.")  # fmt: skip
_RUNTIME: Final = ("__rustc::", "rust_begin_unwind", "core::panicking::", "std::panicking::", "std::backtrace",
    "std::sys", "core::result::unwrap_failed", "core::option::unwrap_failed",
    "core::option::expect_failed")  # fmt: skip


def find(lines: Sequence[Line]) -> list[Fault]:
    """All Rust faults of ``lines`` in text order; a cause names the fault it was wrapped by as its parent."""
    drafts: list[Draft] = []
    at = 0
    while at < len(lines):
        at = max(at + 1, _read(lines, at, drafts))
    return [draft.build() for draft in drafts]


def _read(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """Read what begins at line ``at`` into ``drafts``; where to go on."""
    text = lines[at].text
    if _PANICKED in text:
        return _panic(lines, at, drafts)
    stripped = text.strip()
    is_bare_arrow = stripped.startswith("--> ") and at > 0 and (not drafts or drafts[-1].last < at - 1)
    if is_bare_arrow or (stripped.startswith(("error[E", "error: ")) and not text.startswith(_CLOSING)):
        return diagnostic(lines, at - 1 if is_bare_arrow else at, drafts)
    return _report(lines, at, drafts)


def _report(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """Read the error that a program reports as it ends in line ``at``; where to go on."""
    text = lines[at].text
    stripped = text.strip()
    if stripped == "Caused by:":
        return _headless_causes(lines, at, drafts)
    if stripped in {"Error:", "Error"} and at + 1 < len(lines) and is_numbered(lines[at + 1].text):
        return report(lines, at, drafts)
    if stripped.startswith("Error: ") and len(text) <= MAX_FRAME_LINE:
        return _returned(lines, at, drafts)
    if _OVERFLOWED in text and "thread '" in text:
        draft = _new(at, at)
        draft.say(lines, at, text.index("thread '"))
        drafts.append(draft)
    elif drafts and _closes(lines, at, drafts):
        drafts[-1].last = at
    return at + 1


def _closes(lines: Sequence[Line], at: int, drafts: list[Draft]) -> bool:
    """Whether line ``at`` is what a tool says after its last error, right below it or below one blank line."""
    below = max(draft.last for draft in drafts[-3:]) + 1
    return lines[at].text.startswith(_CLOSING) and (at == below or (at == below + 1 and not lines[below].text.strip()))


def _new(first: int, last: int) -> Draft:
    return Draft(cls="", language=_LANGUAGE, first=first, last=last)


# -- Panics ------------------------------------------------------------------------------------------------------------


def _panic(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    text = lines[at].text
    column = text.index(_PANICKED)
    thread = text.rfind("thread '", 0, column)
    is_logged = thread < 0 and bool(text[:column].strip())
    column += len(_PANICKED)
    draft = _new(at, at)
    place = location(text[column:].rstrip(": \t")) if len(text) - column <= MAX_FRAME_LINE else ("", None, None)
    if is_logged and place[1] is None and not text.startswith("'", column):
        return at + 1
    if place[1] is not None and not text.startswith("'", column) and (", " not in place[0] or text.rstrip()[-1] == ":"):
        last = _message_end(lines, at + 1)
        if last > at:
            draft.say(lines, at + 1, 0, last=last)
        placed_at = at
    else:
        place = _quoted_message(lines, at, column, draft)
        placed_at = draft.last
    if place[1] is not None:
        draft.frames.append(Frame(path=place[0], line=place[1], function="", at=placed_at))
    draft.codes.extend(codes_in(draft.message))
    drafts.append(draft)
    wrapper = len(drafts) - 1
    _unwrapped(draft, drafts)
    after = causes(lines, draft.last + 1, drafts, wrapper)
    return _backtrace(lines, after, draft)


def _message_end(lines: Sequence[Line], start: int) -> int:
    """The last line of a panic's message that begins at ``start``: the one before a blank line or what a panic prints
    next; a message with blank lines in it goes on when that is not far.
    """
    blank = -1
    for at in range(start, min(len(lines), start + MAX_MESSAGE_LINES)):
        text = lines[at].text
        if text.startswith(_ENDS) or text.strip() == "Caused by:" or _PANICKED in text:
            return at - 1
        if not text.strip() and blank < 0:
            blank = at
        if 0 <= blank < at - _LOOK_AHEAD:
            break
    return blank - 1 if blank >= 0 else min(len(lines), start + MAX_MESSAGE_LINES) - 1


def _quoted_message(lines: Sequence[Line], at: int, column: int, draft: Draft) -> tuple[str, int | None, int | None]:
    """The old form: the message in quotes, which may run over lines, then the place."""
    quote = "'" if lines[at].text.startswith("'", column) else ""
    column += len(quote)
    for last in range(at, min(len(lines), at + MAX_MESSAGE_LINES)):
        text = lines[last].text
        if last > at and (text.startswith(_ENDS) or _PANICKED in text):
            break
        said, comma, tail = text[column if last == at else 0 :].rpartition(f"{quote}, ")
        place = location(tail.strip()) if comma and len(tail) <= MAX_FRAME_LINE else ("", None, None)
        if place[1] is not None:
            draft.say(lines, at, column, end=column + len(said) if last == at else None, last=last)
            if last > at:
                draft.message = draft.message[: len(draft.message) - len(text.rstrip()) + len(said)]
            draft.last = last
            return place
    draft.say(lines, at, column)
    return "", None, None


def _unwrapped(draft: Draft, drafts: list[Draft]) -> None:
    """The error that ``unwrap`` or ``expect`` found, when it is printed as a value: ``Name { message: "…" }``."""
    message = draft.message[:MAX_FRAME_LINE]
    begin = message.find(_UNWRAPPED) + len(_UNWRAPPED)
    if begin < len(_UNWRAPPED):
        expected = _EXPECTED.search(message)
        begin = expected.end() if expected else 0
    if not begin or "\n" in message:
        return
    inner = _value_draft(message[begin:], draft.message_line, draft.message_column + begin)
    if inner is not None:
        inner.relation, inner.parent = "wrapped", len(drafts) - 1
        drafts.append(inner)


def _value_draft(value: str, at: int, column: int) -> Draft | None:
    """A fault from an error printed as a value: the name is its class, the string that tells is its message, or all."""
    named = _VALUE.match(value)
    told = value.find('message: "')
    begin = told + len("message: ") if told >= 0 else named.end() if named and value[named.end() - 1] == "(" else 0
    end = value.find('"', begin + 1)
    if not value.startswith('"', begin) or end <= begin + 1:
        if named is None:
            return None
        begin, end = -1, len(value)
    draft = _new(at, at)
    draft.cls = named[1] if named else ""
    draft.message = value[begin + 1 : end]
    draft.message_line = draft.message_last = at
    draft.message_column = column + begin + 1
    draft.codes.extend(codes_in(value))
    return draft


def _backtrace(lines: Sequence[Line], at: int, draft: Draft) -> int:
    """Read the backtrace that may begin near line ``at``; where to go on."""
    begin = at
    while at < len(lines) and at < begin + 3 and not lines[at].text.strip():
        at += 1
    if at < len(lines) and lines[at].text.lstrip().startswith(_ENDS[:4]):
        draft.last = max(draft.last, at)
        return at + 1
    if at >= len(lines) or lines[at].text.strip().casefold() != "stack backtrace:":
        return begin
    frames: list[Frame] = []
    at, function = at + 1, ""
    while at < len(lines) and len(lines[at].text) <= MAX_FRAME_LINE:
        text = lines[at].text
        if (named := _FRAME.match(text)) is not None:
            function = _HASH.sub("", named[1].rstrip())
        elif (placed := _AT.match(text)) is not None:
            path, line, _ = location(placed[1].strip())
            frames.append(Frame(path=path, line=line, function=function, at=at))
        else:
            break
        at += 1
    draft.last = max(draft.last, at - 1)
    if at < len(lines) and lines[at].text.startswith("note: "):
        draft.last, at = at, at + 1
    draft.frames = _joined(draft.frames, frames)
    return at


def _joined(place: list[Frame], frames: list[Frame]) -> list[Frame]:
    """The place of the panic and the frames of its backtrace, nearest first, without those of the panic itself."""
    for index, frame in enumerate(frames):
        if place and frame.line == place[0].line and frame.path.removeprefix("./") == place[0].path.removeprefix("./"):
            return frames[index:]
    return place + [frame for frame in frames if not frame.function.startswith(_RUNTIME)]


# -- Chains of causes --------------------------------------------------------------------------------------------------


def _returned(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``Error: …`` as ``main`` prints it: with causes after it, or as a value."""
    text = lines[at].text
    column = text.index("Error: ") + len("Error: ")
    last = at
    while last + 1 < len(lines) and last < at + MAX_MESSAGE_LINES and _goes_on(lines[last + 1].text):
        last += 1
    following = lines[last + 2].text.strip() if last + 2 < len(lines) and not lines[last + 1].text.strip() else ""
    if following in {"Caused by:", "Location:", "Stack backtrace:"}:
        draft = _new(at, last)
        draft.say(lines, at, column, last=last)
        draft.codes.extend(codes_in(draft.message))
        drafts.append(draft)
        return _backtrace(lines, causes(lines, last + 1, drafts, len(drafts) - 1), draft)
    value = text[column:].rstrip()
    if " { " in value and value.endswith("}") and _VALUE.match(value) and not _is_stack(lines, at + 1):
        draft_of_value = _value_draft(value, at, column)
        if draft_of_value is not None:
            drafts.append(draft_of_value)
    return at + 1


def _goes_on(text: str) -> bool:
    """Whether a line may belong to the message of the ``Error:`` above it."""
    return bool(text.strip()) and not text.startswith(("Error: ", "    at "))


def _is_stack(lines: Sequence[Line], at: int) -> bool:
    """Whether line ``at`` is the first frame of a stack of another language."""
    return at < len(lines) and lines[at].text.lstrip().startswith("at ")


def _headless_causes(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """A list of causes whose head has no form of its own: the line above it, ``error:`` cut off."""
    head = at - 1
    while head > max(0, at - 3) and not lines[head].text.strip():
        head -= 1
    taken = drafts[-1].last if drafts else -1
    if head < 0 or head <= taken or not lines[head].text.strip():
        return at + 1
    text = lines[head].text
    draft = _new(head, head)
    begin = text.find("rror: ")
    draft.say(lines, head, begin + len("rror: ") if begin >= 0 else indent_of(text))
    draft.codes.extend(codes_in(draft.message))
    drafts.append(draft)
    after = causes(lines, at, drafts, len(drafts) - 1)
    return _backtrace(lines, after, draft)
