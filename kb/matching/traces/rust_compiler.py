"""The errors of the Rust compiler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, indent_of, location, number

__all__ = ["diagnostic"]

_DIAGNOSTIC: Final = re.compile(r"error(?:\[(E[0-9]{4})\])?: ")
_MOST_HEAD: Final = 40
_ARROW: Final = re.compile(r"[ \t]{0,20}--> (\S.{0,1000})")
_LISTING: Final = re.compile(r"[ \t]{0,10}([0-9]{1,7}|\.\.\.)?[ \t]{1,10}[|=]|\.\.\.$|[ \t]{0,20}::: ")


def diagnostic(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``error[E0382]: …`` with the arrow to its place, and the listing below."""
    text = lines[at].text
    # The code may have been taken for the prefix of a log, so look there too.
    removed = lines[at].removed[-_MOST_HEAD:]
    removed = removed[max(removed.rfind("error["), removed.rfind("error:"), 0) :]
    whole = removed + text if _DIAGNOSTIC.match(removed) else text
    headed = _DIAGNOSTIC.match(whole, indent_of(whole))
    if headed is None or len(text) > MAX_FRAME_LINE:
        return at + 1
    arrow = _ARROW.match(lines[at + 1].text) if at + 1 < len(lines) else None
    if arrow is None and headed[1] is None:
        return at + 1
    draft = Draft(cls="", language="Rust", first=at, last=at)
    draft.say(lines, at, max(headed.end() - (len(whole) - len(text)), 0))
    if headed[1]:
        draft.codes.append(headed[1])
    drafts.append(draft)
    if arrow is None:
        return at + 1
    path, line, _ = location(arrow[1].strip())
    last, source = at + 1, ""
    while last + 1 < len(lines) and last < at + MAX_MESSAGE_LINES and _LISTING.match(lines[last + 1].text[:80]):
        last += 1
        digits, bar, code = lines[last].text.partition("|")
        if bar and number(digits.strip()) == line and not source:
            source = code.strip()
    draft.frames.append(Frame(path=path, line=line, function="", at=at + 1, source=source))
    draft.quoted, draft.last = source, last
    return last + 1
