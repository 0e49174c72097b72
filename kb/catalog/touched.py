"""What a publication touched, whose counts and groups must be made again at its end."""

from __future__ import annotations

from collections.abc import Iterable

from kb.catalog.counts import refresh_duplicates, refresh_repositories, refresh_terms
from kb.catalog.finding_counts import refresh_tallies
from kb.catalog.models import Record as RecordRow
from kb.records.keys import url_key
from kb.records.record import Record

__all__ = ["Touched"]


class Touched:
    """Keys of terms, repositories and duplicate groups, from records as they were and as they will be."""

    def __init__(self) -> None:
        self._terms: dict[str, set[str]] = {"family": set(), "code": set(), "class": set(), "tag": set()}
        self.repositories: set[str] = set()
        self._duplicates: set[str] = set()
        self._findings: set[tuple[str, str]] = set()

    def add_row(self, row: RecordRow) -> None:
        """A record as it was."""
        for kind, key in (("family", row.family), ("code", row.code_key), ("class", row.class_key)):
            if key:
                self._terms[kind].add(key)
        self._terms["tag"].update(row.tags)
        self.repositories.add(row.repository_id)
        self._duplicates.add(row.duplicate_key)
        self._findings.update((finding, row.repository_id) for finding in row.findings)

    def add_record(self, record: Record, duplicate_key: str, findings: Iterable[str]) -> None:
        """A record as it will be."""
        terms = (("family", record.background_tag), ("code", record.error_code), ("class", record.error_class))
        for kind, label in terms:
            if label:
                self._terms[kind].add(label if kind == "family" else url_key(label))
        self._terms["tag"].update(record.tags)
        self.repositories.add(record.repo)
        self._duplicates.add(duplicate_key)
        self._findings.update((finding, record.repo) for finding in findings)

    def refresh(self) -> None:
        """Makes the counts and groups of everything touched again."""
        refresh_terms(self._terms)
        refresh_repositories(self.repositories)
        refresh_duplicates(self._duplicates)
        refresh_tallies(self._findings)
