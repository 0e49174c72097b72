"""Lists of records and repositories, paged by key: the last page costs what the first one does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any, Final

from django.db.models import Q, QuerySet

from kb.catalog.answers import ListOrder, Page, RecordFilter, RecordRow, RecordView, RepositorySort, RepositoryView
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.keysets import Place, SortKey, keyset_page
from kb.catalog.models import Record, Repository
from kb.catalog.rows import ROW_FIELDS, fold_code, folded_name, record_view, repository_view, row_of
from kb.records.keys import url_key
from kb.records.text import fold

__all__ = ["list_ids", "list_records", "list_rows", "repositories", "repository", "top_repositories"]


def list_rows(filters: RecordFilter, *, cursor: str | None = None, limit: int = 25) -> Page[RecordRow]:
    """Records as lines, by repository, slug and id. One query. Raises ``BadCursor``."""
    chosen, mark = _page(filters, cursor, "rows")
    values = list(chosen[: limit + 1].values_list(*ROW_FIELDS))
    rows = tuple(row_of(row) for row in values[:limit])
    more = len(values) > limit
    return Page(items=rows, next=encode_cursor(mark, (rows[-1].repo, rows[-1].slug, rows[-1].id)) if more else None)


def list_records(filters: RecordFilter, *, cursor: str | None = None, limit: int = 25) -> Page[RecordView]:
    """Whole records in the same order. One query. Raises ``BadCursor``."""
    chosen, mark = _page(filters, cursor, "records")
    found = list(chosen.select_related("repository", "dataset")[: limit + 1])
    views = tuple(record_view(row) for row in found[:limit])
    more = len(found) > limit
    last = found[limit - 1] if more else None
    return Page(items=views, next=encode_cursor(mark, (last.repository_id, last.slug, last.pk)) if last else None)


def list_ids(filters: RecordFilter, *, cursor: str | None = None, limit: int = 25) -> Page[str]:
    """The ids of records in the same order. One light query. Raises ``BadCursor``."""
    chosen, mark = _page(filters, cursor, "ids")
    rows = list(chosen[: limit + 1].values_list("repository__full_name", "slug", "pk"))
    more = len(rows) > limit
    return Page(
        items=tuple(row[2] for row in rows[:limit]), next=encode_cursor(mark, rows[limit - 1]) if more else None
    )


def _page(filters: RecordFilter, cursor: str | None, kind: str) -> tuple[QuerySet[Record], str]:
    mark = signature(kind, astuple(filters))
    keys = ("catalog_recordtag.repo", "catalog_recordtag.slug", "catalog_recordtag.record_id")
    order: Sequence[str] = ("tag_rows__repo", "tag_rows__slug", "tag_rows__record_id")
    if not filters.tag:
        keys = ("catalog_record.repo", "catalog_record.slug", "catalog_record.id")
        order = ("repository_id", "slug", "id")
    chosen = _filtered(filters).order_by(*order)
    if cursor:
        after = decode_cursor(mark, cursor, (str, str, str))
        # A row comparison is one range of the index on both databases; the same spelt with OR is not.
        chosen = chosen.extra(where=[f"({', '.join(keys)}) > (%s, %s, %s)"], params=after)  # noqa: S610 - fixed column names
    return chosen, mark


def _filtered(filters: RecordFilter) -> QuerySet[Record]:
    exact: dict[str, Any] = {
        "repository_id": filters.repo,
        "language": filters.language,
        "severity": filters.severity,
        "error_type": filters.type,
        "class_key": filters.class_key or (url_key(filters.cls) if filters.cls else None),
        "code_key": filters.code_key,
        "code_fold": fold_code(filters.code) if filters.code else None,
        "handling_strategy": filters.strategy,
        "family": filters.family,
        "tag_rows__tag": filters.tag,
        "dataset__name": filters.dataset,
    }
    chosen = Record.objects.filter(**{name: value for name, value in exact.items() if value is not None})
    if filters.status != "all":
        chosen = chosen.filter(retired_revision__isnull=filters.status == "current")
    return chosen


def repository(owner: str, name: str) -> RepositoryView | None:
    """The repository of this name, whatever its case. One query."""
    rows = Repository.objects.filter(folded_name=folded_name(f"{owner}/{name}")).order_by("full_name")
    found = list(rows[:20])
    exact = [row for row in found if row.full_name == f"{owner}/{name}"]
    return repository_view((exact or found)[0]) if found else None


_BY_NAME: Final[ListOrder[RepositorySort]] = ListOrder("name")
_REPOSITORY_KEYS: Final[Mapping[RepositorySort, SortKey]] = {
    "name": SortKey(column="folded_name", tie="full_name"),
    "records": SortKey(column="record_count", tie="full_name", down=True, kind=int),
    "stars": SortKey(
        column="stars",
        tie="full_name",
        down=True,
        kind=int,
        known=Q(stars__isnull=False),
        unknown=Q(stars__isnull=True),
    ),
    "language": SortKey(
        column="language",
        tie="full_name",
        known=Q(language__gt=""),
        unknown=Q(language__isnull=True) | Q(language=""),
    ),
    "analyzed": SortKey(
        column="analyzed_at",
        tie="full_name",
        down=True,
        known=Q(analyzed_at__gt=""),
        unknown=Q(analyzed_at=""),
    ),
}


def repositories(
    *, cursor: str | None = None, limit: int = 50, query: str = "", order: ListOrder[RepositorySort] = _BY_NAME
) -> Page[RepositoryView]:
    """Repositories with current records, by folded name or in another order; ``query`` is a part of the name.

    At most three queries, one on the first page by name. Raises ``BadCursor``.
    """
    chosen = Repository.objects.filter(retired=False)
    if query:
        chosen = chosen.filter(folded_name__contains=fold(query))
    place = Place(mark=signature("repositories", query, order), cursor=cursor, limit=limit)
    found, following = keyset_page(chosen, _REPOSITORY_KEYS[order.by], place, reverse=order.reverse)
    return Page(items=tuple(map(repository_view, found)), next=following)


def top_repositories(limit: int) -> tuple[RepositoryView, ...]:
    """The repositories with the most current records. One query."""
    rows = Repository.objects.filter(retired=False).order_by("-record_count", "full_name")
    return tuple(map(repository_view, rows[:limit]))
