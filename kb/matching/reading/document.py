"""Reading a pasted text: its clean lines, each of which knows where it came from; pure."""

from __future__ import annotations

from typing import Final

from kb.matching.reading.ansi import ANSI_SIGNS, strip_ansi
from kb.matching.reading.block_prefixes import strip_block_prefixes
from kb.matching.reading.boxes import BOX_SIGNS, strip_boxes
from kb.matching.reading.breaks import split_lines, without_blank_runs
from kb.matching.reading.drafts import Draft, Step
from kb.matching.reading.entities import ENTITY_SIGNS, decode_entities
from kb.matching.reading.markdown import MARKDOWN_SIGNS, QUOTE_SIGNS, strip_markdown, strip_quotes
from kb.matching.reading.prefixes import strip_prefixes
from kb.matching.reading.structured import STRUCTURE_SIGNS, decode_structured
from kb.matching.reading.tool_marks import TOOL_SIGNS, strip_tool_marks
from kb.matching.shapes import Document

__all__ = ["read"]

_DECODING: Final[tuple[tuple[Step, tuple[str, ...]], ...]] = (
    (strip_ansi, ANSI_SIGNS),
    (decode_entities, ENTITY_SIGNS),
)
_CLEANING: Final[tuple[tuple[Step, tuple[str, ...]], ...]] = (
    (strip_quotes, QUOTE_SIGNS),
    (strip_markdown, MARKDOWN_SIGNS),
    (strip_block_prefixes, ("",)),
    (strip_prefixes, ("",)),
    (strip_block_prefixes, (" |",)),
    (strip_boxes, BOX_SIGNS),
    (strip_tool_marks, TOOL_SIGNS),
)
"""Each step, and strings of which a text holds at least one when the step has anything to do."""
_DEEPEST: Final = 3
"""How deep data is unpacked: a collector's JSON holds a program's JSON holds a trace."""


def read(text: str) -> Document:
    """The clean lines of a text of any size and content. Never raises; linear in the text."""
    seen: set[str] = set()
    drafts = _clean(text, split_lines(text), seen, _DEEPEST)
    return Document(
        original=text,
        lines=tuple([draft.line() for draft in without_blank_runs(drafts)]),
        layouts=tuple(sorted(seen)),
    )


def _clean(text: str, drafts: list[Draft], seen: set[str], depth: int) -> list[Draft]:
    """Lines cleaned; ``text`` is where they come from, to see which steps have anything to do."""
    for step, signs in _DECODING:
        if any(sign in text for sign in signs):
            drafts = step(drafts, seen)
            text = _text_of(drafts)
    for step, signs in _CLEANING:
        if any(sign in text for sign in signs):
            drafts = step(drafts, seen)
    if not depth or not any(sign in text for sign in STRUCTURE_SIGNS):
        return drafts
    return decode_structured(drafts, seen, lambda decoded: _clean(_text_of(decoded), decoded, seen, depth - 1))


def _text_of(drafts: list[Draft]) -> str:
    return "\n".join([draft.text for draft in drafts])
