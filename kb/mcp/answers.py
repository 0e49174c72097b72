"""What the tools answer, as types: the structured content, and with their descriptions the output schemas.

Members that are empty are left out, so that a budget buys facts.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

__all__ = [
    "Answer",
    "ChangeLine",
    "ChangesAnswer",
    "ErrorAnswer",
    "ExplainAnswer",
    "ExplainedError",
    "FoundRecord",
    "RecordLine",
    "RecordSection",
    "RepositoriesAnswer",
    "RepositoryLine",
    "SearchAnswer",
    "SearchHit",
]

Confidence = Annotated[
    Literal["exact", "strong", "weak"],
    Meta(description="Of the answers called exact or strong at least 97 in 100 are right; weak ones are worth a look."),
]
Next = Annotated[str | None, Meta(description="The cursor of the following page; absent on the last one.")]
Count = Annotated[int, Meta(ge=0)]


class Answer(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What every answer holds."""

    notice: Annotated[str, Meta(description="How to read the texts of this answer.")]
    revision: Annotated[int, Meta(description="The revision of the catalog that answered.")]
    dataset_version: Annotated[str, Meta(description="When that revision was made.")]
    warnings: Annotated[
        list[str], Meta(description="What to beware of, such as a text that gives its reader instructions.")
    ] = []
    advice: Annotated[str, Meta(description="What to do next.")] = ""


class RecordLine(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A record in short."""

    id: str
    url: Annotated[str, Meta(description="Its permanent link.")]
    error_message: Annotated[str, Meta(description="With placeholders.")]
    repo: str
    error_class: str | None = None
    error_code: str | None = None
    severity: str | None = None
    language: str | None = None
    place: Annotated[str, Meta(description="Where it is raised: file and line.")] = ""
    retired: Annotated[bool, Meta(description="No dataset has it any longer.")] = False
    confidence: Confidence | None = None
    differs: Annotated[str, Meta(description="Words of its message that the best match's message lacks.")] = ""


class FoundRecord(RecordLine, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The record of an error, with what to do."""

    reasons: Annotated[list[str], Meta(description="Why this one.")] = []
    doubts: Annotated[list[str], Meta(description="What speaks against it.")] = []
    captures: Annotated[
        dict[str, str], Meta(description="What the error has in the place of the message's placeholders.")
    ] = {}
    alike_count: Annotated[
        Count, Meta(description="Records with the same message, between which the text cannot tell.")
    ] = 0
    alike: Annotated[list[str], Meta(description="Ids of some of them.")] = []
    documentation: Annotated[str, Meta(description="What the error means.")] = ""
    solutions: Annotated[list[str], Meta(description="What to do, the best first.")] = []
    cut: Annotated[bool, Meta(description="Whether its texts are not whole; get_error tells all.")] = False


class ExplainedError(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One error of a text."""

    error: Annotated[str, Meta(description="As the text has it, class and message, with secrets masked.")]
    role: Annotated[str, Meta(description="root cause or outermost, in a chain of errors.")] = ""
    confidence: Confidence | None = None
    record: FoundRecord | None = None
    same_record_as: Annotated[int, Meta(description="The number, from 1, of the error that has the same record.")] = 0
    others: Annotated[list[RecordLine], Meta(description="Other records that fit.")] = []
    nearest: Annotated[list[RecordLine], Meta(description="Near misses: looked at, and no answer.")] = []


class ExplainAnswer(Answer, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What went wrong in a text."""

    status: Annotated[
        Literal["matched", "none", "empty"],
        Meta(description="none: no record fits; empty: the text holds nothing to look for. Both are good answers."),
    ]
    best: Annotated[str | None, Meta(description="Id of the best match of all.")] = None
    errors: Annotated[list[ExplainedError], Meta(description="The one with the best match first.")] = []
    more_errors: Annotated[Count, Meta(description="Errors of the text that are not told.")] = 0
    hidden: Annotated[str, Meta(description="Secrets of the text that were masked.")] = ""


class SearchHit(RecordLine, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A record that was found."""

    excerpt: Annotated[str, Meta(description="The beginning of what it says.")] = ""


class SearchAnswer(Answer, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a search found."""

    count: Annotated[Count, Meta(description="All records that were found.")]
    results: Annotated[list[SearchHit], Meta(description="The best first.")]
    next: Next = None
    did_you_mean: str = ""
    relaxed: Annotated[
        Literal["typo", "some_words"] | None,
        Meta(description="No record has all the words: these have them in other spellings, or most of them."),
    ] = None
    problems: Annotated[list[str], Meta(description="Parts of the query that could not be taken as written.")] = []


class RecordSection(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One part of a record."""

    name: str
    text: str
    cut: Annotated[bool, Meta(description="Whether its end is left out.")] = False


class ErrorAnswer(Answer, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A record, or the records that a code may mean."""

    record: Annotated[RecordLine | None, Meta(description="Absent when the code belongs to several records.")] = None
    facts: Annotated[dict[str, str], Meta(description="What else is known of it.")] = {}
    sections: list[RecordSection] = []
    left_out: Annotated[list[str], Meta(description="Sections that the record has and that did not fit.")] = []
    absent: Annotated[list[str], Meta(description="Sections that were asked for and that the record lacks.")] = []
    successor: Annotated[str | None, Meta(description="Id of the record that took the place of a retired one.")] = None
    candidates: Annotated[list[RecordLine], Meta(description="The records with this code.")] = []


class RepositoryLine(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A repository."""

    repo: Annotated[str, Meta(description="owner/name")]
    records: Count
    language: str | None = None
    description: str = ""


class RepositoriesAnswer(Answer, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Repositories by name."""

    repositories: list[RepositoryLine]
    total_repositories: Annotated[Count, Meta(description="Of the whole catalog.")]
    total_records: Annotated[Count, Meta(description="Of the whole catalog.")]
    next: Next = None


class ChangeLine(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One change of one record."""

    revision: int
    kind: Literal["added", "changed", "reanalysed", "retired", "restored"]
    id: str
    url: str
    error_message: str
    repo: str


class ChangesAnswer(Answer, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What changed."""

    changes: list[ChangeLine]
    next: Next = None
