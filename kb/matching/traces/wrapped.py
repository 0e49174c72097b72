"""Errors quoted inside the message of another: ``(Caused by X('…'))``, ``(module.X) …``, ``X: …``; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Fault, Line
from kb.matching.traces.class_names import (
    class_end,
    is_class_name,
    is_dotted_name,
    is_error_name,
    is_prose,
    language_of,
)

__all__ = ["wrapped_in"]

_MOST_TEXT: Final = 4_000
_MOST: Final = 4
_START: Final = re.compile(r"(?<![\w.$:/\\@-])[A-Za-z_]")
_ARGUMENT: Final = re.compile(r"[\s(]{0,4}(?:-?\d{1,10},\s)?[rbu]?(['\"])")
_GRPC: Final = re.compile(r"code = (?P<code>\w{1,40}) desc = |\bdetails = \"")
_AFTER_PAREN: Final = ("\n[SQL:", "\n(Background on", "\n[parameters:")


@dataclass(frozen=True, slots=True)
class _Piece:
    """An inner error: its class, where its class and its message begin, and where the message ends."""

    cls: str
    start: int
    begin: int
    end: int
    code: str = ""


def wrapped_in(fault: Fault, lines: Sequence[Line]) -> list[Fault]:
    """The errors that the message of ``fault`` quotes, outermost first.

    ``parent`` counts from the fault itself, which is 0: the first of the answer is 1.
    """
    text = fault.message[:_MOST_TEXT]
    faults: list[Fault] = []
    open_ends: list[tuple[int, int]] = []  # where each error found so far ends, and its position
    for piece in _pieces(text):
        message = fault.message[piece.begin : piece.end].rstrip()
        if not message.strip():
            continue
        parent = next((place for end, place in reversed(open_ends) if piece.start < end), 0)
        place = _place(fault, piece.begin, lines)
        if place is None:
            continue
        line, column = place
        faults.append(
            Fault(
                cls=piece.cls,
                message=message,
                language=language_of(piece.cls) or fault.language,
                kind=fault.kind,
                first=line,
                last=line + message.count("\n"),
                relation="wrapped",
                parent=parent,
                message_line=line,
                message_column=column,
                message_last=line + message.count("\n"),
                codes=(piece.code,) if piece.code else (),
            )
        )
        open_ends.append((piece.end, len(faults)))
        if len(faults) == _MOST:
            break
    return faults


def _pieces(text: str) -> Iterator[_Piece]:
    grpc = _GRPC.search(text)
    if grpc is not None:
        end = len(text) if grpc["code"] else _closing(text, grpc.end() - 1, '"')
        yield _Piece("", grpc.start(), grpc.end(), end, grpc["code"] or "")
    at = 0
    while (found := _START.search(text, at)) is not None:
        start = found.start()
        at = class_end(text, start)
        piece = _piece(text, start, at)
        if piece is not None:
            yield piece


def _piece(text: str, start: int, end: int) -> _Piece | None:
    """The inner error that the name from ``start`` to ``end`` begins, if what follows has one of the forms."""
    after = text[end : end + 2]
    if after[:1] not in ("(", ":", ")") or not is_class_name(text[start:end]):
        return None
    if after[:1] == "(":
        return _call(text, start, end)
    if after == ": ":
        return _labelled(text, start, end)
    return _parenthesized(text, start, end) if after == ") " and text[start - 1 : start] == "(" else None


def _call(text: str, start: int, end: int) -> _Piece | None:
    """``XError('message')``, as ``repr`` writes it."""
    name = text[start:end]
    if is_prose(name) or not (is_error_name(name) or _ARGUMENT.match(text, end + 1)):
        return None
    begin, stop = _arguments(text, end + 1)
    return _Piece(name, start, begin, stop)


def _labelled(text: str, start: int, end: int) -> _Piece | None:
    """``XError: message``, up to the end or the closing quote."""
    name = text[start:end]
    if is_prose(name) and start:
        return None
    before = text[start - 1 : start] if start else ""
    stop = _closing(text, start - 1, before) if before and before in "'\"`" else len(text)
    return _Piece(name, start, end + 2, stop)


def _parenthesized(text: str, start: int, end: int) -> _Piece | None:
    """``(module.XError) message``, where the message may be a tuple with a number first."""
    name = text[start:end]
    if not is_dotted_name(name):
        return None
    quoted = _ARGUMENT.match(text, end + 2) if text.startswith("(", end + 2) else None
    if quoted is not None:
        return _Piece(name, start, quoted.end(), _closing(text, quoted.end() - 1, quoted[1]))
    stop = min((place for mark in _AFTER_PAREN if (place := text.find(mark, end)) >= 0), default=len(text))
    return _Piece(name, start, end + 2, stop)


def _arguments(text: str, start: int) -> tuple[int, int]:
    """Where the message among the arguments that begin at ``start`` begins and ends: the first string, or all."""
    quoted = _ARGUMENT.match(text, start)
    if quoted is not None:
        return quoted.end(), _closing(text, quoted.end() - 1, quoted[1])
    depth = 1
    for place in range(start, len(text)):
        if text[place] in "([":
            depth += 1
        elif text[place] in ")]":
            depth -= 1
            if not depth:
                return start, place
    return start, len(text)


def _closing(text: str, opening: int, quote: str) -> int:
    """Where the string that opens at ``opening`` ends, before its quote; the end of the text when that is lost."""
    place = opening + 1
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == quote:
            return place
        place += 1
    return len(text)


def _place(fault: Fault, offset: int, lines: Sequence[Line]) -> tuple[int, int] | None:
    """The line and column of the character at ``offset`` of the message."""
    above = fault.message.count("\n", 0, offset)
    line = fault.message_line + above
    begin = fault.message.rfind("\n", 0, offset) + 1
    end = fault.message.find("\n", begin)
    if fault.message_line < 0 or line >= len(lines):
        return None
    if not above:
        return line, fault.message_column + offset
    column = lines[line].text.find(fault.message[begin : end if end >= 0 else None])
    return (line, column + offset - begin) if column >= 0 else None
