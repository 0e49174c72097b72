"""The shapes of what matching answers; components of the OpenAPI document like those of ``answers``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from kb.api.answers import Answer, ErrorSummary, RawRecord, Url, encoded_as

__all__ = [
    "BestMatch",
    "Confidence",
    "MaskedCount",
    "MatchAnswer",
    "MatchCapture",
    "MatchDetail",
    "MatchEvidence",
    "MatchException",
    "MatchFrame",
    "MatchRecord",
    "MatchReference",
    "MatchResult",
    "MatchStatus",
    "MatchSummary",
]

MatchDetail = Literal["ids", "summary", "full"]
MatchStatus = Literal["matched", "none", "empty", "too_large"]
Confidence = Annotated[
    Literal["exact", "strong", "weak"],
    Meta(description="Of the answers called exact or strong at least 97 in 100 are right; weak ones are worth a look."),
]
Score = Annotated[float, Meta(description="Share of the evidence that was found, 0 to 1.", ge=0, le=1)]
Strict = Annotated[bool, Meta(description="Whether the record's `messagePattern` matches as it stands.")]
Alike = Annotated[
    tuple[str, ...],
    Meta(description="Records with the same message, between which the text cannot choose; ten at most."),
]
AlikeCount = Annotated[int, Meta(description="How many records are alike.", ge=0)]
Differs = Annotated[str, Meta(description="Words of its message that the best match's message lacks.")]
AnyMatch = Annotated[Any, encoded_as("MatchReference", "MatchSummary", "MatchRecord")]


class MatchEvidence(Struct, frozen=True, kw_only=True, rename="camel"):
    """One reason for a match."""

    kind: Annotated[str, Meta(description="message, class, code, status, frame, line, function, package, context, …")]
    text: Annotated[str, Meta(description="The reason in words.")]
    weight: Annotated[float, Meta(description="How much it counts; below 0 when it speaks against the record.")]


class MatchCapture(Struct, frozen=True, kw_only=True, rename="camel"):
    """What stood in the place of a placeholder."""

    placeholder: Annotated[str, Meta(description="As the record's message has it.")]
    name: Annotated[str, Meta(description="Its bare name, empty for such as `%s`.")]
    value: Annotated[str, Meta(description="What the text has there, with secrets masked.")]


class MatchReference(Struct, frozen=True, kw_only=True, rename="camel"):
    """A record that was found, with `detail=ids`."""

    id: str
    url: Annotated[Url, Meta(description="Its page.")]
    score: Score
    confidence: Confidence
    evidence: list[MatchEvidence]
    captures: list[MatchCapture]
    strict: Strict
    alike: Alike
    alike_count: AlikeCount
    differs: Differs


class MatchSummary(ErrorSummary, frozen=True, kw_only=True, rename="camel"):
    """A record that was found, with `detail=summary`."""

    score: Score
    confidence: Confidence
    evidence: list[MatchEvidence]
    captures: list[MatchCapture]
    strict: Strict
    alike: Alike
    alike_count: AlikeCount
    differs: Differs


class MatchRecord(MatchSummary, frozen=True, kw_only=True, rename="camel"):
    """A record that was found, with `detail=full`."""

    record: Annotated[RawRecord, Meta(description="The whole record in its dataset's own field names.")]


class MatchFrame(Struct, frozen=True, kw_only=True, rename="camel"):
    """One frame of a stack."""

    path: Annotated[str, Meta(description="As printed; that of a Java frame is made from its package.")]
    line: int | None
    function: str


class MatchException(Struct, frozen=True, kw_only=True, rename="camel"):
    """One error of a text, as it was read, with what was found for it."""

    cls: Annotated[str | None, Meta(description="Its class as printed; null without one.")] = msgspec.field(
        name="class"
    )
    message: str
    language: Annotated[str | None, Meta(description="Null when the text does not tell.")]
    relation: Annotated[
        Literal["cause", "context", "suppressed", "member", "wrapped", "previous"] | None,
        Meta(description="How it relates to its parent; null without one."),
    ]
    parent: Annotated[int | None, Meta(description="Position in `exceptions` of the one that wraps it.")]
    role: Annotated[Literal["only", "root", "outermost", "middle"], Meta(description="Its place in the chain.")]
    frames: Annotated[list[MatchFrame], Meta(description="The nearest to the raise first.")]
    matches: Annotated[list[AnyMatch], Meta(description="The best first.")]
    nearest: Annotated[list[AnyMatch], Meta(description="Near misses: what was looked at and is no answer.")]


class BestMatch(Struct, frozen=True, kw_only=True, rename="camel"):
    """The best match of a text."""

    id: str
    confidence: Confidence


class MaskedCount(Struct, frozen=True, kw_only=True, rename="camel"):
    """How many secrets of a kind were masked in everything that is answered."""

    kind: str
    count: int


class MatchResult(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one text was found to be."""

    status: Annotated[
        MatchStatus,
        Meta(
            description="matched; none when there is no record for it; empty when it holds nothing to look for; "
            "too_large when it was not read."
        ),
    ]
    best: Annotated[BestMatch | None, Meta(description="Null when nothing is at least weak.")]
    exceptions: Annotated[list[MatchException], Meta(description="In the order of the text.")]
    masked: list[MaskedCount]
    detail: Annotated[str | UnsetType, Meta(description="Why a text was not read.")] = UNSET


class MatchAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """What texts were found to be, one result a text in order."""

    results: list[MatchResult]
