"""Lists in several orders, paged by key: each part of a page is one range of an index, on both databases.

A list is sorted by a column and, where that is the same, by another. Reversed it is the mirror image, which is the same
index read backwards; what has no value stands last either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar
from urllib.parse import quote, unquote

from django.db.models import Model, Q, QuerySet

from kb.catalog.answers import BadCursor
from kb.catalog.cursors import decode_cursor, encode_cursor

__all__ = ["Place", "SortKey", "keyset_page"]

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, kw_only=True)
class SortKey:
    """What a list is sorted by: ``column``, the largest first with ``down``, then ``tie``, the smallest first.

    ``known`` and ``unknown`` part the rows with a value from those without, for a column that may have none: NULL or
    an empty text. ``kind`` is the type of its values.
    """

    column: str
    tie: str
    down: bool = False
    kind: type[int | str] = str
    known: Q = field(default_factory=Q)
    unknown: Q | None = None


class _After(NamedTuple):
    """The last row of the page before; ``value`` counts only when it is ``known``."""

    known: bool
    value: int | str
    tie: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a page begins and how long it is. ``mark`` tells this list, with its filters and order, from others."""

    mark: str
    cursor: str | None
    limit: int


def keyset_page(rows: QuerySet[M], key: SortKey, place: Place, *, reverse: bool) -> tuple[list[M], str | None]:
    """The rows of a page, and the cursor of the next. At most three queries. Raises ``BadCursor``."""
    after = _read(key, place)
    found: list[M] = []
    for part in _ranges(rows, key, after, reverse=reverse):
        found += part[: place.limit + 1 - len(found)]
        if len(found) > place.limit:
            break
    if len(found) <= place.limit:
        return found, None
    return found[: place.limit], _written(key, place, found[place.limit - 1])


def _ranges(rows: QuerySet[M], key: SortKey, after: _After | None, *, reverse: bool) -> Iterator[QuerySet[M]]:
    """What follows ``after``, in parts that follow each other."""
    column, tie = f"{'-' if key.down != reverse else ''}{key.column}", f"{'-' if reverse else ''}{key.tie}"
    beyond, past = ("lt" if key.down != reverse else "gt"), ("lt" if reverse else "gt")
    known = rows.filter(key.known).order_by(column, tie)
    if after is None:
        yield known
    elif after.known:
        yield known.filter(**{key.column: after.value, f"{key.tie}__{past}": after.tie})
        yield known.filter(**{f"{key.column}__{beyond}": after.value})
    if key.unknown is not None:
        unknown = rows.filter(key.unknown).order_by(tie)
        yield unknown if after is None or after.known else unknown.filter(**{f"{key.tie}__{past}": after.tie})


def _read(key: SortKey, place: Place) -> _After | None:
    if not place.cursor:
        return None
    known, value, tie = decode_cursor(place.mark, place.cursor, (int, key.kind, str))
    if isinstance(value, str):
        value = unquote(value)
        if "\0" in value:  # which no database holds, and not every one lets itself be asked for
            message = "this is not a cursor of this site"
            raise BadCursor(message)
    return _After(bool(known) or key.unknown is None, value, str(tie))


def _written(key: SortKey, place: Place, last: Model) -> str:
    """Text is quoted: a value may hold what a cursor may not."""
    value = getattr(last, key.column)
    known = key.unknown is None or value not in {None, ""}
    kept = value if known else key.kind()
    return encode_cursor(
        place.mark, (int(known), quote(kept) if isinstance(kept, str) else kept, getattr(last, key.tie))
    )
