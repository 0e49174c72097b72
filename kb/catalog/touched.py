"""What a publication touched, whose counts and groups must be made again at its end."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from kb.catalog.columns import RECORD_COLUMNS
from kb.catalog.counts import count_terms, find_duplicates, refresh_duplicates, refresh_repositories, refresh_terms
from kb.catalog.finding_counts import refresh_tallies
from kb.catalog.models import Record as RecordRow
from kb.catalog.prepared import Prepared
from kb.catalog.term_counts import TermChanges, apply_changes, move_repository_counts

__all__ = ["Touched"]

_KINDS = ("family", "code", "class", "tag")
_keys = itemgetter(*(RECORD_COLUMNS.index(name) for name in ("family", "code_key", "class_key")))
_labels = itemgetter(*(RECORD_COLUMNS.index(name) for name in ("family", "error_code", "error_class")))


class Touched:
    """Keys of terms, repositories and duplicate groups, from records as they were and as they will be.

    Give every record as it was, where it was there, and as it will be, in the order of the writing.
    """

    def __init__(self, revision: int) -> None:
        self._revision = revision
        self._changes = TermChanges()
        self._terms: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}  # key to label
        self.repositories: set[str] = set()
        self._duplicates: set[str] = set()
        self._findings: set[tuple[str, str]] = set()

    def add_row(self, row: RecordRow) -> None:
        """A record as it was.

        One that was retired in this revision for no reason yet was only moved out of the way, and is counted still.
        """
        if row.retired_revision is None or (row.retired_revision == self._revision and not row.retired_reason):
            self._changes.add(_terms((row.family, row.code_key, row.class_key), row.tags), row.repository_id, -1)
        self._add_terms((row.family, row.code_key, row.class_key), (row.family, row.error_code, row.error_class))
        self._terms["tag"].update((tag, tag) for tag in row.tags)
        self.repositories.add(row.repository_id)
        self._duplicates.add(row.duplicate_key)
        self._findings.update((finding, row.repository_id) for finding in row.findings)

    def add_ready(self, ready: Prepared) -> None:
        """A record as it will be."""
        self._changes.add(_terms(_keys(ready.values), ready.tags), ready.repo, 1)
        self._add_terms(_keys(ready.values), _labels(ready.values))
        self._terms["tag"].update((tag, tag) for tag in ready.tags)
        self.repositories.add(ready.repo)
        self._duplicates.add(ready.column("duplicate_key"))
        self._findings.update((finding, ready.repo) for finding in ready.findings)

    def _add_terms(self, keys: Sequence[str | None], labels: Sequence[str | None]) -> None:
        for kind, key, label in zip(_KINDS, keys, labels, strict=False):
            if key and label:
                known = self._terms[kind].setdefault(key, label)
                if label < known:
                    self._terms[kind][key] = label

    def refresh(self, *, everything: bool = False) -> None:
        """Makes the counts and groups of everything touched again.

        ``everything``: nothing was there before, so that all records are counted at once.
        """
        if everything:
            count_terms(self._terms)
            refresh_repositories(self.repositories)
        elif self._changes.too_many:
            refresh_terms(self._terms)
            refresh_repositories(self.repositories)
        else:
            apply_changes(self._changes, self._terms)
            move_repository_counts(self._changes.repositories, self.repositories)
        if everything:
            find_duplicates()
        else:
            refresh_duplicates(self._duplicates)
        refresh_tallies(self._findings)


def _terms(keys: Sequence[str | None], tags: Sequence[str]) -> set[tuple[str, str]]:
    """The terms (kind, key) of a record, each once."""
    found = {(kind, key) for kind, key in zip(_KINDS, keys, strict=False) if key}
    found.update(("tag", tag) for tag in tags)
    return found
