"""Errors of compilers that name a code: ``x.cs(5,13): error CS0103: message``, ``x.ts:5:3 - error TS2345: message``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.traces.drafts import indent_of, location, number

__all__ = ["CodedError", "coded_error"]

_ERROR: Final = "error "
_MAX_PLACE: Final = 500
_MAX_CODE: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedError:
    """One such line; ``column`` and ``end`` bound its message. ``path`` is empty when it names no place."""

    path: str
    line: int | None
    code: str
    column: int
    end: int


def coded_error(text: str, families: tuple[str, ...]) -> CodedError | None:
    """The error that ``text`` tells, when its code is one of the ``families`` (``CS``) with digits behind."""
    start = text.find(_ERROR, 0, _MAX_PLACE)
    if start < 0:
        return None
    begin = start + len(_ERROR)
    colon = text.find(": ", begin, begin + _MAX_CODE)
    code = text[begin:colon] if colon >= 0 else ""
    family = code.rstrip("0123456789")
    if family not in families or family == code:
        return None
    before = text[indent_of(text) : start].rstrip(" -:")
    path, line = _placed(before)
    end = len(text.rstrip())
    if text.endswith("]", 0, end):
        project = text.rfind(" [", colon, end)
        end = project if project >= 0 and "proj" in text[project:end] else end
    return CodedError(path=path, line=line, code=code, column=colon + 2, end=end)


def _placed(before: str) -> tuple[str, int | None]:
    """``x.cs(5,13)`` or ``x.ts:5:3`` as path and line."""
    if before.endswith(")"):
        path, _, inside = before[:-1].rpartition("(")
        line = number(inside.partition(",")[0])
        return (path, line) if line is not None else ("", None)
    path, line, _ = location(before)
    return (path, line) if line is not None or "." in path else ("", None)
