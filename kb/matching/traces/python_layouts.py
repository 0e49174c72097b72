"""Python: errors as pytest shows them, warnings, and the pages of web frameworks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from kb.matching.shapes import Fault, Frame, Line, Relation
from kb.matching.traces.class_names import class_end, is_class_name
from kb.matching.traces.drafts import Draft, indent_of, name_end, number
from kb.matching.traces.endings import is_rule
from kb.matching.traces.python_heads import chain_in, error_line
from kb.matching.traces.python_pages import find_pages
from kb.matching.traces.python_reports import find_reports

__all__ = ["find"]

LANGUAGE: Final = "Python"

_SOURCES: Final = (".py", ".pyx", ".pyi")
_LONGEST: Final = 2_000
_LONGEST_PREFIX: Final = 100
_MARK: Final = re.compile(r"(?:^|[^A-Za-z0-9]|\[[0-9;]{1,10}m)E {0,40}$")
_MOST_SOURCE: Final = 60
_OUTCOMES: Final = ("FAILED ", "ERROR ")


def find(lines: Sequence[Line]) -> list[Fault]:
    """The errors that pytest and debug pages report, and the warnings, in ``lines``."""
    warnings = _warnings(lines)
    reports = [*find_pages(lines), *find_reports(lines)]
    if any(line.removed and _is_marked(line) for line in lines):
        drafts = sorted([*warnings, *reports], key=_first)
        drafts = [*drafts, *_pytest(lines, len(drafts))]
    else:
        drafts = sorted([*warnings, *(reports or _outcomes(lines))], key=_first)
    return [draft.build() for draft in drafts]


def _first(draft: Draft) -> int:
    return draft.first


# -- Warnings and outcomes: one line -----------------------------------------------------------------------------------


def _warnings(lines: Sequence[Line]) -> list[Draft]:
    """``path.py:12: UserWarning: message``, with the source line below it."""
    drafts: list[Draft] = []
    for at, line in enumerate(lines):
        if "Warning: " not in line.text:
            continue
        text = line.text[:_LONGEST]
        place = text.find("Warning: ")
        start = text.rfind(": ", 0, place) + 2 if place >= 0 else 1
        end = class_end(text, start)
        path, _, number_text = text[: max(start - 2, 0)].rpartition(":")
        if place < 0 or end != place + len("Warning") or number(number_text) is None or not path.strip():
            continue
        if not path.endswith((*_SOURCES, ">", ".ipynb")):
            continue
        draft = Draft(cls=text[start:end], language=LANGUAGE, first=at, last=at)
        draft.say(lines, at, end + 2)
        below = lines[at + 1].text if at + 1 < len(lines) else ""
        source = below.strip() if indent_of(below) > indent_of(text) else ""
        draft.last = at + 1 if source else at
        draft.frames = [Frame(path=path.strip(), line=number(number_text), function="", at=at, source=source)]
        drafts.append(draft)
    return drafts


def _outcomes(lines: Sequence[Line]) -> list[Draft]:
    """``FAILED path.py::test - Class: message`` of a summary that stands alone."""
    drafts: list[Draft] = []
    for at, line in enumerate(lines):
        if not line.text.startswith(_OUTCOMES):
            continue
        text = line.text[:_LONGEST]
        test, dash, _ = text.partition(" ")[2].partition(" - ")
        column = len(text.partition(" - ")[0]) + 3
        path, _, function = test.partition("::")
        found = error_line(text[column:])
        if not dash or not path.endswith(".py") or found is None:
            continue
        draft = Draft(cls=found.cls, language=LANGUAGE, first=at, last=at)
        draft.say(lines, at, column + found.column, end=len(text.rstrip(". ")) if text.endswith("...") else None)
        draft.frames = [Frame(path=path, line=None, function=function.rpartition("::")[2], at=at)]
        drafts.append(draft)
    return drafts


# -- pytest's reports --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Report:
    """One error of a test that is being read: its frames so far, and the part of the listing that is shown now."""

    first: int
    frames: list[Frame] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    source: str = ""
    function: str = ""
    shown: list[str] = field(default_factory=list)


def _pytest(lines: Sequence[Line], base: int) -> list[Draft]:
    """The errors of a report; positions count from ``base``."""
    drafts: list[Draft] = []
    report = _Report(0)
    relation: Relation = ""
    for at, line in enumerate(lines):
        text = line.text[:_LONGEST]
        if _is_marked(line):
            report.marked.append(at)
            continue
        chained = chain_in(text)
        heading = is_rule(text) and " _" not in text.strip("_ ") and not text.startswith("_ _")
        if chained or heading:
            if report.marked and report.frames:
                drafts.append(_finished(report, lines, at - 1))
            elif report.marked:
                drafts.append(_finished(report, lines, report.marked[-1]))
            report = _Report(at)
            relation = chained if drafts else ""
            continue
        place = _location(text)
        if place is None:
            _show(report, text)
            continue
        report.frames.append(Frame(path=place[0], line=place[1], function=report.function, at=at, source=report.source))
        if report.marked or place[2]:
            draft = _finished(report, lines, at, cls=place[2])
            if relation and drafts:
                drafts[-1].relation, drafts[-1].parent = relation, base + len(drafts)
            drafts.append(draft)
            report, relation = _Report(at + 1), ""
        else:
            report.source, report.function, report.shown = "", "", []
    if report.marked:
        drafts.append(_finished(report, lines, report.marked[-1]))
    return drafts


def _is_marked(line: Line) -> bool:
    """Whether pytest's ``E`` stood before the line."""
    return bool(line.removed) and _MARK.search(line.removed[-_LONGEST_PREFIX:]) is not None


def _location(text: str) -> tuple[str, int | None, str] | None:
    """``path.py:12: Class`` or ``path.py:12:``."""
    bare = text.strip()
    path, _, cls = bare.rpartition(": ") if not bare.endswith(":") else (bare[:-1], "", "")
    name, _, line = path.rpartition(":")
    if number(line) is None or not name.endswith(_SOURCES) or " " in cls:
        return None
    return name, number(line), cls


def _show(report: _Report, text: str) -> None:
    """Take a line of the listing."""
    bare = text.lstrip(">").strip()
    if not bare or is_rule(text):
        return
    if text.startswith(">"):
        report.source = report.source or bare
    for opener in ("def ", "async def ", "class "):
        if bare.startswith(opener):
            report.function = bare[len(opener) : name_end(bare, len(opener))]
    if len(report.shown) < _MOST_SOURCE:
        report.shown.append(text.lstrip(">") if not text.startswith(">") else " " + text[1:])


def _finished(report: _Report, lines: Sequence[Line], last: int, cls: str = "") -> Draft:
    """The error of a report; the class of its last line is the surer one when the marked lines have none."""
    draft = Draft(cls=cls, language=LANGUAGE, first=report.first, last=last)
    draft.frames = report.frames[::-1]
    draft.quoted = "\n".join(report.shown)
    if report.marked:
        at = report.marked[0]
        end = next(
            (one for one, after in zip(report.marked, report.marked[1:], strict=False) if after != one + 1), None
        )
        found = error_line(lines[at].text)
        named = found is not None and (is_class_name(found.cls) or found.cls.rpartition(".")[2] == cls)
        column = found.column if found is not None and named else 0
        draft.cls = found.cls if found is not None and named else cls
        draft.first = min(draft.first, at)
        draft.say(lines, at, column, last=report.marked[-1] if end is None else end)
    draft.last = max(last, draft.last)
    return draft
