"""Reading a pasted text: its clean lines, each of which knows where it came from; pure."""

from __future__ import annotations

from typing import Final

from kb.matching.reading.ansi import strip_ansi
from kb.matching.reading.block_prefixes import strip_block_prefixes
from kb.matching.reading.boxes import strip_boxes
from kb.matching.reading.breaks import split_lines, without_blank_runs
from kb.matching.reading.drafts import Draft, Step
from kb.matching.reading.entities import decode_entities
from kb.matching.reading.markdown import strip_markdown
from kb.matching.reading.prefixes import strip_prefixes
from kb.matching.reading.structured import decode_structured
from kb.matching.reading.tool_marks import strip_tool_marks
from kb.matching.shapes import Document

__all__ = ["read"]

_STEPS: Final[tuple[Step, ...]] = (
    strip_ansi,
    decode_entities,
    strip_markdown,
    strip_block_prefixes,
    strip_prefixes,
    strip_block_prefixes,
    strip_boxes,
    strip_tool_marks,
)


_DEEPEST: Final = 3
"""How deep data is unpacked: a collector's JSON holds a program's JSON holds a trace."""


def read(text: str) -> Document:
    """The clean lines of a text of any size and content. Never raises; linear in the text."""
    seen: set[str] = set()
    drafts = _clean(split_lines(text), seen, _DEEPEST)
    return Document(
        original=text,
        lines=tuple(draft.line() for draft in without_blank_runs(drafts)),
        layouts=tuple(sorted(seen)),
    )


def _clean(drafts: list[Draft], seen: set[str], depth: int) -> list[Draft]:
    for step in _STEPS:
        drafts = step(drafts, seen)
    if not depth:
        return drafts
    return decode_structured(drafts, seen, lambda decoded: _clean(decoded, seen, depth - 1))
