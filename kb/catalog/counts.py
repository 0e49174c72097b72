"""Counts and groups that a publication brings up to date for what it touched: terms, repositories, duplicate groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models.functions import Length

from kb.catalog.bulk import delete_by_key, insert_rows, upsert_rows
from kb.catalog.models import FAMILY_LENGTH, Record, Repository
from kb.records.text import fold

__all__ = [
    "count_terms",
    "find_duplicates",
    "inform_planner",
    "refresh_duplicates",
    "refresh_repositories",
    "refresh_terms",
]

_CHUNK = 400
_TERM_COLUMNS = ("kind", "key", "label", "folded", "record_count", "repository_count")

# For each kind of term: where it stands, the column of its key, and the expression of its label.
_SOURCES: dict[str, tuple[str, str, str, str]] = {
    "family": ("catalog_record", "family", "family", "repo"),
    "code": ("catalog_record", "code_key", "MIN(error_code)", "repo"),
    "class": ("catalog_record", "class_key", "MIN(error_class)", "repo"),
    "tag": (
        "catalog_recordtag JOIN catalog_record ON catalog_record.id = catalog_recordtag.record_id",
        "catalog_recordtag.tag",
        "catalog_recordtag.tag",
        "catalog_record.repo",
    ),
}


def _chunks(keys: Collection[str]) -> Iterator[list[str]]:
    ordered = sorted(keys)
    for start in range(0, len(ordered), _CHUNK):
        yield ordered[start : start + _CHUNK]


def _select(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def inform_planner() -> None:
    """Gives PostgreSQL statistics of the rows that came in this transaction, which sees them before anyone else does.

    Without any, a chunk of keys looks to it like most of the table, and it reads all of that for each chunk. SQLite
    takes the index without being told.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE catalog_record, catalog_recordtag")


# The same where no record is retired: an index has all that is counted.
_ALL: dict[str, tuple[str, str]] = {
    "family": ("catalog_record", "family"),
    "code": ("catalog_record", "code_key"),
    "class": ("catalog_record", "class_key"),
    "tag": ("catalog_recordtag", "tag"),
}


def count_terms(labels: Mapping[str, Mapping[str, str]]) -> None:
    """Counts all terms of a catalog that had none, in which no record is retired. ``labels`` maps a kind to keys and
    their labels.
    """
    for kind, (table, key) in _ALL.items():
        counted = _select(
            f"SELECT {key}, COUNT(*), COUNT(DISTINCT repo) FROM {table}"  # noqa: S608 - own names
            f" WHERE {key} IS NOT NULL GROUP BY {key} ORDER BY {key}",
            (),
        )
        known = labels[kind]
        insert_rows(
            "catalog_term",
            _TERM_COLUMNS,
            [(kind, name, known[name], fold(known[name])[:FAMILY_LENGTH], *counts) for name, *counts in counted],
        )


def find_duplicates() -> None:
    """Chooses the canonical record of all groups of a catalog in which none was chosen and no record is retired."""
    several = "SELECT duplicate_key FROM catalog_record GROUP BY duplicate_key HAVING COUNT(*) > 1"
    keys = [row[0] for row in _select(several, ())]
    refresh_duplicates(keys)


def refresh_terms(touched: Mapping[str, Collection[str]]) -> None:
    """Counts the touched terms again. ``touched`` maps a kind to keys. Terms without a current record go."""
    for kind, keys in touched.items():
        source, key, label, repo = _SOURCES[kind]
        for chunk in _chunks(keys):
            marks = ", ".join(["%s"] * len(chunk))
            rows = _select(
                f"SELECT {key}, {label}, COUNT(*), COUNT(DISTINCT {repo}) FROM {source}"  # noqa: S608 - own names
                f" WHERE retired_revision IS NULL AND {key} IN ({marks}) GROUP BY {key}",
                chunk,
            )
            upsert_rows(
                "catalog_term",
                _TERM_COLUMNS,
                ("kind", "key"),
                [(kind, name, text, fold(text)[:FAMILY_LENGTH], records, repos) for name, text, records, repos in rows],
            )
            gone = sorted(set(chunk) - {row[0] for row in rows})
            delete_by_key("catalog_term", "key", gone, extra="AND kind = %s", params=(kind,))


def refresh_repositories(touched: Collection[str]) -> None:
    """Counts the current records of the touched repositories again; one without any is retired."""
    for chunk in _chunks(touched):
        marks = ", ".join(["%s"] * len(chunk))
        counted: dict[str, int] = dict(
            _select(
                f"SELECT repo, COUNT(*) FROM catalog_record WHERE retired_revision IS NULL AND repo IN ({marks})"  # noqa: S608
                " GROUP BY repo",
                chunk,
            )
        )
        rows = list(Repository.objects.filter(full_name__in=chunk))
        for row in rows:
            row.record_count = counted.get(row.full_name, 0)
            row.retired = row.record_count == 0
        Repository.objects.bulk_update(rows, ["record_count", "retired"], batch_size=200)


def refresh_duplicates(touched: Collection[str]) -> None:
    """Chooses the canonical record of each touched duplicate group: fewest findings, longest documentation, then id."""
    for chunk in _chunks(touched):
        groups: dict[str, list[tuple[int, int, str, str | None]]] = {}
        living = Record.objects.filter(duplicate_key__in=chunk, retired_revision__isnull=True)
        columns = living.values_list("duplicate_key", "findings", Length("documentation"), "id", "canonical_id")
        for key, found, length, record_id, canonical in columns:
            groups.setdefault(key, []).append((len(found), -length, record_id, canonical))
        moves: list[tuple[str | None, str]] = []
        for members in groups.values():
            best = min(members)[2]
            for *_, record_id, canonical in members:
                wanted = best if len(members) > 1 and record_id != best else None
                if canonical != wanted:
                    moves.append((wanted, record_id))
        if moves:
            with connection.cursor() as cursor:
                cursor.executemany("UPDATE catalog_record SET canonical_id = %s WHERE id = %s", moves)
