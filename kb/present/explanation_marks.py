"""The pasted text with its parts that matter marked, and where a piece of evidence finds its part.

Each mark has an address of its own (``#mark-3``) and leads back to the section of its error (``#error-1``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.html import escape
from django.utils.safestring import SafeString

from kb.matching.answers import Mark
from kb.present.invisible import visible_html, visible_text

__all__ = ["mark_of", "marked_text", "sound_marks"]

_MOST_INVISIBLE: Final = 20_000  # characters more, once they are shown: that many elements make a page slow
_MARK_OF: Final[Mapping[str, str]] = {
    "message": "message",
    "words": "message",
    "loose": "message",
    "class": "class",
    "module": "class",
    "code": "message",
    "status": "message",
    "frame": "frame",
    "function": "frame",
    "line": "frame",
    "package": "frame",
}


def sound_marks(marks: Sequence[Mark], length: int) -> list[Mark]:
    """The marks that lie in a text of ``length`` characters, in order and apart."""
    kept: list[Mark] = []
    end = 0
    for mark in marks:
        if end <= mark.start < mark.end <= length:
            kept.append(mark)
            end = mark.end
    return kept


def mark_of(kind: str, fault: int, marks: Sequence[Mark]) -> str:
    """The address in the page (``#mark-3``) of what evidence of ``kind`` saw of the error at position ``fault``.

    Of several frames it is the one nearest to the message. Empty when nothing of it is marked.
    """
    own = [(number, mark) for number, mark in enumerate(marks, 1) if mark.fault == fault]
    anchor = next((mark.start for _, mark in own if mark.kind == "message"), 0)
    wanted = [(abs(mark.start - anchor), number) for number, mark in own if mark.kind == _MARK_OF.get(kind)]
    return f"#mark-{min(wanted)[1]}" if wanted else ""


def marked_text(text: str, marks: Sequence[Mark], sections: Mapping[int, int]) -> SafeString:
    """``text`` as HTML, each of the sound ``marks`` in ``<mark>``; ``sections`` gives the number of an error's section
    by its position.
    """
    escaped = visible_html if len(visible_text(text)) - len(text) < _MOST_INVISIBLE else _bare_html
    pieces: list[str] = []
    end = 0
    for number, mark in enumerate(marks, 1):
        pieces.append(escaped(text[end : mark.start]))
        shown = escaped(text[mark.start : mark.end])
        section = sections.get(mark.fault)
        linked = f'<a href="#error-{section}">{shown}</a>' if section else shown
        pieces.append(f'<mark id="mark-{number}" class="mark-{mark.kind}">{linked}</mark>')
        end = mark.end
    pieces.append(escaped(text[end:]))
    return SafeString("".join(pieces))


def _bare_html(text: str) -> SafeString:
    """Text escaped, its invisible characters shown without an element for each."""
    return SafeString(escape(visible_text(text)))
