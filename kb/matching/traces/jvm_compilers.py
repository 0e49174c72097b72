"""Errors of the compilers of the JVM: ``Tool.java:12: error: message``, ``e: Tool.kt:3:5 message``, Maven's
``Tool.java:[12,5] message``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.traces.drafts import indent_of, number

__all__ = ["CompilerError", "compiler_error"]

_SOURCES: Final = ((".java:", "Java"), (".kt:", "Kotlin"), (".kts:", "Kotlin"), (".scala:", "Scala"))
_LABELS: Final = ("e: ", "[error] ", "[ERROR] ", "ERROR ", "file://")
_MAX_PATH: Final = 500
_MAX_PLACE: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerError:
    """One such line; its message begins at ``column``."""

    language: str
    path: str
    line: int
    column: int


def compiler_error(text: str) -> CompilerError | None:
    """The error that ``text`` tells; None when it tells none, a warning included."""
    for source, language in _SOURCES:
        if source not in text:
            continue
        stop = text.find(source, 0, _MAX_PATH)
        if stop < 0:
            return None
        start, marked = _after_labels(text)
        path = text[start : stop + len(source) - 1]
        line, end = _line(text, stop + len(source))
        if line is None or " " in path:
            return None
        marked = marked or text.startswith("[", stop + len(source))
        column = end + indent_of(text[end : end + _MAX_PLACE])
        if text.startswith("error: ", column):
            column, marked = column + len("error: "), True
        if not marked or column >= len(text) or text.startswith("warning", column):
            return None
        return CompilerError(language=language, path=path, line=line, column=column)
    return None


def _after_labels(text: str) -> tuple[int, bool]:
    """Behind what compilers and build tools put before a path; and whether one of it says that it is an error."""
    start = indent_of(text)
    marked = False
    for label in _LABELS:
        if text.startswith(label, start):
            start, marked = start + len(label), True
    return start, marked


def _line(text: str, start: int) -> tuple[int | None, int]:
    """The line number at ``start`` (``12:``, ``12:5``, ``[12,5]``, `` (12, 5):``) and the column behind it."""
    opening = start + indent_of(text[start : start + 2])
    if text[opening : opening + 1] in ("[", "("):
        close = text.find("]" if text[opening] == "[" else ")", opening, opening + _MAX_PLACE)
        if close < 0:
            return None, start
        return number(text[opening + 1 : close].partition(",")[0]), close + 1 + text.startswith(":", close + 1)
    end = start
    while end < min(len(text), start + _MAX_PLACE) and (text[end].isdigit() or text[end] == ":"):
        end += 1
    return number(text[start:end].partition(":")[0]), end
