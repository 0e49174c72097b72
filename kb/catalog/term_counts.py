"""Counts of terms and repositories brought up to date by what changed, at a cost that follows the change.

A record that comes, goes or changes adds to or takes from the counts of its terms. How many repositories a term is in
changes only when a repository gets its first record of the term or loses its last: that alone is looked up.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from django.db import connection

from kb.catalog.bulk import delete_by_key, upsert_rows
from kb.catalog.counts import refresh_terms
from kb.catalog.models import FAMILY_LENGTH, Repository, Term
from kb.records.text import fold

__all__ = ["MOST_CHANGES", "TermChanges", "apply_changes", "move_repository_counts"]

_T = TypeVar("_T")
MOST_CHANGES: Final = 300_000
"""So many terms of repositories can change; beyond that all touched terms are counted again."""
_CHUNK: Final = 300  # three values each; SQLite takes 999 in one statement
_COLUMNS = ("kind", "key", "label", "folded", "record_count", "repository_count")
_Place = tuple[str, str]  # a key and a repository

# How many current records of a key a repository has, counted no further than is asked.
_PLACES: Final[Mapping[str, str]] = {
    "family": "SELECT 1 FROM catalog_record r WHERE r.family = w.key AND r.repo = w.repo",
    "code": "SELECT 1 FROM catalog_record r WHERE r.code_key = w.key AND r.repo = w.repo",
    "class": "SELECT 1 FROM catalog_record r WHERE r.class_key = w.key AND r.repo = w.repo",
    "tag": "SELECT 1 FROM catalog_recordtag t JOIN catalog_record r ON r.id = t.record_id"
    " WHERE t.tag = w.key AND t.repo = w.repo",
}


class TermChanges:
    """By how much the counts change: of (kind, key, repository), and of repositories."""

    def __init__(self) -> None:
        self.places: collections.Counter[tuple[str, str, str]] = collections.Counter()
        self.repositories: collections.Counter[str] = collections.Counter()

    def add(self, terms: Iterable[tuple[str, str]], repo: str, by: int) -> None:
        """One record with these terms (kind, key), each once, comes (1) or goes (-1)."""
        self.repositories[repo] += by
        for kind, key in terms:
            self.places[kind, key, repo] += by

    @property
    def too_many(self) -> bool:
        """Whether counting again costs less."""
        return len(self.places) > MOST_CHANGES

    def by_kind(self) -> dict[str, dict[_Place, int]]:
        """What changes, by kind of term."""
        found: dict[str, dict[_Place, int]] = {}
        for (kind, key, repo), by in self.places.items():
            if by:
                found.setdefault(kind, {})[key, repo] = by
        return found


def apply_changes(changes: TermChanges, labels: Mapping[str, Mapping[str, str]]) -> None:
    """Brings the terms up to date after the records were written. ``labels`` maps a kind to keys and their labels."""
    for kind, places in changes.by_kind().items():
        _apply(kind, places, labels[kind])
    _count_relabeled(labels)


def _apply(kind: str, places: Mapping[_Place, int], labels: Mapping[str, str]) -> None:
    records: collections.Counter[str] = collections.Counter()
    repositories = _moves(kind, places)
    for (key, _), by in places.items():
        records[key] += by
    for chunk in _chunks(sorted(records)):
        known = {row.key: row for row in Term.objects.filter(kind=kind, key__in=chunk)}
        rows, gone = [], []
        for key in chunk:
            row = known.get(key)
            count = records[key] + (row.record_count if row else 0)
            label = row.label if row else labels[key]
            spread = repositories[key] + (row.repository_count if row else 0)
            if count > 0:
                rows.append((kind, key, label, fold(label)[:FAMILY_LENGTH], count, spread))
            else:
                gone.append(key)
        upsert_rows("catalog_term", _COLUMNS, ("kind", "key"), rows)
        delete_by_key("catalog_term", "key", gone, extra="AND kind = %s", params=(kind,))


def _moves(kind: str, places: Mapping[_Place, int]) -> collections.Counter[str]:
    """By how many repositories the spread of each key changes."""
    by_limit: dict[int, list[_Place]] = {}
    for place, by in places.items():
        by_limit.setdefault(max(by, 0) + 1, []).append(place)
    moves: collections.Counter[str] = collections.Counter()
    for limit, wanted in by_limit.items():
        for chunk in _chunks(sorted(wanted)):
            for key, repo, now in _count(kind, chunk, limit):
                by = places[key, repo]
                if now == max(by, 0):  # nothing but what came is there, or nothing at all is left
                    moves[key] += 1 if by > 0 else -1
    return moves


def _count(kind: str, chunk: Sequence[_Place], limit: int) -> list[tuple[str, str, int]]:
    marks = ", ".join(["(%s, %s)"] * len(chunk))
    statement = (
        f"WITH w(key, repo) AS (VALUES {marks}) SELECT w.key, w.repo, (SELECT COUNT(*) FROM"  # noqa: S608 - own names
        f" ({_PLACES[kind]} AND r.retired_revision IS NULL LIMIT {limit}) AS found) FROM w"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [text for place in chunk for text in place])
        return list(cursor.fetchall())


def _count_relabeled(labels: Mapping[str, Mapping[str, str]]) -> None:
    """Counts those terms again whose label is not the one that their records have: several labels can have one key."""
    for kind, wanted in labels.items():
        odd: list[str] = []
        for chunk in _chunks(sorted(wanted)):
            rows = Term.objects.filter(kind=kind, key__in=chunk).values_list("key", "label")
            odd += [key for key, label in rows if label != wanted[key]]
        if odd:
            refresh_terms({kind: odd})


def move_repository_counts(changes: Mapping[str, int], touched: Iterable[str]) -> None:
    """Adds to the record counts of the touched repositories; one without any is retired."""
    for chunk in _chunks(sorted(set(touched).union(changes))):
        rows = []
        for row in Repository.objects.filter(full_name__in=chunk):
            count = row.record_count + changes.get(row.full_name, 0)
            if (row.record_count, row.retired) != (count, count == 0):
                row.record_count, row.retired = count, count == 0
                rows.append(row)
        Repository.objects.bulk_update(rows, ["record_count", "retired"], batch_size=200)


def _chunks(keys: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(keys), _CHUNK):
        yield keys[start : start + _CHUNK]
