"""The work list of a dataset's maintainers: what is weak about current records, by kind and by repository.

The counts are those that each publication keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, Sum

from kb.catalog.answers import Page, RecordRow
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.fetching import fetch_rows
from kb.catalog.models import FindingTally, RecordFinding, Release
from kb.catalog.record_queries import record_rows

__all__ = [
    "FindingCount",
    "FindingKind",
    "FindingMoment",
    "finding_kinds",
    "finding_records",
    "finding_repositories",
    "finding_trend",
    "findings_of_repository",
    "iter_finding_records",
    "worst_repositories",
]

_BATCH = 500


@dataclass(frozen=True, kw_only=True)
class FindingKind:
    """A kind of finding, with how many current records and repositories have it."""

    finding: str
    record_count: int
    repository_count: int


@dataclass(frozen=True, kw_only=True)
class FindingCount:
    """A repository with how many of its current records have a finding, or how many findings they have in all."""

    repo: str
    finding: str
    record_count: int


@dataclass(frozen=True, kw_only=True)
class FindingMoment:
    """How many records had each finding at a revision, of how many. ``release`` is the number of what published it."""

    revision: int
    release: int | None
    at: datetime | None
    records: int
    counts: dict[str, int]


def finding_kinds() -> tuple[FindingKind, ...]:
    """The kinds of findings that current records have, the most frequent first. One query."""
    rows = FindingTally.objects.values_list("finding").annotate(records=Sum("record_count"), repos=Count("repo"))
    return tuple(
        FindingKind(finding=finding, record_count=records, repository_count=repos)
        for finding, records, repos in rows.order_by("-records", "finding")
    )


def worst_repositories(limit: int) -> tuple[FindingCount, ...]:
    """The repositories whose current records have the most findings of all kinds. One query."""
    rows = FindingTally.objects.values_list("repo").annotate(findings=Sum("record_count")).order_by("-findings", "repo")
    return tuple(FindingCount(repo=repo, finding="", record_count=count) for repo, count in rows[:limit])


def findings_of_repository(repo: str) -> tuple[FindingCount, ...]:
    """The findings of a repository's current records, the most frequent first. One query."""
    rows = FindingTally.objects.filter(repo=repo).order_by("-record_count", "finding")
    return tuple(FindingCount(repo=repo, finding=row.finding, record_count=row.record_count) for row in rows)


def finding_repositories(finding: str, *, cursor: str | None = None, limit: int = 50) -> Page[FindingCount]:
    """Repositories whose current records have a finding, the worst first. One query. Raises ``BadCursor``."""
    mark = signature("finding-repositories", finding)
    rows = FindingTally.objects.filter(finding=finding).order_by("-record_count", "repo")
    if cursor:
        count, repo = decode_cursor(mark, cursor, (int, str))
        same = Q(record_count=count, repo__gt=repo)
        rows = rows.filter(record_count__lte=count).filter(Q(record_count__lt=count) | same)
    found = [FindingCount(repo=row.repo, finding=finding, record_count=row.record_count) for row in rows[: limit + 1]]
    more = len(found) > limit
    last = found[limit - 1] if more else None
    return Page(items=tuple(found[:limit]), next=encode_cursor(mark, (last.record_count, last.repo)) if last else None)


def finding_records(
    finding: str, *, repo: str | None = None, cursor: str | None = None, limit: int = 30
) -> Page[RecordRow]:
    """Current records that have a finding, of one repository or by repository, then by id. Two queries.

    Raises ``BadCursor``.
    """
    mark = signature("finding-records", finding, repo)
    after = ("", "")
    if cursor:
        first, second = decode_cursor(mark, cursor, (str, str))
        after = (str(first), str(second))
    keys = _keys(finding, repo, after, limit + 1)
    more = len(keys) > limit
    rows = record_rows([record_id for _, record_id in keys[:limit]])
    return Page(items=rows, next=encode_cursor(mark, keys[limit - 1]) if more else None)


def iter_finding_records(finding: str, *, repo: str | None = None) -> Iterator[RecordRow]:
    """All current records that have a finding, in the order of :func:`finding_records`; two queries a batch, none is
    left open.
    """
    after = ("", "")
    while True:
        keys = _keys(finding, repo, after, _BATCH)
        yield from record_rows([record_id for _, record_id in keys])
        if len(keys) < _BATCH:
            return
        after = keys[-1]


def _keys(finding: str, repo: str | None, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
    rows = RecordFinding.objects.filter(finding=finding).order_by("repo", "record_id")
    if repo is not None:
        rows = rows.filter(repo=repo)
    if after != ("", ""):
        rows = rows.extra(where=["(repo, record_id) > (%s, %s)"], params=after)
    return list(rows.values_list("repo", "record_id")[:limit])


_MOMENTS = (
    "SELECT t.revision, t.finding, t.record_count, t.record_total FROM catalog_findingtrend t JOIN"
    " (SELECT DISTINCT revision FROM catalog_findingtrend ORDER BY revision DESC LIMIT %s) r ON r.revision = t.revision"
    " ORDER BY t.revision, t.finding"
)


def finding_trend(limit: int = 30) -> tuple[FindingMoment, ...]:
    """The counts at the last few revisions that are known, the oldest first. Two queries."""
    counts: dict[int, dict[str, int]] = {}
    totals: dict[int, int] = {}
    for revision, finding, count, total in fetch_rows(_MOMENTS, (limit,)):
        counts.setdefault(revision, {})[finding] = count
        totals[revision] = total
    rows = Release.objects.filter(revision__in=counts).values_list("revision", "pk", "finished_at")
    releases = {revision: (pk, at) for revision, pk, at in rows}
    return tuple(
        FindingMoment(
            revision=revision,
            release=releases.get(revision, (None, None))[0],
            at=releases.get(revision, (None, None))[1],
            records=totals[revision],
            counts=found,
        )
        for revision, found in counts.items()
    )
