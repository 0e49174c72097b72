"""What an explanation holds: plain frozen values for pages, API and command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kb.catalog.answers import RecordRow
from kb.matching.shapes import Fault

__all__ = [
    "Capture",
    "Confidence",
    "Context",
    "Evidence",
    "Explanation",
    "FaultAnswer",
    "Mark",
    "Match",
    "Role",
    "SecretCount",
]

Confidence = Literal["exact", "strong", "weak"]
Role = Literal["only", "root", "outermost", "middle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the caller knows: packages, repositories (``owner/name``) and languages. They raise, never exclude."""

    packages: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One reason for a match. ``kind`` is stable (message, class, code, status, frame, line, function, package,
    context, words, …), ``text`` a phrase to read ("class `AxiosError`"), ``weight`` what it adds to the score,
    as a natural logarithm.
    """

    kind: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """What a gap of the message took: the placeholder as written in the record (``{status}``), its bare name
    (``status``, empty for ``%s``), and the value with secrets masked.
    """

    placeholder: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A part of the masked text that matters: ``start`` and ``end`` are offsets into ``Explanation.text``, ``fault`` is
    the position of the fault it belongs to.
    """

    start: int
    end: int
    kind: Literal["message", "class", "code", "frame", "capture"]
    fault: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One record found for one fault. ``score`` is 0 to 1. ``strict`` says that the record's pattern matches as it is.

    ``alike`` are other records with the same message between which the text cannot choose (at most ten),
    ``alike_count`` how many there are. ``differs`` holds the words of this record's message that the best match's
    message lacks, for near ties.
    """

    id: str
    row: RecordRow
    score: float
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    captures: tuple[Capture, ...] = ()
    strict: bool = False
    alike: tuple[str, ...] = ()
    alike_count: int = 0
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultAnswer:
    """One error of the text, read and with secrets masked, its matches (best first), and the nearest misses apart."""

    fault: Fault
    role: Role
    matches: tuple[Match, ...] = ()
    nearest: tuple[Match, ...] = ()

    @property
    def confidence(self) -> Confidence | None:
        """That of the best match."""
        return self.matches[0].confidence if self.matches else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretCount:
    """How many secrets of one kind ("password in a URL") were masked."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one text was found to be.

    ``text`` is the pasted text with secrets masked, ``marks`` its parts that matter, in order and not overlapping.
    ``faults`` stand as in the text; a wrapper names what it wraps by ``parent``. ``best`` is the best match of all, of
    the fault at ``best_fault``. ``status`` is ``matched`` when there is a best, ``none`` when there is no record,
    ``empty`` when the text holds nothing to look for. ``words`` says that only the words of the text were searched for.
    """

    revision: int
    version: str
    status: Literal["matched", "none", "empty"]
    text: str
    faults: tuple[FaultAnswer, ...] = ()
    best: Match | None = None
    best_fault: int | None = None
    masked: tuple[SecretCount, ...] = ()
    marks: tuple[Mark, ...] = ()
    layouts: tuple[str, ...] = field(default=())
