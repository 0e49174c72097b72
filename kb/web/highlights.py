"""Found records as lines: which words were asked for, and where the placeholders of the message stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from kb.catalog.answers import RecordRow
from kb.records.messages import split_message
from kb.search.answers import Hit
from kb.search.highlights import Segments

__all__ = ["FoundRow", "MessagePart", "Piece", "found_rows", "message_parts"]


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A stretch of text, and whether it is a word that was asked for."""

    text: str
    marked: bool


@dataclass(frozen=True, kw_only=True)
class MessagePart:
    """Plain text or a placeholder of a message, in pieces."""

    placeholder: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True)
class FoundRow:
    """A record with its message and an excerpt, both cut where words were asked for."""

    row: RecordRow
    message: tuple[MessagePart, ...]
    excerpt: tuple[Piece, ...]


def found_rows(hits: Sequence[Hit], rows: Sequence[RecordRow]) -> tuple[FoundRow, ...]:
    """The hits whose rows were found, in the order of the hits."""
    by_id = {row.id: row for row in rows}
    return tuple(_found(hit, by_id[hit.id]) for hit in hits if hit.id in by_id)


def _found(hit: Hit, row: RecordRow) -> FoundRow:
    segments = dict(hit.highlights)
    excerpt = segments.get("documentation") or ((row.excerpt, False),)
    return FoundRow(
        row=row,
        message=tuple(message_parts(segments.get("message") or ((row.error_message, False),))),
        excerpt=tuple(Piece(text=text.replace("`", ""), marked=marked) for text, marked in excerpt),
    )


def message_parts(segments: Segments) -> Iterator[MessagePart]:
    """The segments of a whole message, sorted into its placeholders and the text between them."""
    characters = [(character, marked) for text, marked in segments for character in text]
    start = 0
    for part in split_message("".join(character for character, _ in characters)):
        end = start + len(part.text)
        runs = groupby(characters[start:end], key=lambda pair: pair[1])
        pieces = tuple(Piece(text="".join(character for character, _ in run), marked=marked) for marked, run in runs)
        yield MessagePart(placeholder=part.kind == "placeholder", pieces=pieces)
        start = end
