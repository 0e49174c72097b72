"""The shapes of the answers about quality: findings by kind, by repository, and at the last revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from kb.api.answers import Answer, ErrorSummary, Next, Url

__all__ = ["FindingKind", "FindingMoment", "FindingRecordList", "FindingRepository", "FindingRepositoryList", "Quality"]

_Finding = Annotated[str, Meta(description="Code of the finding.")]
_Meaning = Annotated[str, Meta(description="What it says of a record; empty for one that is no longer looked for.")]


class FindingKind(Struct, frozen=True, kw_only=True, rename="camel"):
    """A kind of finding, with its counts over current records."""

    finding: _Finding
    meaning: _Meaning
    record_count: int
    repository_count: int
    url: Annotated[Url, Meta(description="Its page.")]
    api_url: Annotated[Url, Meta(description="Its repositories, the worst first.")]


class FindingMoment(Struct, frozen=True, kw_only=True, rename="camel"):
    """The findings at one revision."""

    revision: int
    release: Annotated[int | None, Meta(description="The release that published it, while it is kept.")]
    at: datetime | None
    record_count: Annotated[int, Meta(description="How many current records there were.")]
    counts: Annotated[dict[str, int], Meta(description="How many of them had each finding.")]


class Quality(Answer, frozen=True, kw_only=True, rename="camel"):
    """Every kind of finding, the most frequent first, and the last revisions, the oldest first."""

    findings: list[FindingKind]
    trend: list[FindingMoment]


class FindingRepository(Struct, frozen=True, kw_only=True, rename="camel"):
    """A repository with how many of its current records have the finding."""

    repo: str
    record_count: int
    url: Annotated[Url, Meta(description="The page of these records.")]


class FindingRepositoryList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of the repositories whose records have a finding, the worst first."""

    finding: _Finding
    meaning: _Meaning
    results: list[FindingRepository]
    next: Next


class FindingRecordList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of the records that have a finding, by repository and id."""

    finding: _Finding
    meaning: _Meaning
    results: list[ErrorSummary]
    next: Next
