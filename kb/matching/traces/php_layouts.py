"""PHP exceptions as consoles, frameworks and test runners print them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, location, number
from kb.matching.traces.php_pieces import CLASS

__all__ = ["layout"]

_IN_FILE: Final = re.compile(r"[ \t]{0,8}In (\S{1,300}\.php) line ([0-9]{1,7}):[ \t]{0,200}$")
_BRACKETED: Final = re.compile(rf"[ \t]{{0,8}}\[({CLASS})(?: \([^)]{{1,40}}\))?\][ \t]{{0,200}}$")
_ONLY_CLASS: Final = re.compile(rf"[ \t]{{0,8}}({CLASS})[ \t]{{0,200}}$")
_HEAD: Final = re.compile(rf"({CLASS}): ")
_AT: Final = re.compile(r"[ \t]{0,8}at (\S.{0,500}\.php):([0-9]{1,7})[ \t]{0,200}$")
_PLACE: Final = re.compile(r"(\S.{0,500}\.php):([0-9]{1,7})[ \t]{0,200}$")
_QUOTED: Final = re.compile(rf'Uncaught PHP Exception ({CLASS}): "')
_MOST_BACK: Final = 20


def layout(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """Read an exception of such a layout whose line ``at`` names a file of PHP; where to go on."""
    text = lines[at].text[:MAX_FRAME_LINE]
    if (quoted := _QUOTED.search(text)) is not None:
        return _quoted(lines, at, quoted, drafts)
    if (titled := _IN_FILE.match(text)) is not None:
        return _titled(lines, at, titled, drafts)
    if (placed := _AT.match(text)) is not None:
        return _placed(lines, at, placed, drafts)
    if _PLACE.match(text) is not None and not text[:1].isspace():
        return _listed(lines, at, drafts)
    return at + 1


def _quoted(lines: Sequence[Line], at: int, matched: re.Match[str], drafts: list[Draft]) -> int:
    """``Uncaught PHP Exception Class: "message" at /path line 12``."""
    text = lines[at].text
    end = text.rfind('" at ', matched.end())
    draft = Draft(cls=matched[1], language="PHP", first=at, last=at)
    draft.say(lines, at, matched.end(), end=end if end >= 0 else None)
    if end >= 0:
        path, _, tail = text[end + len('" at ') :][:MAX_FRAME_LINE].partition(" line ")
        draft.frames.append(Frame(path=path, line=number(tail.split(" ", 1)[0]), function="", at=at))
    return _add(draft, drafts, at + 1)


def _titled(lines: Sequence[Line], at: int, matched: re.Match[str], drafts: list[Draft]) -> int:
    """``In File.php line 12:``, perhaps the class in brackets, then the message; the next of them is its cause."""
    start = _nonblank(lines, at + 1, at + 4)
    if start < 0:
        return at + 1
    bracketed = _BRACKETED.match(lines[start].text[:MAX_FRAME_LINE])
    draft = Draft(cls=bracketed[1] if bracketed else "", language="PHP", first=at, last=at)
    if bracketed:
        draft.last, start = start, start + 1
    last = _block_end(lines, start)
    if last >= start:
        draft.say(lines, start, indent_of(lines[start].text), last=last)
    draft.frames.append(Frame(path=matched[1], line=number(matched[2]), function="", at=at))
    if (
        drafts
        and drafts[-1].frames
        and drafts[-1].last >= at - 4
        and _IN_FILE.match(lines[drafts[-1].first].text[:MAX_FRAME_LINE])
    ):
        draft.relation, draft.parent = "cause", len(drafts) - 1
    return _add(draft, drafts, draft.last + 1)


def _placed(lines: Sequence[Line], at: int, matched: re.Match[str], drafts: list[Draft]) -> int:
    """The class alone on a line, the message, and ``at path:12``, blank lines between them."""
    last = _nonblank_above(lines, at - 1, at - 3)
    first = last
    while first > max(0, at - _MOST_BACK) and lines[first - 1].text.strip():
        first -= 1
    head = _nonblank_above(lines, first - 1, first - 3)
    named = _ONLY_CLASS.match(lines[head].text[:MAX_FRAME_LINE]) if last >= 0 and head >= 0 else None
    floor = drafts[-1].last if drafts else -1
    if named is None or head <= floor or not ("\\" in named[1] or named[1].endswith(("Exception", "Error"))):
        return at + 1
    draft = Draft(cls=named[1], language="PHP", first=head, last=at)
    draft.say(lines, first, indent_of(lines[first].text), last=last)
    draft.frames.append(Frame(path=matched[1], line=number(matched[2]), function="", at=at))
    return _add(draft, drafts, at + 1)


def _listed(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``Class: message``, a blank line, then one place a line."""
    head = _nonblank_above(lines, at - 1, at - 3)
    floor = drafts[-1].last if drafts else -1
    frames: list[Frame] = []
    after = at
    while after < len(lines) and _PLACE.match(lines[after].text[:MAX_FRAME_LINE]) is not None:
        path, line, _ = location(lines[after].text.strip())
        frames.append(Frame(path=path, line=line, function="", at=after))
        after += 1
    last = head
    while head > max(floor + 1, last - _MOST_BACK) and lines[head - 1].text.strip():
        if _HEAD.match(lines[head].text[:MAX_FRAME_LINE]) is not None:
            break
        head -= 1
    named = _HEAD.match(lines[head].text[:MAX_FRAME_LINE]) if head > floor else None
    if named is None:
        return after
    draft = Draft(cls=named[1], language="PHP", first=head, last=after - 1, frames=frames)
    draft.say(lines, head, named.end(), last=last)
    return _add(draft, drafts, after)


def _add(draft: Draft, drafts: list[Draft], after: int) -> int:
    draft.codes.extend(codes_in(draft.message))
    drafts.append(draft)
    return after


def _nonblank(lines: Sequence[Line], at: int, end: int) -> int:
    """The first line that is not blank from ``at`` to before ``end``, -1 when there is none."""
    return next((line for line in range(at, min(end, len(lines))) if lines[line].text.strip()), -1)


def _nonblank_above(lines: Sequence[Line], at: int, end: int) -> int:
    """The first line that is not blank from ``at`` up to before ``end``, -1 when there is none."""
    return next((line for line in range(at, max(end, -1), -1) if lines[line].text.strip()), -1)


def _block_end(lines: Sequence[Line], start: int) -> int:
    """The last of the lines from ``start`` on before a blank one."""
    last = start
    while last < len(lines) and last < start + MAX_MESSAGE_LINES and lines[last].text.strip():
        last += 1
    return last - 1
