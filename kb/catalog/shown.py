"""The rows of records as readers see them, written some at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kb.catalog.bulk import delete_by_key, insert_rows, upsert_rows
from kb.catalog.columns import RECORD_COLUMNS
from kb.catalog.finding_counts import put_findings
from kb.catalog.models import Record as RecordRow
from kb.catalog.prepared import Prepared

__all__ = ["ShownRows", "kind_of_change"]

_COLUMNS = (
    *RECORD_COLUMNS, "dataset_id", "first_revision", "changed_revision", "retired_revision", "retired_reason",
)  # fmt: skip


def kind_of_change(row: RecordRow | None, ready: Prepared, *, revision: int) -> str | None:
    """The kind of change from what is shown, ``None`` when only the dataset behind it changes.

    A record that was retired in this same ``revision`` was only moved out of the way.
    """
    if row is None:
        return "added"
    if row.retired_revision not in {None, revision}:
        return "restored"
    if row.content_hash == ready.content_hash:
        return None
    return "reanalysed" if row.substance_hash == ready.column("substance_hash") else "changed"


@dataclass
class ShownRows:
    """Rows of records, of their tags and of their findings."""

    revision: int
    _added: list[tuple[Any, ...]] = field(default_factory=list)
    _replaced: list[tuple[Any, ...]] = field(default_factory=list)
    _ids: list[str] = field(default_factory=list)
    _tags: list[tuple[str, str, str, str]] = field(default_factory=list)
    _findings: list[tuple[str, str, str]] = field(default_factory=list)

    def add(
        self, ready: Prepared, *, dataset_id: int, language: str | None, replaces: RecordRow | None, kind: str | None
    ) -> None:
        """Adds a record with the ``language`` of its repository, in place of a row when there is one."""
        record_id, repo, slug = ready.id, ready.repo, ready.slug
        unchanged = kind is None and replaces is not None
        changed = replaces.changed_revision if replaces is not None and unchanged else self.revision
        row = (*ready.row(language), dataset_id, self.revision, changed, None, "")
        if replaces is None:
            self._added.append(row)
        else:
            self._replaced.append(row)
            self._ids.append(record_id)
        self._tags += [(tag, repo, slug, record_id) for tag in ready.tags]
        self._findings += [(finding, repo, record_id) for finding in ready.findings]

    def write(self) -> None:
        """Writes them all."""
        insert_rows("catalog_record", _COLUMNS, self._added)
        upsert_rows("catalog_record", _COLUMNS, ("id",), self._replaced, keep=("first_revision",))
        put_findings(self._findings, replaced=self._ids)
        delete_by_key("catalog_recordtag", "record_id", self._ids)
        insert_rows("catalog_recordtag", ("tag", "repo", "slug", "record_id"), self._tags)
