"""What no language claims: lines ``Class: message``, ``error: message``, log messages, and any other text; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Fault, FaultKind, Line
from kb.matching.traces.class_names import class_end, is_class_name, language_of, last_part
from kb.matching.traces.drafts import Draft, indent_of
from kb.matching.traces.endings import begins_other, entry_of, is_access, is_exit, is_rule, log_prefix, message_last
from kb.matching.traces.python_heads import raised_class

__all__ = ["find", "is_loud"]

_LABEL: Final = re.compile(
    r"""[\s`*>\u00d7\u2716]{0,8}(?:[\w./+@-]{1,80}(?:\s[\w./-]{1,40})?:\s)??
        (?:fatal\serror|internal\serror|error|ERROR|Error|fatal|FATAL|panic|failure|exception|err)(?:\s\[?[\w-]{1,40}\]?)?:\s""",
    re.VERBOSE,
)
_QUIET: Final = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|info|debug|trace)\b")
_LOUD: Final = re.compile(
    r"\b(?:WARN|WARNING|ERROR|ERR|CRITICAL|FATAL|SEVERE|ALERT|EMERG|warn|warning|error|fatal|critical)\b"
)
_OUTCOME: Final = re.compile(r"ERROR [^\s:]{1,400}\.pyx?(?:::\S{1,400})?(?: - |$)")
"""A line of pytest's summary, which tells again what its report told above."""
_LOGGER: Final = re.compile(r"\[[a-z_][\w.-]{0,80}\]:?\s")
_INTRODUCTION: Final = re.compile(r"\b(?:I|i|we|We|my|this|This|got|get|gets|getting|here|Here|below)\b")
"""Words of a line that ends in a colon that make it somebody's own, not the message's."""
_LONGEST_INTRODUCTION: Final = 200
_WORD: Final = re.compile(r"[^\W_]")
_LONGEST_PREFIX: Final = 400
_LONGEST_HEAD: Final = 2_000
_MOST_LINES: Final = 200
_OPENERS: Final = "`*\"' \t>"


@dataclass(frozen=True, slots=True)
class _Head:
    """How a line begins: the column of its message, and what it is. ``quiet`` says that a log line reports no error."""

    kind: FaultKind
    column: int
    cls: str = ""
    quiet: bool = False
    noise: bool = False


def find(lines: Sequence[Line], free: Sequence[bool]) -> list[Fault]:
    """The faults in the lines that are ``free``, in text order.

    Log lines that report no error, prompts and the like are told only when there is nothing else.
    """
    times = [bool(line.removed) and entry_of(line.removed) is not None for line in lines]
    is_log = any(times) and not all(time or not line.text.strip() for time, line in zip(times, lines, strict=True))
    heads = [
        _head(line, entry=is_log and time) if unclaimed else None
        for line, time, unclaimed in zip(lines, times, free, strict=True)
    ]
    alone = all(free) and all(head is None or head.kind == "line" for head in heads)
    told: list[tuple[_Head, Fault]] = []
    at = 0
    while at < len(lines):
        head = heads[at]
        if head is None:
            at += 1
            continue
        draft = Draft(cls=head.cls, language=language_of(head.cls), first=at, last=at, kind=head.kind)
        last = _run(heads, free, at) if head.kind == "line" and not alone else _last(lines, heads, free, at)
        if head.kind == "cut":
            draft.quoted, draft.last = "\n".join(line.text for line in lines[at : last + 1]), last
        else:
            draft.say(lines, at, head.column, end=_end(lines[at].text) if last == at else None, last=last)
        if draft.message or draft.cls:
            told.append((head, draft.build()))
        at = draft.last + 1
    told = [one for number, one in enumerate(told) if not _is_told_again(one[1], told[number + 1 : number + 2])]
    loud = [fault for head, fault in told if not head.quiet and not head.noise]
    return loud if loud or not all(free) else [fault for _, fault in told]


def is_loud(fault: Fault, lines: Sequence[Line]) -> bool:
    """Whether the log line that a fault is says that it reports an error."""
    line = lines[fault.message_line]
    return _LOUD.search((line.removed + line.text[: fault.message_column])[:_LONGEST_PREFIX]) is not None


def _is_told_again(fault: Fault, after: Sequence[tuple[_Head, Fault]]) -> bool:
    """Whether a ``raise`` statement is followed by the error that it raised."""
    return fault.kind == "cut" and any(last_part(next_fault.cls) == last_part(fault.cls) for _, next_fault in after)


def _head(line: Line, *, entry: bool) -> _Head | None:
    """What a line begins, or ``None`` when it is empty or drawn. ``entry`` says that a time stood before it, which not
    all lines have.
    """
    text = line.text
    if not text or is_rule(text) or not _WORD.search(text):
        return None
    if is_exit(text) or _OUTCOME.match(text):
        return _Head("line", indent_of(text), noise=True)
    column = log_prefix(text)
    before = (line.removed + text[:column])[:_LONGEST_PREFIX]
    loud = bool(before) and bool(_LOUD.search(before))
    quiet = bool(before) and not loud and bool(_QUIET.search(before))
    start = _text_start(text, column, logged=bool(before))
    end = class_end(text, start)
    name = text[start:end]
    if (text.startswith(": ", end) or not text[end:].strip("`*:. ")) and is_class_name(name):
        skip = 2 if text.startswith(": ", end) else len(text) - end
        return _Head("logged" if column or loud or entry else "raised", end + skip, cls=name, quiet=quiet)
    if column or loud or quiet or entry:
        return _Head("logged", start, quiet=quiet or is_access(text[column:]))
    return _unlogged(text, start)


def _text_start(text: str, column: int, *, logged: bool) -> int:
    """Where the text begins behind quotes and, in a log line, the logger's name in brackets."""
    start = column + indent_of(text[column:])
    while text[start : start + 1] and text[start] in _OPENERS:
        start += 1
    logger = _LOGGER.match(text, start) if logged else None
    return logger.end() if logger else start


def _unlogged(text: str, start: int) -> _Head:
    """What a line without a class or a log's prefix begins: a statement, a labelled error, or other text."""
    if text.startswith("raise ", start) and (cls := raised_class(text[start:])):
        return _Head("cut", start, cls=cls)
    label = _LABEL.match(text[:_LONGEST_HEAD]) if ":" in text else None
    return _Head("raised", label.end()) if label else _Head("line", start, noise=begins_other(text))


def _stop(heads: Sequence[_Head | None], free: Sequence[bool], at: int) -> int:
    """The first line after ``at`` that begins something, or that a language has claimed."""
    for place in range(at + 1, min(len(heads), at + _MOST_LINES)):
        head = heads[place]
        if not free[place] or (head is not None and (head.kind != "line" or head.noise)):
            return place
    return min(len(heads), at + _MOST_LINES)


def _last(lines: Sequence[Line], heads: Sequence[_Head | None], free: Sequence[bool], at: int) -> int:
    """The last line of the message that begins at ``at``."""
    head = heads[at]
    if head is None or head.noise:
        return at
    text = lines[at].text.rstrip()
    if head.kind == "line" and text.endswith(":") and _INTRODUCTION.search(text[-_LONGEST_INTRODUCTION:]):
        return at
    return message_last(lines, at, _stop(heads, free, at))


def _run(heads: Sequence[_Head | None], free: Sequence[bool], at: int) -> int:
    """The last of the lines from ``at`` on between which no blank or drawn one stands."""
    head = heads[at]
    stop = at if head is None or head.noise else _stop(heads, free, at)
    last = at
    while last + 1 < stop and heads[last + 1] is not None:
        last += 1
    return last


def _end(text: str) -> int:
    """The line's length without the back-quotes that close what Markdown opened."""
    bare = text.rstrip()
    return len(bare.rstrip("`*")) if bare.lstrip()[:1] in ("`", "*") else len(bare)
