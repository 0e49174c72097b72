"""Releases and rejections: what is written down of an import, whether or not it changed the catalog.

Written in transactions of their own before and after the publication; a published release is marked in the
publication's own transaction, so that no revision stands without its release. What is written down is public, so the
directories of this machine that a source was given by stay out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from django.db import transaction

from kb.catalog.bulk import insert_rows
from kb.catalog.registry import DatasetRow, RejectionValues, ReleaseRow, open_dataset, open_release, save_release
from kb.imports.options import ImportOptions, ImportReport

__all__ = ["Ledger"]

_REJECTION_COLUMNS = (
    "release_id", "origin", "position", "record_id", "repo", "path", "rule", "message", "value", "raw",
)  # fmt: skip
_COPIED = ("added", "changed", "unchanged", "retired", "restored", "rejected", "warnings", "dataset_version")
_BATCH = 500


class Ledger:
    """The release of one import. ``dataset`` and ``release`` are there from the beginning, in the state running."""

    def __init__(self, names: Sequence[str], options: ImportOptions, *, kind: str = "import") -> None:
        """Opens the dataset, made when it is new, and a release of it. ``names`` are the sources as they were given."""
        parents = {str(PurePath(name).parent) for name in names if PurePath(name).is_absolute()}
        self._directories = sorted((f"{parent.rstrip('/')}/" for parent in parents), key=len, reverse=True)
        with transaction.atomic():
            self.dataset: DatasetRow = open_dataset(options.dataset)
            self.release: ReleaseRow = open_release(
                self.dataset, kind=kind, source=self._public(", ".join(names)), started_at=datetime.now(UTC)
            )

    def close(self, report: ImportReport, *, state: str, rejections: Sequence[RejectionValues]) -> None:
        """Writes the outcome down; call it inside the publication's transaction when there is one."""
        release = self.release
        for name in _COPIED:
            setattr(release, name, getattr(report, name))
        release.error = self._public(report.error)
        release.notices = [self._public(notice) for notice in report.notices]
        release.unknown_fields = report.unknown_fields
        release.problem_counts = report.problem_counts
        release.seconds = round(report.seconds, 3)
        release.finished_at = datetime.now(UTC)
        save_release(release, state=state, revision=report.revision if state == "published" else None)
        rows = [self._rejection(row) for row in rejections]
        for start in range(0, len(rows), _BATCH):
            insert_rows("catalog_rejection", _REJECTION_COLUMNS, rows[start : start + _BATCH])

    def _rejection(self, row: RejectionValues) -> tuple[object, ...]:
        origin, position, record_id, repo, path, rule, message, value, raw = row
        place, text = self._public(origin), self._public(message)
        return (self.release.pk, place, position, record_id, repo, path, rule, text, value, raw)

    def _public(self, text: str) -> str:
        """The text without the directories that absolute sources stand in."""
        for directory in self._directories:
            if directory != "/":
                text = text.replace(directory, "")
        return text
