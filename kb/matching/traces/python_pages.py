"""Python: errors as the debug pages and reports of web frameworks show them, class and message as fields; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.class_names import class_end, is_class_name
from kb.matching.traces.drafts import Draft, indent_of, number

__all__ = ["find_pages"]

LANGUAGE: Final = "Python"

_TYPE: Final = "Exception Type:"
_VALUE: Final = "Exception Value:"
_PLACE: Final = "Exception Location:"
_NEAR: Final = 6
"""Lines within which the fields follow each other."""
_LONGEST: Final = 2_000


def find_pages(lines: Sequence[Line]) -> list[Draft]:
    """The errors told by ``Exception Type:`` and ``Exception Value:``, or by a title ``KeyError at /cart/``."""
    drafts: list[Draft] = []
    for at, line in enumerate(lines):
        bare = line.text[:_LONGEST].strip()
        if bare.startswith(_TYPE):
            draft = _fields(lines, at)
        elif " at /" in bare:
            draft = _titled(lines, at)
        else:
            continue
        if draft is not None and not any(draft.first <= other.last for other in drafts[-1:]):
            drafts.append(draft)
    return _without_titles(drafts)


def _fields(lines: Sequence[Line], at: int) -> Draft | None:
    """The error whose class the line names; its message and place stand in the lines below."""
    text = lines[at].text
    start = text.index(_TYPE) + len(_TYPE)
    start += indent_of(text[start:])
    cls = text[start : class_end(text, start)]
    stop = min(len(lines), at + _NEAR)
    value = next((place for place in range(at + 1, stop) if lines[place].text.strip().startswith(_VALUE)), None)
    if value is None or not cls:
        return None
    last = value
    below = lines[value].text.partition(_VALUE)[2].strip()
    if not below:  # a page copied from a browser has the value on the next line
        last = min(value + 1, len(lines) - 1)
    draft = Draft(cls=cls, language=LANGUAGE, first=at, last=last)
    draft.say(lines, value, lines[value].text.index(_VALUE) + len(_VALUE), last=last)
    _take_place(draft, lines, last)
    if not draft.frames:
        _take_frames(draft, lines, at)
    return draft


def _take_frames(draft: Draft, lines: Sequence[Line], at: int) -> None:
    """Take the frames above the fields, each ``File "path" in function`` with ``12.  source`` in the line below."""
    while at > 0 and not lines[at - 1].text.strip():
        at -= 1
    while at > 1 and (frame := _old_frame(lines, at - 2)) is not None:
        draft.frames.append(frame)
        at -= 2
    if draft.frames:
        titled = at > 0 and lines[at - 1].text.strip() == "Traceback:"
        draft.first = at - 1 if titled else at


def _old_frame(lines: Sequence[Line], at: int) -> Frame | None:
    path, marked, function = lines[at].text[:_LONGEST].strip().removeprefix('File "').partition('" in ')
    digits, dot, source = lines[at + 1].text[:_LONGEST].strip().partition(". ")
    line = number(digits)
    if not marked or not dot or line is None or not lines[at].text.lstrip().startswith('File "'):
        return None
    return Frame(path=path, line=line, function=function, at=at, source=source.strip())


def _take_place(draft: Draft, lines: Sequence[Line], last: int) -> None:
    for at in range(last + 1, min(len(lines), last + _NEAR)):
        text = lines[at].text.strip()
        if not text.startswith(_PLACE):
            continue
        path, _, rest = text[len(_PLACE) :].strip().partition(", line ")
        digits, _, function = rest.partition(", in ")
        draft.frames = [Frame(path=path, line=number(digits.strip()), function=function.strip(), at=at)]
        draft.last = at
        return


def _titled(lines: Sequence[Line], at: int) -> Draft | None:
    """``KeyError at /cart/`` with the message on the next line."""
    text = lines[at].text
    start = indent_of(text)
    end = class_end(text, start)
    cls = text[start:end]
    if not is_class_name(cls) or not text.startswith(" at /", end) or " " in text[end + 4 :].strip():
        return None
    if at + 1 >= len(lines) or not lines[at + 1].text.strip():
        return None
    draft = Draft(cls=cls, language=LANGUAGE, first=at, last=at + 1)
    draft.say(lines, at + 1, 0)
    return draft


def _without_titles(drafts: list[Draft]) -> list[Draft]:
    """A page tells its error twice: in the title and in its fields, which tell more."""
    told = {(draft.cls, draft.message) for draft in drafts if draft.frames}
    return [draft for draft in drafts if draft.frames or (draft.cls, draft.message) not in told]
