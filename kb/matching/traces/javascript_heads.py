"""The first line of a JavaScript error: ``Uncaught TypeError: x``, ``(node:1) UnhandledPromiseRejectionWarning: x``,
``TypeError [ERR_X]: x``, ``[cause]: Error: x``, ``[Error: x] {``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kb.matching.shapes import Relation
from kb.matching.traces.drafts import indent_of, name_end, number

__all__ = ["Head", "head_in", "head_inside", "is_error_name"]

_ENDINGS: Final = ("Error", "Exception", "Warning", "Rejection", "Failure", "Violation", "Fault", "Interrupt", "Err")
_LABELS: Final = (
    "Uncaught exception: ",
    "Uncaught Exception: ",
    "Uncaught ",
    "(in promise) ",
    "UnhandledPromiseRejectionWarning: ",
    "Unhandled promise rejection: ",
    "Unhandled rejection ",
    "Unhandled Promise Rejection: ",
    "error: Uncaught ",
    "thrown: ",
)
_BULLETS: Final = ("\u2a2f ", "\u2716 ", "\u2718 ", "\xd7 ", "\u25cf ", "\u276f ", "> ", "- ")
_STARTS: Final = ("(node:", *_LABELS, *_BULLETS)
_REACT: Final = "Unhandled Rejection ("
_MAX_CODES: Final = 3
_MAX_LABELS: Final = 6
_MAX_KEY: Final = 40
_MAX_LABEL_LINE: Final = 400


@dataclass(slots=True, kw_only=True)
class Head:
    """Where an error begins: its class, the column where its message begins and, when something stands behind the
    message on its line, the column where it ends. ``sure`` says that no stack is needed to tell that it is
    JavaScript's, ``opens`` that the properties of the error follow in braces, ``strong`` that the class looks like an
    error's.
    """

    cls: str
    column: int
    end: int | None = None
    codes: list[str] = field(default_factory=list)
    relation: Relation = ""
    key: str = ""
    strong: bool = False
    sure: bool = False
    opens: bool = False
    indent: int = 0


def is_error_name(name: str) -> bool:
    """Whether a class of this name is an error's by its looks."""
    return name.endswith(_ENDINGS) or name == "error"


def head_in(text: str) -> Head | None:
    """The head that ``text`` is; None when it cannot be one."""
    start = indent = indent_of(text)
    if start == len(text):
        return None
    head = Head(cls="", column=start, indent=indent)
    start = _after_key(text, start, head)
    start = _after_labels(text, start, head)
    if text.startswith(_REACT, start):
        return _react(text, start, head)
    stop = len(text.rstrip(" ,"))
    if text.endswith("{", 0, stop):
        head.opens, stop = True, len(text[: stop - 1].rstrip())
        head.end = stop
    if text.startswith("[", start) and text.endswith("]", 0, stop):
        bracketed = is_error_name(text[start + 1 : name_end(text, start + 1)])
        return _named(text, start + 1, stop - 1, _bracketed(head, stop - 1)) if bracketed else None
    return _named(text, start, stop, head)


def head_inside(text: str) -> Head | None:
    """The head behind a label of the program's own (``could not start: TypeError: x``); None when there is none."""
    place = text.find(": ")
    while 0 <= place < len(text):
        start = max(text.rfind(" ", 0, place), text.rfind("(", 0, place)) + 1
        if text[start:place].lower() == "error" or (
            is_error_name(text[start:place]) and name_end(text, start) == place
        ):
            name = text[start:place]
            return Head(cls=name if is_error_name(name) and name != "error" else "", column=place + 2, strong=True)
        place = text.find(": ", place + 2, _MAX_LABEL_LINE)
    return None


def _bracketed(head: Head, stop: int) -> Head:
    """An error without a stack, as Node.js prints it."""
    head.end = stop
    head.sure = True
    return head


def _after_key(text: str, start: int, head: Head) -> int:
    """Behind ``[cause]: `` or another name of a property that holds an error."""
    close = text.find(": ", start, start + _MAX_KEY)
    if close < 0:
        return start
    key = text[start:close].strip("[]'\"")
    after = close + 2
    if text.startswith("[", start) and text.endswith("]", 0, close) and key.isidentifier():
        head.relation, head.key, head.sure = "cause", key, key == "cause"
        return after
    if key.isdigit() or (key.isidentifier() and key[:1].islower() and key not in ("error", "thrown")):
        name = name_end(text, after + text.startswith("[", after))
        if is_error_name(text[after + text.startswith("[", after) : name]):
            head.key = key
            return after
    return start


def _after_labels(text: str, start: int, head: Head) -> int:
    """Behind what a runtime or a test runner puts before an error."""
    if not text.startswith(_STARTS, start) and "Uncaught " not in text:
        return start
    for _ in range(_MAX_LABELS):
        if text.startswith("(node:", start):
            close = text.find(") ", start, start + _MAX_KEY)
            if close < 0:
                return start
            start, head.sure = close + 2, True
            if text.startswith("[DEP", start):
                close = text.find("] ", start, start + _MAX_KEY)
                if close > 0:
                    head.codes.append(text[start + 1 : close])
                    start = close + 2
            continue
        label = next((label for label in _LABELS if text.startswith(label, start)), "")
        bullet = next((bullet for bullet in _BULLETS if text.startswith(bullet, start)), "")
        if label == "UnhandledPromiseRejectionWarning: " and not _names_error(text, start + len(label)):
            return start
        if not label and not bullet:
            place = text.find(" Uncaught ", start, start + 200)
            if place < 0 or number(text[start:place].rpartition(":")[2]) is None or " " in text[start:place]:
                return start
            label = text[start : place + 1]
        head.sure = head.sure or bool(label)
        start += len(label or bullet)
    return start


def _names_error(text: str, start: int) -> bool:
    return is_error_name(text[start : name_end(text, start)])


def _react(text: str, start: int, head: Head) -> Head | None:
    """``Unhandled Rejection (TypeError): x``."""
    start += len(_REACT)
    close = name_end(text, start)
    if not text.startswith("): ", close):
        return None
    head.cls, head.column, head.strong, head.sure = text[start:close], close + 3, True, True
    return head


def _named(text: str, start: int, stop: int, head: Head) -> Head | None:
    """The class, the codes in brackets behind it, and where the message begins."""
    if text.startswith("Invariant Violation:", start):
        close = start + len("Invariant Violation")
    else:
        close = name_end(text, start)
    if close == start:
        return None
    head.cls = text[start:close]
    head.strong = is_error_name(head.cls)
    for _ in range(_MAX_CODES):
        end = text.find("]", close, close + 80) if text.startswith(" [", close) else -1
        if end < 0:
            break
        token = text[close + 2 : end]
        if token.upper() == token and not token.isdigit():
            head.codes.append(token)
            head.strong = True
        close = end + 1
    if close == stop:
        head.column = close
        return head if head.strong else None
    if not text.startswith(":", close) or not (close + 1 == stop or text[close + 1].isspace()):
        return None
    head.column = close + 1
    return head
