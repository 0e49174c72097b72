"""What reads of the history answer: changes, the history of a record, and revisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from kb.records.record import Record

__all__ = [
    "CHANGE_KINDS",
    "ChangeKind",
    "ChangeView",
    "ChangesPruned",
    "HistoryEntry",
    "ReplayedRecord",
    "RevisionView",
]

ChangeKind = Literal["added", "changed", "reanalysed", "retired", "restored"]
CHANGE_KINDS: Final[tuple[ChangeKind, ...]] = ("added", "changed", "reanalysed", "retired", "restored")


class ChangesPruned(LookupError):
    """Changes that were asked for are not kept. ``oldest`` is the smallest revision after which all of them are."""

    def __init__(self, *, after: int, oldest: int) -> None:
        super().__init__(f"changes after revision {after} are not all kept; those after revision {oldest} are")
        self.after = after
        self.oldest = oldest


@dataclass(frozen=True, kw_only=True)
class ChangeView:
    """What one revision did to one record. ``record`` is its content after the change, ``raw`` the same as JSON.

    A retired record's content is the one that it had until then.
    """

    revision: int
    kind: ChangeKind
    release: int | None
    record: Record
    raw: bytes


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """One change of a record with what it had before, ``None`` when that is not kept or there was nothing.

    What is said of the release is ``None`` when it is no longer kept.
    """

    revision: int
    kind: ChangeKind
    before: Record | None
    after: Record
    release: int | None
    release_kind: str | None
    dataset: str | None
    dataset_version: str | None
    at: datetime | None


@dataclass(frozen=True, kw_only=True)
class RevisionView:
    """A release that made a revision: what it was, when, and its counts. ``changed`` includes new analyses.

    ``kind`` is import, rollback or removal.
    """

    revision: int
    release: int
    kind: str
    dataset: str
    dataset_version: str
    at: datetime
    added: int
    changed: int
    retired: int
    restored: int

    @property
    def total(self) -> int:
        """How many records changed."""
        return self.added + self.changed + self.retired + self.restored


@dataclass(frozen=True, kw_only=True)
class ReplayedRecord:
    """A record as a replay of the feed leaves it: with what the catalog itself says about its revisions."""

    record: Record
    first_revision: int
    changed_revision: int
    retired_revision: int | None
