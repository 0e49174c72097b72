"""The history: what revisions changed, the changes of a record, and where what is retired lives on.

Lists page by the key (revision, record, number of the change), which is the order of an index. A page can be shorter
than asked when whole records would make it too large or when filters pass few: ``next`` alone says that it was the
last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Literal, cast

from kb.catalog.answers import Page, RecordRow
from kb.catalog.contents import unpack_json
from kb.catalog.cursors import decode_cursor, encode_cursor, signature
from kb.catalog.fetching import fetch_lines, fetch_rows
from kb.catalog.history_answers import ChangesPruned, ChangeView, HistoryEntry
from kb.catalog.models import Release
from kb.catalog.rows import row_of
from kb.catalog.snapshots import state
from kb.records.decode import decode_record
from kb.records.record import Record

__all__ = ["ChangeFilter", "changes", "history", "iter_changes", "renamed_to", "repositories_changed", "successor_of"]

_BATCH = 500
_LOOKED_AT = 5_000  # changes that one query looks at for a filter
_MOST_LOOKED_AT = 20_000  # and all of them for one page
_MOST_BYTES = 8 * 1024 * 1024  # of records as JSON in one page; a single record may be longer
_MOST_HOPS = 12  # successors of successors
_Key = tuple[int, str, int]
_KEYS = (int, str, int)


@dataclass(frozen=True, kw_only=True)
class ChangeFilter:
    """Which changes of a list; empty fields do not restrict. ``after`` is a revision that is itself left out."""

    after: int | None = None
    revision: int | None = None
    repo: str | None = None
    kinds: tuple[str, ...] = ()


def changes(
    filters: ChangeFilter,
    *,
    cursor: str | None = None,
    limit: int = 50,
    order: Literal["oldest", "newest"] = "oldest",
) -> Page[ChangeView]:
    """Changes by revision, within one by record. Four queries, and one more for each 5,000 that filters pass over.

    Raises ``BadCursor``, and ``ChangesPruned`` when ``after`` of the filters, or a cursor that begins with the oldest,
    reaches behind what is kept.
    """
    mark = signature("changes", astuple(filters), order)
    start = cast("_Key", decode_cursor(mark, cursor, _KEYS)) if cursor else None
    if order == "oldest":
        _check_kept(filters.after, start)
    keys, resume = _page_of_keys(filters, start, limit, newest=order == "newest")
    found: list[ChangeView] = []
    size, last = 0, None
    for key, view in _contents(keys):
        size += len(view.raw)
        if found and size > _MOST_BYTES:
            resume = last
            break
        found.append(view)
        last = key
    return Page(items=tuple(found), next=encode_cursor(mark, resume) if resume else None)


def iter_changes(after: int = 0) -> Iterator[ChangeView]:
    """Every change after a revision in the order of the feed, a few queries a batch, none left open.

    Raises ``ChangesPruned`` as :func:`changes` does.
    """
    cursor = None
    while True:
        page = changes(ChangeFilter(after=after), cursor=cursor, limit=_BATCH)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


# --- what is kept ----------------------------------------------------------------------------------------------------


def _check_kept(after: int | None, start: _Key | None) -> None:
    """Raises ``ChangesPruned`` when a change after ``after``, or after the key of a cursor, is gone."""
    if after is None and start is None:
        return
    ((first,),) = fetch_rows("SELECT MIN(revision) FROM catalog_change", ())
    first = state().revision + 1 if first is None else first
    since = (after or 0) if start is None else start[0] - 1
    if since < first - 1 and not _nothing_between(since, first):
        raise ChangesPruned(after=since, oldest=first - 1)


def _nothing_between(after: int, first: int) -> bool:
    """Whether every revision between the two is known as one that changed no record."""
    idle = Release.objects.filter(
        state=Release.State.PUBLISHED, revision__gt=after, revision__lt=first, added=0, changed=0, retired=0, restored=0
    )
    return (
        set(idle.values_list("revision", flat=True)) == set(range(after + 1, first))
        if first - after < _BATCH
        else False
    )


# --- keys, then contents ---------------------------------------------------------------------------------------------


def _page_of_keys(
    filters: ChangeFilter, start: _Key | None, limit: int, *, newest: bool
) -> tuple[list[_Key], _Key | None]:
    """The keys of a page, and the key after which the list goes on, ``None`` at its end."""
    found: list[_Key] = []
    looked_at = 0
    while True:
        # Without kinds every row counts, so that one more than asked is enough.
        some = _LOOKED_AT if filters.kinds else limit + 1
        rows = _rows_of_keys(filters, start, some, newest=newest)
        for *key, kind in rows:
            start = cast("_Key", tuple(key))
            if filters.kinds and kind not in filters.kinds:
                continue
            if len(found) == limit:
                return found, found[-1]
            found.append(start)
        looked_at += len(rows)
        if len(rows) < some:
            return found, None
        if looked_at >= _MOST_LOOKED_AT:
            return found, start


def _rows_of_keys(filters: ChangeFilter, start: _Key | None, most: int, *, newest: bool) -> list[tuple[Any, ...]]:
    conditions, params = _conditions(filters, start, newest=newest)
    table = "catalog_change c"
    if filters.repo is not None:
        # By way of its records: changes have no index by repository. CROSS makes SQLite begin with the records.
        table = "catalog_record r CROSS JOIN catalog_change c"
        conditions.append("c.record_id = r.id")
    way = "DESC" if newest else "ASC"
    statement = (
        f"SELECT c.revision, c.record_id, c.id{', c.kind' if filters.kinds else ', NULL'} FROM {table}"  # noqa: S608
        f"{' WHERE ' if conditions else ''}{' AND '.join(conditions)}"
        f" ORDER BY c.revision {way}, c.record_id {way}, c.id {way} LIMIT %s"
    )
    return fetch_rows(statement, [*params, most])


def _conditions(filters: ChangeFilter, start: _Key | None, *, newest: bool) -> tuple[list[str], list[int | str]]:
    """Conditions and their values, of each index one range: databases take one of several and go through the rest."""
    conditions: list[str] = []
    params: list[int | str] = []
    beyond = "<" if newest else ">"
    if filters.repo is not None:
        conditions.append("r.repo = %s")
        params.append(filters.repo)
    if filters.revision is not None:
        conditions.append("c.revision = %s")
        params.append(filters.revision)
    elif filters.after and (newest or start is None):  # a key that the oldest first had is beyond it
        conditions.append("c.revision > %s")
        params.append(filters.after)
    if start is not None and filters.revision is not None:
        conditions.append(f"(c.record_id, c.id) {beyond} (%s, %s)")
        params += start[1:]
    elif start is not None:
        conditions.append(f"(c.revision, c.record_id, c.id) {beyond} (%s, %s, %s)")
        params += start
    return conditions, params


def _contents(keys: Sequence[_Key]) -> Iterator[tuple[_Key, ChangeView]]:
    """The changes with these keys, in their order; a query for each 100, so that large records do not pile up."""
    for first in range(0, len(keys), 100):
        some = keys[first : first + 100]
        marks = ", ".join(["%s"] * len(some))
        statement = f"SELECT id, revision, kind, release_id, content FROM catalog_change WHERE id IN ({marks})"  # noqa: S608
        rows = {row[0]: row for row in fetch_rows(statement, [key[2] for key in some])}
        yield from ((key, _change(rows[key[2]])) for key in some if key[2] in rows)


def _change(row: Sequence[Any]) -> ChangeView:
    _, revision, kind, release, content = row
    raw = unpack_json(content)
    return ChangeView(revision=revision, kind=kind, release=release, raw=raw, record=_decoded(raw))


def _decoded(raw: bytes) -> Record:
    decoded = decode_record(raw)
    if decoded.record is None:
        message = f"a stored change is damaged: {decoded.problems}"
        raise ValueError(message)
    return decoded.record


# --- one record ------------------------------------------------------------------------------------------------------

_OF_RECORD = "SELECT id, revision, kind, release_id, content FROM catalog_change WHERE record_id = %s"


def history(record_id: str, *, cursor: str | None = None, limit: int = 10) -> Page[HistoryEntry]:
    """The changes of a record, the newest first, each with what was before it. Two queries. Raises ``BadCursor``."""
    mark = signature("history", record_id)
    condition = ""
    params: list[int | str] = [record_id]
    if cursor:
        condition = " AND (revision, id) < (%s, %s)"
        params += decode_cursor(mark, cursor, (int, int))
    rows = fetch_rows(f"{_OF_RECORD}{condition} ORDER BY revision DESC, id DESC LIMIT %s", [*params, limit + 1])
    views = [_change(row) for row in rows]
    releases = Release.objects.select_related("dataset").in_bulk({view.release for view in views} - {None})
    entries = [
        _entry(view, before, releases.get(view.release))
        for view, before in zip(views[:limit], [*views[1:], None], strict=False)
    ]
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(items=tuple(entries), next=encode_cursor(mark, (last[1], last[0])) if last else None)


def history_count(record_id: str) -> int:
    """How many changes of a record are kept. One query."""
    return int(fetch_rows("SELECT count(*) FROM catalog_change WHERE record_id = %s", [record_id])[0][0])


def _entry(view: ChangeView, before: ChangeView | None, release: Release | None) -> HistoryEntry:
    return HistoryEntry(
        revision=view.revision,
        kind=view.kind,
        before=before.record if before else None,
        after=view.record,
        release=release.pk if release else None,
        release_kind=release.kind if release else None,
        dataset=release.dataset.name if release else None,
        dataset_version=release.dataset_version if release else None,
        at=(release.finished_at or release.started_at) if release else None,
    )


_CHAIN = (
    "WITH RECURSIVE chain(id, hop) AS (SELECT successor, 1 FROM catalog_record WHERE id = %s AND successor IS NOT NULL"
    " UNION ALL SELECT r.successor, c.hop + 1 FROM catalog_record r JOIN chain c ON r.id = c.id"
    " WHERE r.successor IS NOT NULL AND r.retired_revision IS NOT NULL AND c.hop < %s)"
    " SELECT {line}, hop FROM (SELECT x.*, c.hop FROM catalog_record x JOIN chain c ON c.id = x.id) AS found"
    " ORDER BY hop"
)


def successor_of(record_id: str) -> RecordRow | None:
    """The record that took the place of a retired one: the end of the chain of successors. One query.

    It can be retired itself, when nothing took its place.
    """
    rows = [row_of(values) for values, _ in fetch_lines(_CHAIN, (record_id, _MOST_HOPS))]
    return next((row for row in rows if not row.retired), rows[-1] if rows else None)


# --- repositories ----------------------------------------------------------------------------------------------------

_RENAMED = (
    "SELECT s.repo, COUNT(*) FROM catalog_record r JOIN catalog_record s ON s.id = r.successor WHERE r.repo = %s"
    " AND r.retired_revision IS NOT NULL AND s.repo <> r.repo GROUP BY s.repo ORDER BY COUNT(*) DESC, s.repo LIMIT 1"
)


def renamed_to(full_name: str) -> str | None:
    """The name under which most of a repository's retired records live on, if under another one. One query."""
    rows = fetch_rows(_RENAMED, (full_name,))
    return rows[0][0] if rows else None


_BY_REPOSITORY = (
    "SELECT repo, kind, COUNT(*) FROM catalog_change WHERE revision = %s GROUP BY repo, kind ORDER BY repo, kind"
)


def repositories_changed(revision: int) -> dict[str, dict[str, int]]:
    """How many records a revision changed in each repository, by kind, the most changes first. One query.

    It reads every change of the revision: ask it for one of a few thousand.
    """
    found: dict[str, dict[str, int]] = {}
    for repo, kind, count in fetch_rows(_BY_REPOSITORY, (revision,)):
        found.setdefault(repo, {})[kind] = count
    return dict(sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0])))
