"""What is told of the record that an error was found to be. Everything in it is one line that a terminal can print."""

from __future__ import annotations

from msgspec import Struct

from kb.matching.answers import Confidence
from kb.present import links
from kb.present.invisible import visible_text
from kb.present.markdown_parser import plain_excerpt
from kb.present.message import message_text
from kb.records.text import clean_text, one_line

__all__ = ["Find", "Known"]

_MESSAGE = 200
_FIX = 300
_REPO = 120


class Known(Struct, frozen=True, rename="camel"):
    """What an answer says of a record that a text surely is."""

    id: str
    confidence: Confidence
    error_message: str = ""
    repo: str = ""


class Find(Struct, frozen=True, kw_only=True):
    """One record. ``fix`` is its first solution, empty when it has none."""

    url: str
    message: str
    repo: str
    confidence: Confidence
    fix: str

    @classmethod
    def of(cls, row: Known, solutions: tuple[str, ...], *, base_url: str) -> Find:
        """The find of a record, whose fields may be foreign."""
        return cls(
            url=links.absolute(base_url, links.short_path(row.id)),
            message=_shown(message_text(row.error_message, limit=_MESSAGE), _MESSAGE),
            repo=_shown(row.repo, _REPO),
            confidence=row.confidence,
            fix=_shown(plain_excerpt(solutions[0], _FIX), _FIX) if solutions else "",
        )


def _shown(text: str, limit: int) -> str:
    return one_line(visible_text(one_line(clean_text(text)[0], limit)), limit)
