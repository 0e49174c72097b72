"""The shapes of the answers about changes: the feed, and the history of a record."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from kb.api.answers import Answer, Next, Url, encoded_as

__all__ = ["Change", "ChangeList", "FieldChange", "History", "HistoryEntry", "TextPart"]

ChangeKind = Literal["added", "changed", "reanalysed", "retired", "restored"]
_Id = Annotated[str, Meta(description="Id of the record.")]
_Kind = Annotated[
    ChangeKind,
    Meta(description="`reanalysed` is a change of times and commit alone. A `retired` record is in no dataset now."),
]
WholeRecord = Annotated[
    msgspec.Raw | UnsetType,
    encoded_as("Record"),
    Meta(description="The record after the change, field for field; a retired one as it was until then."),
]


class Change(Struct, frozen=True, kw_only=True, rename="camel"):
    """What one revision did to one record."""

    revision: int
    kind: _Kind
    id: _Id
    repo: str
    slug: Annotated[str, Meta(description="Its slug in this revision.")]
    error_message: str
    url: Annotated[Url, Meta(description="Its page, whatever its slug became.")]
    api_url: Url
    history_url: Annotated[Url, Meta(description="All changes of the record.")]
    record: WholeRecord = UNSET


class ChangeList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of changes. A page can be shorter than asked; the list ends where `next` is null.

    Who followed it to its end holds what the catalog has in `revision`, and asks for what comes `after` it.
    """

    results: list[Change]
    next: Next


class TextPart(Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of a text. Kept and removed pieces together are the old text, kept and added ones the new."""

    kind: Literal["equal", "delete", "insert"]
    text: str


class FieldChange(Struct, frozen=True, kw_only=True, rename="camel"):
    """How one field of a record changed."""

    field: Annotated[str, Meta(description="Its name in the dataset.")]
    kind: Annotated[
        Literal["added", "removed", "changed"], Meta(description="Whether it came, went, or has another value.")
    ]
    unit: Annotated[
        Literal["words", "lines", "entries", "value"],
        Meta(description="How it was compared: prose by words, code by lines, lists by entries, the rest as a whole."),
    ]
    parts: Annotated[list[TextPart], Meta(description="The text in pieces; empty for lists.")]
    entries: Annotated[
        list[list[TextPart]] | UnsetType, Meta(description="Lists: the pieces of each entry that was or is there.")
    ] = UNSET


class HistoryEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """One change of a record. What is said of its release is null when the release is no longer kept."""

    revision: int
    kind: _Kind
    at: Annotated[datetime | None, Meta(description="When the revision was published.")]
    release: Annotated[int | None, Meta(description="Number of the release that made the change.")]
    release_url: Url | None
    dataset: str | None
    dataset_version: str | None
    fields: Annotated[
        list[FieldChange] | None,
        Meta(description="What differs from before; null when there was nothing before, or it is no longer kept."),
    ]
    record: WholeRecord = UNSET


class History(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of the changes of a record, the newest first."""

    id: _Id
    results: list[HistoryEntry]
    next: Next
