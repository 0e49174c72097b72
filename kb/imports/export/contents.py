"""The documents that are exported: of what readers see, or of one dataset with its copies that are behind another's."""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import attrgetter

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.imports.refusals import Refusal
from kb.records.documents import RepositoryInfo
from kb.records.timestamps import parse_timestamp

__all__ = ["Contents", "open_contents"]

_BATCH = 200
_KEYS = "CREATE TABLE hidden (repo TEXT, slug TEXT, id TEXT, PRIMARY KEY (repo, slug, id)) WITHOUT ROWID"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What an export holds. It is read from the catalog as it is asked for, so all of it within one snapshot.

    ``version`` is a time; ``repositories`` are the only ones, where there are any.
    """

    version: str
    revision: int
    expected: int | None
    dataset: str | None = None
    repositories: tuple[str, ...] = ()

    def records(self) -> Iterator[queries.ExportRecord]:
        """The records by repository, slug and id. Raises ``Refusal`` for a repository of which there is none."""
        for repo in self.repositories or (None,):
            count = 0
            for record in self._of(repo):
                count += 1
                yield record
            if repo is not None and not count:
                raise Refusal("unknown_repository", "", f"there are no records of {repo} to export")

    def _of(self, repo: str | None) -> Iterator[queries.ExportRecord]:
        shown = queries.export_records(repo=repo, dataset=self.dataset)
        if self.dataset is None:
            return shown
        return heapq.merge(shown, _hidden(self.dataset, repo), key=attrgetter("key"))

    def described(self, names: Sequence[str]) -> Iterator[RepositoryInfo]:
        """What is said of these repositories, in their order."""
        for start in range(0, len(names), _BATCH):
            some = names[start : start + _BATCH]
            found = queries.export_repositories(some, dataset=self.dataset)
            yield from (found.get(name) or RepositoryInfo(repo=name) for name in some)

    def articles(self) -> Iterator[queries.ExportArticle]:
        """The background articles by slug; none when only some repositories are exported."""
        return iter(()) if self.repositories else queries.export_articles(dataset=self.dataset)


def open_contents(state: CatalogView, *, dataset: str | None, repositories: Sequence[str]) -> Contents:
    """What there is to export in the catalog's present state. Raises ``Refusal``."""
    if not state.revision:
        raise Refusal("nothing_to_export", "", "the catalog is empty; import something first")
    version: str | None = state.version
    if dataset is not None:
        version = queries.export_version(dataset)
        if version is None:
            raise Refusal("unknown_dataset", "", f"no dataset {dataset} holds any records here")
    names = tuple(sorted(set(repositories)))
    return Contents(
        version=version if version and parse_timestamp(version) else state.version,
        revision=state.revision,
        expected=None if dataset or names else state.records,
        dataset=dataset,
        repositories=names,
    )


def _hidden(dataset: str, repo: str | None) -> Iterator[queries.ExportRecord]:
    """The dataset's copies behind those of others, in the order of exports.

    The catalog has them by id. Their keys are sorted in a nameless file, since there may be as many as records.
    """
    with closing(sqlite3.connect("", isolation_level=None)) as keys:
        keys.execute(_KEYS)
        keys.execute("BEGIN")
        keys.executemany(
            "INSERT OR IGNORE INTO hidden VALUES (?, ?, ?)",
            (key for key in queries.hidden_keys(dataset) if repo in {None, key[0]}),
        )
        ordered = keys.execute("SELECT id FROM hidden ORDER BY repo, slug, id")
        while rows := ordered.fetchmany(_BATCH):
            yield from queries.hidden_records(dataset, [row[0] for row in rows])
