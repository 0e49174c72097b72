"""The parts of a pasted text that matter, as offsets into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from kb.matching.answers import Mark
from kb.matching.reading.secrets import Masked
from kb.matching.shapes import Document, Fault

__all__ = ["marks"]

Kind = Literal["message", "class", "code", "frame", "capture"]
Span = tuple[int, int, Kind]
Matched = tuple[int, Fault, Sequence[int]]


def marks(document: Document, masked: Masked, faults: Sequence[Matched]) -> tuple[Mark, ...]:
    """What matched, in order and not overlapping: the messages and classes of faults with a match, each given with its
    position, and those of their frames, by the position of their lines, that agreed.
    """
    spans = sorted((*span, number) for number, fault, frames in faults for span in _spans(document, fault, frames))
    found: list[Mark] = []
    for start, end, kind, number in spans:
        begin, stop = masked.to_masked(start), masked.to_masked(end)
        begin = max(begin, found[-1].end if found else 0)
        if begin < stop:
            found.append(Mark(start=begin, end=stop, kind=kind, fault=number))
    return tuple(found)


def _spans(document: Document, fault: Fault, frames: Sequence[int]) -> Iterator[Span]:
    lines = document.lines
    if fault.message_line >= 0:
        first = lines[fault.message_line]
        if fault.cls and (column := first.text.find(fault.cls, 0, fault.message_column)) >= 0:
            yield (first.place(column), first.place(column + len(fault.cls)), "class")
        for number in range(fault.message_line, min(fault.message_last, len(lines) - 1) + 1):
            line = lines[number]
            column = fault.message_column if number == fault.message_line else _indent(line.text)
            if len(line.text.rstrip()) > column:
                yield (line.place(column), line.place(len(line.text.rstrip())), "message")
    for at in frames:
        line = lines[at]
        yield (line.place(_indent(line.text)), line.place(len(line.text.rstrip())), "frame")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
