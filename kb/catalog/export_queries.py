"""What an export reads: records as the JSON that their dataset had, in batches that leave no query open.

The JSON of a shown record is put together from its row, without making a record of it: columns that hold JSON are
spliced in as they are stored. The bytes are those of ``kb.records.encode.encode_json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from kb.catalog.contents import unpack
from kb.catalog.fetching import fetch_rows
from kb.catalog.models import Article, Dataset, Holding, Repository
from kb.records.documents import RepositoryInfo
from kb.records.encode import encode_json
from kb.records.record import Record
from kb.records.rules import FIELDS, attribute_of

__all__ = [
    "ExportArticle",
    "ExportRecord",
    "export_articles",
    "export_records",
    "export_repositories",
    "export_version",
    "hidden_keys",
    "hidden_records",
    "raw_records",
]

_MOST_IDS = 500
_ARTICLES_AT_ONCE = 100
_BATCH_BYTES = 2_000_000
_SMALLEST, _LARGEST = 10, 1_000  # records a batch


class ExportRecord(NamedTuple):
    """One record: ``raw`` is its compact JSON, ``tags`` the JSON of its tags; the rest is what an index names."""

    repo: str
    slug: str
    id: str
    code: str | None
    message: str
    pattern: str
    type: str
    cls: str | None
    severity: str
    tags: bytes
    raw: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        """What exports are ordered by."""
        return self.repo, self.slug, self.id


class ExportArticle(NamedTuple):
    """One background article; ``raw`` is its compact JSON."""

    slug: str
    raw: bytes


# --- records as they are shown ----------------------------------------------------------------------------------------

_COLUMN_NAMES = {"repo": "repo", "backgroundTag": "family"}
_NAMES = tuple(field.name for field in FIELDS)
_COLUMNS = tuple(_COLUMN_NAMES.get(name, attribute_of(name)) for name in _NAMES)
_JSON_PLACES = tuple(place for place, field in enumerate(FIELDS) if field.kind == "strings")
_INDEXED = ("repo", "slug", "id", "errorCode", "errorMessage", "messagePattern", "errorType", "errorClass", "severity")
_INDEXED_PLACES = tuple(_NAMES.index(name) for name in _INDEXED)
_TAGS_PLACE = _NAMES.index("tags")
_SELECT = f"SELECT {', '.join(_COLUMNS)}, absent, extra FROM catalog_record WHERE "  # noqa: S608  our own words
_encode = msgspec.json.Encoder().encode
_decode_names = msgspec.json.Decoder(list[str]).decode
_decode_extra = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _exported(row: Sequence[Any]) -> ExportRecord:
    *stored, absent, extra = row
    indexed = [stored[place] for place in _INDEXED_PLACES]
    tags = stored[_TAGS_PLACE].encode()
    for place in _JSON_PLACES:
        stored[place] = msgspec.Raw(stored[place].encode())
    fields = dict(zip(_NAMES, stored, strict=True))
    if absent != "[]":
        for name in _decode_names(absent):
            del fields[name]
    if extra != "{}":
        fields |= _decode_extra(extra)
    return ExportRecord._make((*indexed, tags, _encode(fields)))


def export_records(*, repo: str | None = None, dataset: str | None = None) -> Iterator[ExportRecord]:
    """Current records by repository, slug and id: of one repository, and shown from one dataset, where that is asked.

    One query for each 2 MB or so; none is left open.
    """
    conditions, given = ["retired_revision IS NULL"], []
    if repo is not None:
        conditions.append("repo = %s")
        given.append(repo)
    if dataset is not None:
        conditions.append("dataset_id = (SELECT id FROM catalog_dataset WHERE name = %s)")
        given.append(dataset)
    statement = (
        f"{_SELECT}{' AND '.join(conditions)} AND (repo, slug, id) > (%s, %s, %s) ORDER BY repo, slug, id LIMIT %s"
    )
    after: tuple[str, ...] = ("", "", "")
    limit = _SMALLEST
    while True:
        found = [_exported(row) for row in fetch_rows(statement, (*given, *after, limit))]
        yield from found
        if len(found) < limit:
            return
        after = found[-1].key
        limit = _next_limit(limit, sum(len(record.raw) for record in found))


def _next_limit(limit: int, size: int) -> int:
    """How many records the next batch takes, after one of ``limit`` records with ``size`` bytes."""
    fitting = _BATCH_BYTES * limit // max(size, 1)
    return max(_SMALLEST, min(fitting, limit * 4, _LARGEST))


def raw_records(ids: Sequence[str]) -> tuple[bytes, ...]:
    """The JSON of these records, retired ones included, in the order asked; unknown ones are left out. At most 500 ids.
    One query.
    """
    some = ids[:_MOST_IDS]
    if not some:
        return ()
    marks = ", ".join(["%s"] * len(some))
    found = {record.id: record.raw for record in map(_exported, fetch_rows(f"{_SELECT}id IN ({marks})", some))}
    return tuple(found[record_id] for record_id in some if record_id in found)


# --- copies behind others ---------------------------------------------------------------------------------------------


def hidden_keys(dataset: str) -> Iterator[tuple[str, str, str]]:
    """Repository, slug and id of the copies that a dataset has while another one's is shown, in the order of ids.

    One query a batch; none is left open.
    """
    rows = Holding.objects.filter(dataset__name=dataset, content__isnull=False).order_by("record_id")
    after = ""
    while True:
        found = list(rows.filter(record_id__gt=after).values_list("record_id", "content")[:_MOST_IDS])
        for _, content in found:
            record = unpack(content or b"")
            yield record.repo, record.slug, record.id
        if len(found) < _MOST_IDS:
            return
        after = found[-1][0]


def hidden_records(dataset: str, ids: Sequence[str]) -> tuple[ExportRecord, ...]:
    """These copies in the order asked; at most 500 ids. One query."""
    some = ids[:_MOST_IDS]
    rows = Holding.objects.filter(dataset__name=dataset, record_id__in=some, content__isnull=False)
    found = {
        record_id: _of_record(unpack(content or b"")) for record_id, content in rows.values_list("record_id", "content")
    }
    return tuple(found[record_id] for record_id in some if record_id in found)


def _of_record(record: Record) -> ExportRecord:
    return ExportRecord(
        repo=record.repo,
        slug=record.slug,
        id=record.id,
        code=record.error_code,
        message=record.error_message,
        pattern=record.message_pattern,
        type=record.error_type,
        cls=record.error_class,
        severity=record.severity,
        tags=_encode(record.tags),
        raw=encode_json(record),
    )


# --- the other documents ----------------------------------------------------------------------------------------------


def export_version(dataset: str) -> str | None:
    """The version of a dataset, empty when its sources named none; ``None`` for a dataset that holds nothing.
    Two light queries.
    """
    row = Dataset.objects.filter(name=dataset).first()
    return row.version if row is not None and Holding.objects.filter(dataset=row).exists() else None


def export_repositories(names: Sequence[str], *, dataset: str | None = None) -> dict[str, RepositoryInfo]:
    """What is said of these repositories, by name; with ``dataset`` only what that dataset said. At most 500 names.
    One query.

    Of a repository that nobody described, only its commit is known; the rest is null or absent.
    """
    rows = Repository.objects.filter(full_name__in=names[:_MOST_IDS]).select_related("dataset")
    return {row.full_name: _repository(row, dataset) for row in rows}


def _repository(row: Repository, dataset: str | None) -> RepositoryInfo:
    said_by = row.dataset.name if row.dataset is not None else None
    if dataset is not None and said_by not in {dataset, None}:
        return RepositoryInfo(repo=row.full_name, absent=frozenset(_DESCRIBED) - _NULLABLE)
    values = {
        name: getattr(row, attribute) or None if attribute in _TEXTS else getattr(row, attribute)
        for name, attribute in _DESCRIBED.items()
    }
    unsaid = {name for name, value in values.items() if value is None} - _NULLABLE
    return RepositoryInfo(
        repo=row.full_name,
        absent=frozenset(unsaid),
        extra=row.extra,
        **{_DESCRIBED[name]: value for name, value in values.items()},
    )


_DESCRIBED = {
    name: attribute_of(name)
    for name in ("description", "language", "stars", "sourceFiles", "defaultBranch", "analyzedSha", "analyzedAt")
}
_TEXTS = frozenset({"analyzed_sha", "analyzed_at"})  # empty where nothing is known
_NULLABLE = frozenset({"description", "language", "sourceFiles"})


def export_articles(*, dataset: str | None = None) -> Iterator[ExportArticle]:
    """Background articles by slug, of one dataset or as they are shown. One light query, and one for each 100.

    Where datasets write about the same, or name articles alike, the article of the one that ranks first is given.
    """
    rows = Article.objects.order_by("-dataset__trusted", "-dataset__priority", "dataset__name", "slug")
    if dataset is not None:
        rows = rows.filter(dataset__name=dataset)
    subjects: dict[str, int] = {}
    chosen: dict[str, int] = {}
    for pk, dataset_id, slug, cluster in rows.values_list("pk", "dataset_id", "slug", "cluster_key"):
        if subjects.setdefault(cluster, dataset_id) == dataset_id:
            chosen.setdefault(slug, pk)
    slugs = sorted(chosen)
    for start in range(0, len(slugs), _ARTICLES_AT_ONCE):
        keys = [chosen[slug] for slug in slugs[start : start + _ARTICLES_AT_ONCE]]
        marks = ", ".join(["%s"] * len(keys))
        statement = f"SELECT slug, content FROM catalog_article WHERE id IN ({marks})"  # noqa: S608  marks only
        yield from (ExportArticle(slug, content.encode()) for slug, content in sorted(fetch_rows(statement, keys)))
