"""Terms, repositories, duplicate groups, tallies and totals against the records that they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.db import connection
from django.db.models import Sum

from kb.catalog.bulk import delete_by_key, insert_rows
from kb.catalog.counts import refresh_duplicates, refresh_repositories, refresh_terms
from kb.catalog.fetching import fetch_rows
from kb.catalog.finding_counts import tell_trend
from kb.catalog.models import FAMILY_LENGTH, CatalogState, FindingTally, FindingTrend, Holding, Repository, Term
from kb.catalog.verification.faults import Fault, Scope
from kb.records.text import fold

__all__ = ["check_duplicates", "check_repositories", "check_tallies", "check_terms", "check_totals", "check_trend"]

_CHUNK = 400
_LIVING = "retired_revision IS NULL"
# For each kind of term, its key, label, records and repositories, from the records.
_COUNTED = {
    kind: f"SELECT {column} AS k, MIN({label}) AS label, COUNT(*) AS records, COUNT(DISTINCT repo) AS repos"  # noqa: S608
    f" FROM catalog_record WHERE {_LIVING} AND {column} IS NOT NULL GROUP BY {column}"
    for kind, column, label in (
        ("family", "family", "family"),
        ("code", "code_key", "error_code"),
        ("class", "class_key", "error_class"),
    )
}
_COUNTED["tag"] = (
    "SELECT t.tag AS k, MIN(t.tag) AS label, COUNT(*) AS records, COUNT(DISTINCT r.repo) AS repos FROM"  # noqa: S608
    f" catalog_recordtag t JOIN catalog_record r ON r.id = t.record_id WHERE r.{_LIVING} GROUP BY t.tag"
)
_REPOSITORIES = (
    "SELECT p.full_name, p.record_count, COALESCE(c.n, 0) FROM catalog_repository p LEFT JOIN"  # noqa: S608
    f" (SELECT repo, COUNT(*) AS n FROM catalog_record WHERE {_LIVING} GROUP BY repo) c ON c.repo = p.full_name"
    " WHERE p.record_count <> COALESCE(c.n, 0) OR p.retired <> (COALESCE(c.n, 0) = 0) ORDER BY p.full_name"
)
_GROUPS = (
    f"SELECT duplicate_key FROM catalog_record WHERE {_LIVING} AND duplicate_key > %s"  # noqa: S608
    " GROUP BY duplicate_key HAVING COUNT(*) > 1 ORDER BY duplicate_key LIMIT %s"
)
_LONELY = (
    "SELECT r.id, r.duplicate_key FROM catalog_record r WHERE r.canonical_id IS NOT NULL AND"  # noqa: S608
    " (r.retired_revision IS NOT NULL OR NOT EXISTS (SELECT 1 FROM catalog_record o"
    f" WHERE o.duplicate_key = r.duplicate_key AND o.{_LIVING} AND o.id <> r.id)) ORDER BY r.id"
)
_TALLIES = "SELECT finding, repo, COUNT(*) FROM catalog_recordfinding GROUP BY finding, repo"
_STORED_TALLIES = "SELECT finding, repo, record_count FROM catalog_findingtally"


def check_terms(scope: Scope) -> Iterator[Fault]:
    """Families, codes, classes and tags with their counts. Two queries each."""
    for kind, counted in _COUNTED.items():
        missing = fetch_rows(
            f"SELECT c.k, c.records, c.repos, t.record_count, t.repository_count FROM ({counted}) c LEFT JOIN"  # noqa: S608
            " catalog_term t ON t.kind = %s AND t.key = c.k WHERE t.id IS NULL OR t.record_count <> c.records"
            " OR t.repository_count <> c.repos OR t.label <> c.label ORDER BY c.k",
            (kind,),
        )
        stale = fetch_rows(
            f"SELECT t.key FROM catalog_term t LEFT JOIN ({counted}) c ON c.k = t.key WHERE t.kind = %s"  # noqa: S608
            " AND c.k IS NULL ORDER BY t.key",
            (kind,),
        )
        wrong = {
            key: f"counted {told or 0} records of {have or 0} repositories instead of {records} of {repos}"
            for key, records, repos, told, have in missing
        }
        wrong.update((key, "counted, but no current record has it") for (key,) in stale)
        wrong.update((key, "its folded label is not that of its label") for key in _misfolded(kind) if key not in wrong)
        yield from (scope.fault("terms", f"{kind} {key}", message) for key, message in wrong.items())
        if wrong and scope.mend:
            refresh_terms({kind: set(wrong)})
            scope.shown = True


def _misfolded(kind: str) -> Iterator[str]:
    after = ""
    while True:
        found = list(
            Term.objects.filter(kind=kind, key__gt=after).order_by("key").values_list("key", "label", "folded")[:5000]
        )
        yield from (key for key, label, folded in found if fold(label)[:FAMILY_LENGTH] != folded)
        if len(found) < 5000:  # noqa: PLR2004 - the slice above
            return
        after = found[-1][0]


def check_repositories(scope: Scope) -> Iterator[Fault]:
    """The count of each repository, and whether it is retired. One query."""
    wrong = fetch_rows(_REPOSITORIES, ())
    for name, told, count in wrong:
        yield scope.fault("repositories", name, f"counted {told} current records instead of {count}")
    if wrong and scope.mend:
        refresh_repositories({row[0] for row in wrong})
        scope.shown = True


def check_duplicates(scope: Scope) -> Iterator[Fault]:
    """The record that stands for each group of duplicates. One query for each 400 groups, and two more."""
    lonely = fetch_rows(_LONELY, ())
    for record_id, _ in lonely:
        yield scope.fault("duplicates", record_id, "it stands behind another record, and has no current duplicate")
    if lonely and scope.mend:
        _clear([record_id for record_id, _ in lonely])
        scope.shown = True
    after = ""
    while True:
        keys = [row[0] for row in fetch_rows(_GROUPS, (after, _CHUNK))]
        wrong = set()
        for key, record_id, message in _misplaced(keys):
            wrong.add(key)
            yield scope.fault("duplicates", record_id, message)
        if wrong and scope.mend:
            refresh_duplicates(wrong)
            scope.shown = True
        if len(keys) < _CHUNK:
            return
        after = keys[-1]


def _clear(ids: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE catalog_record SET canonical_id = NULL WHERE id = %s", [(pk,) for pk in ids])


def _misplaced(keys: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Group, id and fault of each member that stands behind the wrong record."""
    if not keys:
        return
    marks = ", ".join(["%s"] * len(keys))
    rows = fetch_rows(
        "SELECT duplicate_key, findings, LENGTH(documentation), id, canonical_id FROM catalog_record"  # noqa: S608
        f" WHERE {_LIVING} AND duplicate_key IN ({marks}) ORDER BY duplicate_key, id",
        keys,
    )
    groups: dict[str, list[tuple[int, int, str, str | None]]] = {}
    for key, findings, length, record_id, canonical in rows:
        groups.setdefault(key, []).append((_number_of(findings), -length, record_id, canonical))
    for key, members in groups.items():
        best = min(members, key=lambda member: member[:3])[2]
        for *_, record_id, canonical in members:
            wanted = None if record_id == best else best
            if canonical != wanted:
                yield key, record_id, f"stands behind {canonical or 'no record'} instead of {wanted or 'none'}"


def _number_of(findings: str) -> int:
    try:
        return len(msgspec.json.decode(findings, type=list[str]))
    except msgspec.MsgspecError:
        return 0


def check_tallies(scope: Scope) -> Iterator[Fault]:
    """How many records of each repository have each finding. Two queries."""
    counted = {(finding, repo): count for finding, repo, count in fetch_rows(_TALLIES, ())}
    stored = {(finding, repo): count for finding, repo, count in fetch_rows(_STORED_TALLIES, ())}
    wrong = sorted(key for key in counted.keys() | stored.keys() if counted.get(key) != stored.get(key))
    for finding, repo in wrong:
        message = f"counted {stored.get((finding, repo), 0)} records instead of {counted.get((finding, repo), 0)}"
        yield scope.fault("tallies", f"{finding} in {repo}", message)
    if wrong and scope.mend:
        for finding, repo in wrong:
            delete_by_key("catalog_findingtally", "repo", [repo], extra="AND finding = %s", params=(finding,))
        lines = [(*key, counted[key]) for key in wrong if key in counted]
        insert_rows("catalog_findingtally", ("finding", "repo", "record_count"), lines)
        scope.shown = True


def check_trend(scope: Scope) -> Iterator[Fault]:
    """What is written down of findings at the current revision. Three queries."""
    state = CatalogState.objects.filter(pk=1).first()
    if state is None or not state.revision:
        return
    told = dict(FindingTrend.objects.filter(revision=state.revision).values_list("finding", "record_count"))
    sums = FindingTally.objects.values_list("finding").annotate(Sum("record_count"))
    counted = dict(sums.order_by("finding"))
    for finding in sorted(told.keys() | counted.keys()):
        if told.get(finding) != counted.get(finding):
            message = f"told {told.get(finding, 0)} records at revision {state.revision}, not {counted.get(finding, 0)}"
            yield scope.fault("trend", finding, message)
    if told != counted and scope.mend:
        FindingTrend.objects.filter(revision=state.revision).delete()
        tell_trend(state.revision, records=state.records)
        scope.shown = True


def check_totals(scope: Scope) -> Iterator[Fault]:
    """The totals beside the current revision. Five queries."""
    state = CatalogState.objects.filter(pk=1).first()
    if state is None:
        return
    truth: dict[str, Any] = {
        "records": fetch_rows(f"SELECT COUNT(*) FROM catalog_record WHERE {_LIVING}", ())[0][0],  # noqa: S608
        "repositories": Repository.objects.filter(retired=False).count(),
        "families": Term.objects.filter(kind="family").count(),
        "datasets": Holding.objects.values("dataset_id").distinct().count(),
    }
    wrong = {name: count for name, count in truth.items() if getattr(state, name) != count}
    for name, count in wrong.items():
        yield scope.fault("totals", name, f"counted {getattr(state, name)} instead of {count}")
    if wrong and scope.mend:
        CatalogState.objects.filter(pk=1).update(**wrong)
        scope.shown = True
