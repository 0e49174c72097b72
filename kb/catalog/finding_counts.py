"""Quality findings of current records as rows and as counts, kept by each publication."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import connection
from django.db.models import Sum

from kb.catalog.bulk import delete_by_key, insert_rows, upsert_rows
from kb.catalog.models import FindingTally

__all__ = ["put_findings", "refresh_tallies", "tell_trend"]

_CHUNK = 400


def put_findings(rows: Sequence[tuple[str, str, str]], *, replaced: Sequence[str] = ()) -> None:
    """Stores findings (finding, repository, record id) in place of all that the ``replaced`` records had."""
    delete_by_key("catalog_recordfinding", "record_id", replaced)
    insert_rows("catalog_recordfinding", ("finding", "repo", "record_id"), rows)


def refresh_tallies(touched: Collection[tuple[str, str]]) -> None:
    """Counts the records of each touched (finding, repository) again. Pairs without any go."""
    by_finding: dict[str, list[str]] = {}
    for finding, repo in sorted(touched):
        by_finding.setdefault(finding, []).append(repo)
    for finding, repos in by_finding.items():
        for start in range(0, len(repos), _CHUNK):
            _refresh(finding, repos[start : start + _CHUNK])


def _refresh(finding: str, repos: Sequence[str]) -> None:
    marks = ", ".join(["%s"] * len(repos))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT repo, COUNT(*) FROM catalog_recordfinding"  # noqa: S608 - own names
            f" WHERE finding = %s AND repo IN ({marks}) GROUP BY repo",
            [finding, *repos],
        )
        counted: dict[str, int] = dict(cursor.fetchall())
    columns = ("finding", "repo", "record_count")
    upsert_rows("catalog_findingtally", columns, columns[:2], [(finding, *row) for row in sorted(counted.items())])
    gone = [repo for repo in repos if repo not in counted]
    delete_by_key("catalog_findingtally", "repo", gone, extra="AND finding = %s", params=(finding,))


def tell_trend(revision: int, *, records: int) -> None:
    """Writes down how many records have each finding at this revision, of how many records."""
    totals = FindingTally.objects.values_list("finding").annotate(Sum("record_count")).order_by("finding")
    rows = [(revision, finding, count, records) for finding, count in totals]
    insert_rows("catalog_findingtrend", ("revision", "finding", "record_count", "record_total"), rows)
