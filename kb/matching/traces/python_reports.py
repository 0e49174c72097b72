"""Python: errors as command-line frameworks and error trackers report them, the class alone on its line; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.class_names import class_end, is_class_name, last_part
from kb.matching.traces.drafts import Draft, indent_of, number
from kb.matching.traces.python_frames import listing_text

__all__ = ["find_reports"]

LANGUAGE: Final = "Python"

_NEAR: Final = 12
"""Lines from the class within which message and place stand."""
_LONGEST: Final = 1_000
_SHORTEST: Final = 5
"""Characters of a name that may be a class."""
_SOURCES: Final = (".py", ".pyx", ".pyi")
_MARK: Final = " in "


def find_reports(lines: Sequence[Line]) -> list[Draft]:
    """The errors told by a class, a message and a place, each on lines of its own, in ``lines``."""
    drafts: list[Draft] = []
    for at, line in enumerate(lines):
        if not _is_alone(line.text) or (drafts and at <= drafts[-1].last):
            continue
        draft = _report(lines, at)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _is_alone(text: str) -> bool:
    """Whether a class is all that stands in the line."""
    bare = text.strip() if len(text) <= _LONGEST else ""
    if len(bare) < _SHORTEST or " " in bare or not bare[:1].isalpha() or class_end(bare) != len(bare):
        return False
    last = last_part(bare)
    return is_class_name(bare) or (last[:1].isupper() and any(one.isupper() for one in last[1:]) and not last.isupper())


def _report(lines: Sequence[Line], at: int) -> Draft | None:
    """The error whose class line ``at`` is: its place comes before or after its message."""
    draft = Draft(cls=lines[at].text.strip(), language=LANGUAGE, first=at, last=at)
    said: list[int] = []
    for place in range(at + 1, min(len(lines), at + _NEAR)):
        text = lines[place].text
        frame = _place(text, place)
        if frame is not None:
            draft.frames.append(frame)
            draft.last = place
            if said:
                break
        elif text.strip():
            if said and (place - said[-1] > 1 or draft.frames):
                break
            said.append(place)
    if not draft.frames:
        return None
    if said:
        draft.say(lines, said[0], 0, last=said[-1])
    _quote(draft, lines)
    return draft


def _quote(draft: Draft, lines: Sequence[Line]) -> None:
    """Take the line of source that an arrow points at below the place."""
    frame = draft.frames[0]
    for place in range(frame.at + 1, min(len(lines), frame.at + _NEAR)):
        text = lines[place].text[:_LONGEST]
        if text.lstrip().startswith(("\u2192", "->", ">")):
            draft.quoted = listing_text(text.replace("\u2192", ">", 1)).strip(" │|")
        elif text.strip() and not text.lstrip()[:1].isdigit():
            break
        draft.last = max(draft.last, place)


def _place(text: str, at: int) -> Frame | None:
    """``at path:line in function``, ``path:line in function`` or ``path in function at line 12``."""
    bare = text.strip().removeprefix("at ") if len(text) <= _LONGEST else ""
    path, marked, rest = bare.partition(_MARK)
    if not marked:
        return None
    function, placed, digits = rest.partition(" at line ")
    if not placed:
        path, _, digits = path.rpartition(":")
    line = number(digits.strip())
    if line is None or not path.endswith(_SOURCES) or indent_of(path) or " " in function.strip():
        return None
    return Frame(path=path, line=line, function=function.strip(), at=at)
