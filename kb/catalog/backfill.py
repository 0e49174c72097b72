"""What a migration fills in from rows that are there already."""

from __future__ import annotations

import collections
from typing import Any

__all__ = ["fill_findings"]

_BATCH = 2_000
_ROWS = 300  # a statement; SQLite takes 999 values in one


def fill_findings(apps: Any, _schema_editor: Any) -> None:
    """The findings that current records hold, as rows and as counts. One query a batch of records, none left open."""
    record, row, tally = (apps.get_model("catalog", name) for name in ("Record", "RecordFinding", "FindingTally"))
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    after = ""
    while True:
        current = record.objects.filter(pk__gt=after, retired_revision__isnull=True).order_by("pk")
        found = list(current.values_list("pk", "repository_id", "findings")[:_BATCH])
        triples = [(finding, repo, pk) for pk, repo, findings in found for finding in findings]
        rows = [row(finding=finding, repo=repo, record_id=pk) for finding, repo, pk in triples]
        row.objects.bulk_create(rows, batch_size=_ROWS)
        counts.update((finding, repo) for finding, repo, _ in triples)
        if len(found) < _BATCH:
            break
        after = found[-1][0]
    tallies = [tally(finding=finding, repo=repo, record_count=n) for (finding, repo), n in sorted(counts.items())]
    tally.objects.bulk_create(tallies, batch_size=_ROWS)
