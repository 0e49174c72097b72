"""Reads of single records, by id, slug or code, and of what is near them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kb.catalog.answers import RecordRow, RecordView, Related, SlugAnswer
from kb.catalog.fetching import fetch_keys, fetch_lines, fetch_records
from kb.catalog.models import Holding, Record
from kb.catalog.rows import ROW_FIELDS, fold_code, folded_name, place_key, record_view, row_of
from kb.catalog.snapshots import state
from kb.records.findings import duplicate_key

__all__ = [
    "content_hash_of",
    "holders",
    "iter_records",
    "last_changed",
    "record_addresses",
    "record_by_id",
    "record_by_slug",
    "record_rows",
    "records_by_ids",
    "records_of_code",
    "related",
    "repository_of_slug",
    "sample_rows",
]

_MOST_IDS = 500


def _marks(values: Sequence[str]) -> str:
    return ", ".join(["%s"] * len(values))


def record_by_id(record_id: str) -> RecordView | None:
    """The record with this id, retired ones included. One query, and one more where there are several datasets."""
    rows = fetch_records("r.id = %s", (record_id,))
    return _alone(rows[0]) if rows else None


def _alone(row: Record) -> RecordView:
    """One record with the other datasets that hold it; where there is one dataset there are none."""
    view = record_view(row)
    if state().datasets <= 1:
        return view
    return replace(view, holders=tuple(name for name in holders(view.record.id) if name != view.dataset))


def content_hash_of(record_id: str) -> str | None:
    """The content hash of a record, for an entity tag made before the record is read. One light query."""
    return Record.objects.filter(pk=record_id).values_list("content_hash", flat=True).first()


def records_by_ids(ids: Sequence[str]) -> tuple[RecordView, ...]:
    """The records with these ids in the order asked; unknown ones are left out. One query for each 500 ids."""
    found: dict[str, RecordView] = {}
    for start in range(0, len(ids), _MOST_IDS):
        some = ids[start : start + _MOST_IDS]
        rows = fetch_records(f"r.id IN ({_marks(some)})", some) if some else ()
        found.update((row.pk, record_view(row)) for row in rows)
    return tuple(found[record_id] for record_id in ids if record_id in found)


def record_rows(ids: Sequence[str]) -> tuple[RecordRow, ...]:
    """Lines of a list for at most 500 ids, in the order asked; unknown ones are left out. One query."""
    some = ids[:_MOST_IDS]
    if not some:
        return ()
    rows = fetch_lines(f"SELECT {{line}} FROM catalog_record WHERE id IN ({_marks(some)})", some)  # noqa: S608  marks only
    found = {values[0]: row_of(values) for values, _ in rows}
    return tuple(found[record_id] for record_id in ids if record_id in found)


def sample_rows(limit: int) -> tuple[RecordRow, ...]:
    """Lines of a few current records of any repository, the same few until the catalog changes. One query.

    Ids are digits of a digest, so those that come first are a fair sample.
    """
    statement = "SELECT {line} FROM catalog_record WHERE retired_revision IS NULL ORDER BY id LIMIT %s"
    return tuple(row_of(values) for values, _ in fetch_lines(statement, (limit,)))


# Databases sort NULL first or last as they like, so an order names its place.
_OWNERS = "r.repo = %s AND r.slug = %s ORDER BY r.retired_revision IS NULL DESC, r.retired_revision DESC, r.id"
_LEFT = (
    "SELECT {line}, until FROM catalog_record JOIN (SELECT record_id, max(until_revision) AS until"
    " FROM catalog_slughistory WHERE repo = %s AND slug = %s GROUP BY record_id) AS left_by ON record_id = id"
    " ORDER BY until DESC, id LIMIT 500"
)


def record_by_slug(owner: str, name: str, slug: str) -> SlugAnswer:
    """Who owns a slug of a repository, and who had it before (decisions 3). At most three queries.

    The owner is the record that is not retired, else the one retired last: its page stays until another record takes
    the slug.
    """
    repo = f"{owner}/{name}"
    rows = fetch_records(_OWNERS, (repo, slug))
    current = rows[0] if rows else None
    left = (row_of(values) for values, _ in fetch_lines(_LEFT, (repo, slug)))
    others = {row.id: row for row in (*(record_view(row).row for row in rows[1:]), *left)}
    if current is not None:
        others.pop(current.pk, None)
    return SlugAnswer(current=_alone(current) if current else None, former=tuple(others.values()))


_HAD = " UNION ".join(
    f"SELECT t.repo FROM catalog_repository p JOIN {table} t ON t.repo = p.full_name"  # noqa: S608 - our own words
    " WHERE p.folded_name = %s AND t.slug = %s"
    for table in ("catalog_record", "catalog_slughistory")
)


def repository_of_slug(owner: str, name: str, slug: str) -> str | None:
    """The full name of the repository that has or had this slug, whatever the case of the name asked for. One query.

    Of several that differ in case the one of exactly this name is preferred.
    """
    repo = f"{owner}/{name}"
    found = sorted(fetch_keys(_HAD, (folded_name(repo), slug) * 2))
    return repo if repo in found else next(iter(found), None)


def record_addresses(first: str, end: str, *, limit: int) -> tuple[tuple[str, str, str], ...]:
    """(repository, slug, time of the last change as written) of current records, ``first <= id < end``. One query."""
    chosen = Record.objects.filter(pk__gte=first, pk__lt=end, retired_revision__isnull=True).order_by("pk")[:limit]
    rows = chosen.values_list("repository__full_name", "slug", "content_changed_at", "analyzed_at")
    return tuple((repo, slug, changed or analyzed) for repo, slug, changed, analyzed in rows)


def records_of_code(code: str, limit: int = 50) -> tuple[RecordRow, ...]:
    """Current records with this error code, whatever its case. One query."""
    rows = Record.objects.filter(code_fold=fold_code(code), retired_revision__isnull=True)
    return tuple(row_of(values) for values in rows.order_by("repository_id", "slug")[:limit].values_list(*ROW_FIELDS))


def last_changed(family: str, limit: int) -> tuple[tuple[RecordRow, int, str], ...]:
    """Current records of a family, those of the newest revisions first. One query.

    With each the revision that changed it last, and the time of its content as its dataset wrote it.
    """
    rows = Record.objects.filter(family=family, retired_revision__isnull=True).order_by("-changed_revision", "pk")
    told = rows[:limit].values_list(*ROW_FIELDS, "changed_revision", "content_changed_at", "analyzed_at")
    return tuple((row_of(values[:-3]), values[-3], values[-2] or values[-1]) for values in told)


def holders(record_id: str) -> tuple[str, ...]:
    """Names of the datasets that hold a record, the first in priority first. One query."""
    rows = Holding.objects.filter(record_id=record_id).order_by(
        "-dataset__trusted", "-dataset__priority", "dataset__name"
    )
    return tuple(rows.values_list("dataset__name", flat=True))


# One sub-select for each way to be near; each is one range of one index, whatever the size of the catalog.
_PARTS = (
    ("family = %(family)s AND repo <> %(repo)s", "family, repo, slug"),
    ("code_key = %(code)s AND id <> %(id)s", "code_key, repo, slug"),
    ("class_key = %(class)s AND repo <> %(repo)s", "class_key, repo, slug"),
    ("place_key = %(place)s AND id <> %(id)s", "line_number IS NULL, line_number, id"),
    ("duplicate_key = %(duplicate)s AND id <> %(id)s", "id"),
)
_NEAR = " UNION ALL ".join(
    f"SELECT * FROM (SELECT {{line}}, {part} AS part FROM catalog_record"  # noqa: S608 - our own words
    f" WHERE {condition} AND retired_revision IS NULL ORDER BY {order} LIMIT %(limit)s) AS part{part}"
    for part, (condition, order) in enumerate(_PARTS, 1)
)


def related(view: RecordView, limit: int = 6) -> Related:
    """Current records near this one, at most ``limit`` of each kind. One query."""
    record = view.record
    rows = fetch_lines(
        _NEAR,
        {
            "family": record.background_tag,
            "repo": record.repo,
            "code": view.code_key,
            "class": view.class_key,
            "place": place_key(record.repo, record.file_path),
            "duplicate": duplicate_key(record),
            "id": record.id,
            "limit": limit,
        },
    )
    parts: dict[int, list[RecordRow]] = {part: [] for part in range(1, 6)}
    for values, (part,) in rows:
        parts[part].append(row_of(values))
    alike = {row.id: row for row in (*parts[2], *parts[3])}
    return Related(
        family=tuple(parts[1]), alike=tuple(alike.values())[:limit], file=tuple(parts[4]), duplicates=tuple(parts[5])
    )


def iter_records(*, after: str = "", batch: int = 1000) -> Iterator[RecordView]:
    """Every record, retired ones included, in the order of ids; one query a batch, none is left open."""
    while True:
        rows = fetch_records("r.id > %s ORDER BY r.id LIMIT %s", (after, batch))
        yield from map(record_view, rows)
        if len(rows) < batch:
            return
        after = rows[-1].pk
