"""An explanation as annotations of GitHub Actions, at the lines of the checkout that the traces name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kb.matching.shapes import Fault
from kb.present import links
from kb.present.explanation import fault_title
from kb.present.explanation_parts import Report, Section
from kb.present.markdown_parser import plain_excerpt
from kb.present.message import message_text
from kb.present.workflow_commands import annotation

__all__ = ["explain_github"]

_MOST: Final = 10  # what GitHub shows of a step
_TITLE: Final = 200
_FIX: Final = 400
_INSTALLED: Final = frozenset({"site-packages", "dist-packages", "node_modules", "vendor", ".venv", "venv"})


def explain_github(report: Report, faults: tuple[Fault, ...], *, base_url: str, directory: Path) -> str:
    """A line for each error that has a record, the best first; ``faults`` are those that the report was made from.

    A place is named only when it is a file below ``directory``: logs of other machines name others.
    """
    by_title = {fault_title(fault): fault for fault in reversed(faults)}
    sections = [section for section in report.sections if section.card][:_MOST]
    return "".join(
        _annotation(section, by_title.get(section.title), base_url, directory.resolve()) for section in sections
    )


def _annotation(section: Section, fault: Fault | None, base_url: str, directory: Path) -> str:
    assert section.card is not None
    record = section.card.view.record
    properties = [*_place(fault, directory), ("title", section.title[:_TITLE])]
    lines = [f"{message_text(record.error_message, limit=_TITLE)} ({record.repo}, {section.confidence})"]
    if record.solutions:
        lines.append(f"Fix: {plain_excerpt(record.solutions[0], _FIX)}")
    lines.append(links.absolute(base_url, links.short_path(record.id)))
    return annotation("error", properties, "\n".join(lines))


def _place(fault: Fault | None, directory: Path) -> Iterator[tuple[str, str]]:
    """File and line of the frame nearest the raise that is the checkout's own."""
    for frame in fault.frames if fault else ():
        own = _own(frame.path, directory)
        if own and frame.line:
            yield "file", own
            yield "line", str(frame.line)
            return


def _own(path: str, directory: Path) -> str:
    """The path below ``directory``, empty when it is none of its own files."""
    try:
        found = (directory / path).resolve()
        if not found.is_relative_to(directory) or not found.is_file():
            return ""
    except (OSError, ValueError):  # no path at all
        return ""
    own = found.relative_to(directory)
    return "" if _INSTALLED & set(own.parts) else own.as_posix()
