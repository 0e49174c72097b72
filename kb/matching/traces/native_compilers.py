"""The errors of compilers, linkers and CMake."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, number
from kb.matching.traces.native_pieces import add, is_source, language_of, source_place

__all__ = ["cmake_error", "diagnostic", "link_error", "microsoft"]

_ERROR: Final = re.compile(r": (?:fatal |internal compiler )?error: ")
_MICROSOFT: Final = re.compile(
    r"(?:(?:(\S.{0,500}?)\(([0-9]{1,7})(?:,[0-9]{1,5}){0,3}\) ?|(\S.{0,500}?) ?): )?(?:fatal |Command line )?error "
    r"((?:C|D|LNK|RC|LNT)[0-9]{4}) ?: "
)
_TURN: Final = re.compile(r"^[0-9]{1,4}>")
_LINKER: Final = (": undefined reference to ", ": multiple definition of ", "ld: cannot find -l",
    "ld: error: undefined symbol: ", "ld.lld: error: undefined symbol: ", "ld: library not found for ",
    "ld: symbol(s) not found for ")  # fmt: skip
_FUNCTION: Final = re.compile(r"[Ii]n (?:member |static |lambda )?function [`'\u2018](.{1,500})['\u2019]:$")
_CMAKE: Final = re.compile(r"CMake Error(?: at (\S.{0,500}):([0-9]{1,7}) \(([^)]{1,200})\))?:")
_MOST_CONTEXT: Final = 20
_OPTION: Final = re.compile(r" \[-W[^\]]{1,100}\]$")


def diagnostic(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``file.c:3:5: error: message`` with the source line below; where to go on."""
    text = lines[at].text
    matched = _ERROR.search(text[:MAX_FRAME_LINE])
    found = source_place(text[: matched.start()]) if matched else None
    if matched is None or found is None:
        return at + 1
    path, line = found
    draft = Draft(cls="", language=language_of(path), first=at, last=at)
    option = _OPTION.search(text[-120:].rstrip())
    draft.say(lines, at, matched.end(), end=text.rstrip().rfind(" [-W") if option else None)
    source = _source(lines, at + 1, line)
    if source:
        draft.last, draft.quoted = at + 1, source
        while draft.last + 1 < len(lines) and draft.last < at + 4 and _is_marking(lines[draft.last + 1].text):
            draft.last += 1
    draft.frames.append(Frame(path=path, line=line, function=_function(lines, at), at=at, source=source))
    floor = drafts[-1].last if drafts else -1
    while draft.first - 1 > floor and draft.first > at - _MOST_CONTEXT and _is_context(lines[draft.first - 1].text):
        draft.first -= 1
    return add(draft, drafts, _after_notes(lines, draft))


def _is_context(text: str) -> bool:
    """Whether a line above an error tells where the compiler was."""
    return text.rstrip()[-200:].endswith((":", ",", "required from here")) and any(
        mark in text[:MAX_FRAME_LINE] for mark in (": In ", "In file included from ", "   from ", "required from ")
    )


def _after_notes(lines: Sequence[Line], draft: Draft) -> int:
    """Where the notes to an error end, which become part of it."""
    most = draft.last + _MOST_CONTEXT
    while (
        draft.last + 1 < len(lines) and draft.last < most and ": note: " in lines[draft.last + 1].text[:MAX_FRAME_LINE]
    ):
        draft.last += 1
        while draft.last + 1 < len(lines) and draft.last < most and _is_shown(lines, draft.last + 1):
            draft.last += 1
    return draft.last + 1


def _is_shown(lines: Sequence[Line], at: int) -> bool:
    """Whether line ``at`` shows source or marks it."""
    text = lines[at].text[:MAX_FRAME_LINE]
    below = lines[at + 1].text if at + 1 < len(lines) else ""
    return _is_marking(text) or number(text.partition("|")[0].strip()) is not None or _is_marking(below)


def _source(lines: Sequence[Line], at: int, line: int) -> str:
    """The source line shown in line ``at``: numbered, or with a mark in the line below."""
    if at >= len(lines) or len(lines[at].text) > MAX_FRAME_LINE:
        return ""
    digits, bar, source = lines[at].text.partition("|")
    if bar and number(digits.strip()) == line:
        return source.strip()
    below = lines[at + 1].text if at + 1 < len(lines) else ""
    return lines[at].text.strip() if "^" in below and not below.strip("^~ \t") else ""


def _is_marking(text: str) -> bool:
    return bool(text.strip()) and (text.lstrip().startswith("|") or not text.strip("^~ \t"))


def _function(lines: Sequence[Line], at: int) -> str:
    """The function that the line above an error names."""
    matched = _FUNCTION.search(lines[at - 1].text[:MAX_FRAME_LINE].rstrip()) if at else None
    return matched[1] if matched else ""


def microsoft(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``file.cpp(3): error C2065: message`` and ``file.obj : error LNK2019: message``; where to go on."""
    text = lines[at].text
    matched = _MICROSOFT.match(text[:MAX_FRAME_LINE], indent_of(text))
    if matched is None:
        return at + 1
    path = _TURN.sub("", matched[1] or "")
    draft = Draft(cls="", language=language_of(path), first=at, last=at, codes=[matched[4]])
    project = text.rstrip().rfind(" [", matched.end()) if text.rstrip().endswith("proj]") else -1
    draft.say(lines, at, matched.end(), end=project if project >= 0 else None)
    if path:
        draft.frames.append(Frame(path=path, line=number(matched[2]), function="", at=at))
    return add(draft, drafts, at + 1)


def link_error(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``file.c:(.text+0xf): undefined reference to `name'`` and other words of linkers; where to go on."""
    text = lines[at].text
    head = text[:MAX_FRAME_LINE]
    mark = next((mark for mark in _LINKER if mark in head), None)
    if mark is None:
        return at + 1
    column = head.index(mark) + mark.index(": ") + len(": ")
    if text.startswith("error: ", column):
        column += len("error: ")
    draft = Draft(cls="", language="C++" if "::" in text or "(" in text[column:] else "C", first=at, last=at)
    draft.say(lines, at, column)
    place = head[: head.index(mark)].removesuffix(": in function").rpartition(": ")[2]
    found = source_place(place)
    if found is not None:
        draft.language = language_of(found[0])
        draft.frames.append(Frame(path=found[0], line=found[1], function=_function(lines, at), at=at))
    elif is_source(place.partition(":(")[0]):
        path = place.partition(":(")[0].strip()
        draft.language = language_of(path)
        draft.frames.append(Frame(path=path, line=None, function=_function(lines, at), at=at))
    if draft.frames and draft.frames[0].function and (not drafts or drafts[-1].last < at - 1):
        draft.first = at - 1
    return add(draft, drafts, at + 1)


def cmake_error(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``CMake Error at path:12 (command):`` and the indented message below; where to go on."""
    text = lines[at].text
    matched = _CMAKE.match(text[:MAX_FRAME_LINE], indent_of(text))
    if matched is None:
        return at + 1
    last = at
    while last + 1 < len(lines) and last < at + MAX_MESSAGE_LINES:
        following = lines[last + 1].text
        after = lines[last + 2].text if last + 2 < len(lines) else ""
        if not following.startswith("  ") and (following.strip() or not after.startswith("  ")):
            break
        last += 1
    draft = Draft(cls="", language="", first=at, last=last)
    draft.say(lines, at, matched.end(), last=last)
    if matched[1]:
        draft.frames.append(Frame(path=matched[1], line=number(matched[2]), function=matched[3], at=at))
    return add(draft, drafts, last + 1)
