"""Releases and rejections: what is written down of an import, whether or not it changed the catalog.

Written in transactions of their own before and after the publication; a published release is marked in the
publication's own transaction, so that no revision stands without its release.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import transaction

from kb.catalog.bulk import insert_rows
from kb.catalog.registry import DatasetRow, RejectionValues, ReleaseRow, open_dataset, open_release, save_release
from kb.imports.options import ImportOptions, ImportReport

__all__ = ["close_release", "start_release"]

_REJECTION_COLUMNS = (
    "release_id",
    "origin",
    "position",
    "record_id",
    "repo",
    "path",
    "rule",
    "message",
    "value",
    "raw",
)
_BATCH = 500


def start_release(options: ImportOptions, *, source: str) -> tuple[DatasetRow, ReleaseRow]:
    """The dataset, made when it is new, and a release in the state running."""
    with transaction.atomic():
        dataset = open_dataset(options.dataset, priority=options.priority)
        return dataset, open_release(dataset, source=source, started_at=datetime.now(UTC))


def close_release(
    release: ReleaseRow, report: ImportReport, *, state: str, rejections: Sequence[RejectionValues]
) -> None:
    """Writes the outcome down; call it inside the publication's transaction when there is one."""
    for name in (
        "added",
        "changed",
        "unchanged",
        "retired",
        "restored",
        "rejected",
        "warnings",
        "dataset_version",
        "error",
    ):
        setattr(release, name, getattr(report, name))
    release.notices = report.notices
    release.unknown_fields = report.unknown_fields
    release.problem_counts = report.problem_counts
    release.seconds = round(report.seconds, 3)
    release.finished_at = datetime.now(UTC)
    save_release(release, state=state, revision=report.revision if state == "published" else None)
    rows = [(release.pk, *row) for row in rejections]
    for start in range(0, len(rows), _BATCH):
        insert_rows("catalog_rejection", _REJECTION_COLUMNS, rows[start : start + _BATCH])
