"""Borders and gutters drawn with box characters, as rich, pip, miette and their like print; pure.

The ``|`` and ``+---`` of Python's exception groups are ASCII and stay.
"""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft

__all__ = ["BOX_SIGNS", "strip_boxes"]

_LEFT: Final = re.compile(
    r"""[ \t]{0,40}(?:
      [│┃║▏▌▎▐](?:[ ]|$)?              # a side
    | [╭╰├└┌┐┘╔╚╟╠┏┗┣╞][─━═╌┄╴╼]{0,400}[>▶►→]?[ ]?   # a corner, perhaps an arrow
    | [─━═]{2,400}[>▶►→]?[ ]?            # a rule
    | [❱\u00d7✖✘✕\u2a2f][ ]             # a pointer or a cross
    )""",
    re.VERBOSE,
)
_MARKS: Final = "│┃║▏▌▎▐╭╰├└┌┐┘╔╚╟╠┏┗┣╞─━═❱\u00d7✖✘✕\u2a2f"
BOX_SIGNS: Final = tuple(_MARKS)
_RIGHT: Final = " \t│┃║▐╮╯┐┘╗╝┓┛┤╢╣┫╡─━═╌┄"
_RIGHT_MARKS: Final = frozenset("│┃║▐╮╯┐┘╗╝┓┛┤╢╣┫╡─━═")
_SIDES: Final = frozenset(" \t│┃║▏▌▎▐")
_DEEPEST: Final = 4


def strip_boxes(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take the borders off. A rule without a title goes, one with a title is that title."""
    kept: list[Draft] = []
    for draft in drafts:
        if draft.text.isascii() or not _strip_line(draft):
            kept.append(draft)
            continue
        seen.add("box")
        if draft.text or not _is_rule(draft.removed):
            kept.append(draft)
    return kept


def _strip_line(draft: Draft) -> bool:
    """Whether the line had borders, and they are gone."""
    boxed = False
    for _ in range(_DEEPEST):
        head = draft.text.lstrip()
        found = _LEFT.match(draft.text) if head and head[0] in _MARKS else None
        if found is None:
            break
        boxed = True
        draft.cut(found.end())
        if draft.text and draft.text[-1] in _RIGHT_MARKS:
            draft.keep(len(draft.text.rstrip(_RIGHT)))
    return boxed


def _is_rule(removed: str) -> bool:
    """Whether what was taken off a now empty line was a rule or a corner, not the sides of an empty line in a box."""
    return not _SIDES.issuperset(removed)
