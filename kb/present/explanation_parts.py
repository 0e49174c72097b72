"""The parts of a report on a pasted text, as plain text for every rendering."""

from __future__ import annotations

from dataclasses import dataclass

from kb.catalog.answers import RecordRow, RecordView
from kb.matching.answers import Confidence, Explanation, Match
from kb.present.captures import FilledPart

__all__ = ["Brief", "Card", "ChainLink", "Report", "Section"]


@dataclass(frozen=True, kw_only=True)
class Brief:
    """A match in short. ``differs`` holds the words that set its message apart, if they are the smaller part of it."""

    match: Match
    differs: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """The best match of an error with its whole record.

    ``place`` is where the record is raised; ``frame`` counts the frame of the text that agrees, nearest the raise
    first, 0 for none. ``reasons`` speak for the record and ``doubts`` against it, phrases in which back-quotes mark
    code. ``alike`` are the rows of records with the same message, of which there are ``alike_count``.
    """

    match: Match
    view: RecordView
    place: str
    frame: int
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]
    message: tuple[FilledPart, ...]
    alike: tuple[RecordRow, ...]
    alike_count: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """One error of the text. Exactly one of ``card`` and ``same_as`` (the number of the section that shows the record)
    is set when there is a match that is shown whole; ``matches`` are those shown in short, ``nearest`` did not fit and
    are of interest while nothing surely does. ``position`` is that of the error in the explanation.
    """

    number: int
    position: int
    title: str
    cls: str
    message: str
    language: str
    frames: int
    role: str
    cut: bool
    confidence: Confidence | None
    notes: tuple[str, ...]
    card: Card | None
    same_as: int
    matches: tuple[Brief, ...]
    nearest: tuple[Brief, ...]


@dataclass(frozen=True, kw_only=True)
class ChainLink:
    """A line of the chain: how deep, in which relation to the line above it, and the section that tells more."""

    depth: int
    relation: str
    section: Section


@dataclass(frozen=True, kw_only=True)
class Report:
    """The whole report. ``left`` are errors without anything to say, as titles, of which there are ``left_count``.

    ``facts`` say what was read, ``hidden`` which secrets were masked; ``searched`` are words to search for instead.
    """

    explanation: Explanation
    headline: str
    sections: tuple[Section, ...]
    chain: tuple[ChainLink, ...]
    left: tuple[str, ...]
    left_count: int
    facts: tuple[str, ...]
    hidden: str
    searched: str

    @property
    def left_more(self) -> int:
        """How many of ``left_count`` are not named."""
        return self.left_count - len(self.left)
