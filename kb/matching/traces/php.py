"""PHP: uncaught exceptions with those they came from, warnings and fatal errors, and the logs of frameworks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, MAX_MESSAGE_LINES, Draft, number
from kb.matching.traces.php_layouts import layout
from kb.matching.traces.php_pieces import CLASS, place, stack

__all__ = ["find"]

_LANGUAGE: Final = "PHP"
_LABEL: Final = re.compile(
    r"(?:^|[\]\s\">])(PHP )?(Parse error|(?:Catchable |Recoverable )?[Ff]atal error|Warning|Notice|Deprecated|"
    r"Strict Standards|Core (?:error|warning)|Compile (?:error|warning)): {1,2}"
)
_UNCAUGHT: Final = re.compile(rf"Uncaught (?:({CLASS})(?:: | in |$)|exception '({CLASS})'(?: with message '| in ))")
_NEXT: Final = re.compile(rf"Next (?:({CLASS})(?:: | in |$)|exception '({CLASS})'(?: with message '| in ))")
_PRINTED: Final = re.compile(rf"({CLASS}): ")
_OBJECT: Final = re.compile(rf"\[object\] \(({CLASS})\(code: [^)]{{1,40}}\)(?:: | at )")
_TRACES: Final = ("Stack trace:", "[stacktrace]", "[Stacktrace]", "PHP Stack trace:")
_MARKS: Final = ("Uncaught ", " on line ", "Next ", "[object] (", ".php:", ".php line ")


def find(lines: Sequence[Line]) -> list[Fault]:
    """All PHP faults of ``lines`` in text order; an exception that another came from names that one as its parent."""
    drafts: list[Draft] = []
    whole = "\n".join(line.text for line in lines)
    marks = [mark for mark in _MARKS if mark in whole]
    at = 0 if marks else len(lines)
    while at < len(lines):
        text = lines[at].text
        after = at + 1
        if any(mark in text for mark in marks):
            after = _read(lines, at, drafts)
        at = max(at + 1, after)
    return [draft.build() for draft in drafts]


def _read(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    text = lines[at].text
    if "[object] (" in text and (logged := _OBJECT.search(text)) is not None:
        return _logged(lines, at, logged, drafts)
    head = text[:MAX_FRAME_LINE]
    if "Uncaught " in head and (uncaught := _UNCAUGHT.search(head)) is not None:
        label = _LABEL.search(head)
        if label is not None or _is_php(lines, at):
            return _thrown(lines, at, uncaught, drafts)
    if text.startswith("Next ") and drafts and (following := _NEXT.match(head)) is not None:
        after = _thrown(lines, at, following, drafts)
        inner = drafts[-2]
        inner.relation, inner.parent = "cause", len(drafts) - 1
        return after
    if " on line " in text and (label := _LABEL.search(head)) is not None:
        return _reported(lines, at, label, drafts)
    printed = _PRINTED.match(head)
    if printed is not None and ".php:" in text and at + 1 < len(lines) and lines[at + 1].text.strip() in _TRACES:
        return _thrown(lines, at, printed, drafts)
    return layout(lines, at, drafts)


def _is_php(lines: Sequence[Line], at: int) -> bool:
    """Whether the lines about an ``Uncaught`` without a label are PHP's."""
    near = range(at, min(len(lines), at + 3))
    return any(".php:" in lines[line].text or lines[line].text.strip() == "Stack trace:" for line in near)


def _thrown(lines: Sequence[Line], at: int, matched: re.Match[str], drafts: list[Draft]) -> int:
    """An exception whose class ``matched`` names: its message, its place and the trace below; where to go on."""
    cls = matched[1] or (matched[2] if matched.re.groups > 1 else "")
    draft = Draft(cls=cls, language=_LANGUAGE, first=at, last=at)
    column = matched.end()
    quoted = matched[0].endswith("'")
    if matched[0].endswith(" in "):
        column -= len(" in ")
    last = _message_end(lines, at, column)
    text = lines[last].text
    found = place(text, column if last == at else 0)
    end = found.end if found else len(text.rstrip())
    said = text[:end].removesuffix("'") if quoted else text[:end].removesuffix(" and defined")
    if len(said) > column or last > at:
        draft.say(lines, at, column, end=len(said) if last == at else None, last=last)
        if last > at and draft.message_last == last:
            draft.message = draft.message[: len(draft.message) - (len(text.rstrip()) - len(said))]
    frames, after = stack(
        lines, last + 1, Frame(path=found.path, line=found.line, function="", at=last) if found else None
    )
    draft.frames, draft.last = frames, after - 1
    draft.codes.extend(codes_in(draft.message))
    drafts.append(draft)
    return after


def _message_end(lines: Sequence[Line], at: int, column: int) -> int:
    """The last line of a message: the one above its trace, or its first when there is no trace near."""
    if place(lines[at].text, column) is not None and (at + 1 >= len(lines) or not lines[at + 1].text.strip()):
        return at
    for line in range(at + 1, min(len(lines), at + MAX_MESSAGE_LINES)):
        text = lines[line].text
        if text.strip() in _TRACES:
            return line - 1
        if "Uncaught " in text or text.startswith("Next "):
            return at
    return at


def _reported(lines: Sequence[Line], at: int, label: re.Match[str], drafts: list[Draft]) -> int:
    """``PHP Warning:  message in /path on line 3`` and the like."""
    text = lines[at].text
    found = place(text, label.end())
    if found is None or (label[1] is None and not found.has_line_word):
        return at + 1
    draft = Draft(cls="ParseError" if label[2] == "Parse error" else "", language=_LANGUAGE, first=at, last=at)
    draft.say(lines, at, label.end(), end=found.end)
    draft.codes.extend(codes_in(draft.message))
    draft.frames, after = stack(lines, at + 1, Frame(path=found.path, line=found.line, function="", at=at))
    draft.last = after - 1
    drafts.append(draft)
    return after


def _logged(lines: Sequence[Line], at: int, matched: re.Match[str], drafts: list[Draft]) -> int:
    """``[object] (Class(code: 0): message at /path:12)`` of a log, with the trace below."""
    text = lines[at].text
    column = matched.end()
    if matched[0].endswith(" at "):
        column -= len(" at ")
    draft = Draft(cls=matched[1].replace("\\\\", "\\"), language=_LANGUAGE, first=at, last=at)
    frame = None
    end = text.rfind(" at ", column)
    if end >= 0:
        path, _, tail = text[end + len(" at ") :][:MAX_FRAME_LINE].partition(")")[0].rpartition(":")
        if path and (line := number(tail)) is not None:
            frame = Frame(path=path, line=line, function="", at=at)
    draft.say(lines, at, column, end=end if frame else None)
    draft.codes.extend(codes_in(draft.message))
    draft.frames, after = stack(lines, at + 1, frame)
    draft.last = after - 1
    if "[previous exception]" in text[: matched.start()] and drafts:
        draft.relation, draft.parent = "cause", len(drafts) - 1
    drafts.append(draft)
    return after
