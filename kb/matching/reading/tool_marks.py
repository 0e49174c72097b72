"""What package managers and test runners put before every line of an error; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft

__all__ = ["TOOL_SIGNS", "strip_tool_marks"]

_NPM: Final = re.compile(r"(?:npm[ ](?:ERR!|WARN|error|warn|notice|verb|info|http)|➤ YN[0-9]{4}:)(?:[ ]|$)")
TOOL_SIGNS: Final = ("npm ", "➤ YN", "E  ")
_PYTEST: Final = re.compile(r"E {2,}(?=\S)")
_PYTEST_INDENT: Final = 4  # "E" and the blanks up to where pytest's text begins at the least


def strip_tool_marks(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take the marks of npm, yarn and pytest off; pytest's lines keep their indentation against each other."""
    run: list[Draft] = []
    for draft in drafts:
        text = draft.text
        if text.startswith("E  ") or (text == "E" and run):
            run.append(draft)
            continue
        if run:
            _strip_pytest(run, seen)
            run = []
        if text.startswith(("npm ", "➤ YN")) and (found := _NPM.match(text)):
            seen.add("npm")
            draft.cut(found.end())
    if run:
        _strip_pytest(run, seen)
    return drafts


def _strip_pytest(run: list[Draft], seen: set[str]) -> None:
    widths = [found.end() for draft in run if (found := _PYTEST.match(draft.text))]
    width = min(widths, default=0)
    if width < _PYTEST_INDENT:
        return
    seen.add("pytest")
    for draft in run:
        draft.cut(min(width, len(draft.text)))
