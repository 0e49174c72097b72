"""Contents against their hashes, derived columns against contents, and the lines of tags and findings of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from kb.catalog.bulk import delete_by_key, insert_rows, upsert_rows
from kb.catalog.fetching import fetch_rows
from kb.catalog.models import Holding
from kb.catalog.models import Record as RecordRow
from kb.catalog.rows import RECORD_COLUMNS, record_values
from kb.catalog.verification.batches import COLUMNS, JSON_LISTS, Batch, Row, copy_of
from kb.catalog.verification.copies import forget_source
from kb.catalog.verification.faults import Fault, Scope
from kb.records.hashing import content_hash
from kb.records.record import Record

__all__ = ["check_records"]

_KEPT = COLUMNS[len(RECORD_COLUMNS) :]
_DEFAULTS: dict[str, Any] = {**{name: [] for name in (*JSON_LISTS, "findings")}, "extra": {}}
_UNSURE = frozenset({"language"})  # follows what its repository was said to be when the record came
_LAST = "SELECT content FROM catalog_change WHERE record_id = %s ORDER BY revision DESC, id DESC LIMIT 1"
_HELD = "SELECT content_hash FROM catalog_holding WHERE record_id = %s AND dataset_id = %s"
_LOST = (
    "the feed of changes has no copy that fits; restore the database, or let --repair forget what the dataset holds, so"
    " that its next import brings the record again"
)
_DAMAGED = (ValueError, msgspec.MsgspecError)


def check_records(batch: Batch, scope: Scope) -> Iterator[Fault]:
    """The records of a batch, one after the other; a mended one replaces its row in the batch."""
    language: dict[str, str | None] = {}
    for record_id, row in list(batch.rows.items()):
        problem = _content_problem(row)
        if problem:
            whole = _restored(row)
            told = problem if whole else f"{problem}; {_LOST}"
            yield scope.fault("content", record_id, told, curable=whole is not None)
            if whole is not None and scope.mend:
                batch.rows[record_id] = _rewrite(row, whole, language, scope)
                continue
            batch.damaged.add(record_id)
            if scope.mend:
                _forget(row)
        elif row.record is not None and (scope.mend or scope.share >= 1 or scope.chance.random() < scope.share):
            yield from _check_derived(batch, row, row.record, language, scope)
    yield from _check_tags(batch, scope)
    yield from _check_findings(batch, scope)


# -- contents ----------------------------------------------------------------------------------------------------------


def _content_problem(row: Row) -> str:
    if row.record is None:
        return row.problem
    return "" if content_hash(row.record) == row.columns["content_hash"] else "the content does not fit its hash"


def _restored(row: Row) -> Record | None:
    """The record as it should be, from what is left of it; ``None`` when nothing tells.

    Two of three witnesses have to agree: the row's hash, the hash in what the dataset holds, and the last change.
    """
    columns = row.columns
    held = {str(values[0]) for values in fetch_rows(_HELD, (row.id, columns.get("dataset_id")))}
    known = held | {str(columns.get("content_hash"))}
    if row.record is not None and content_hash(row.record) in held:
        return row.record  # only the hash beside it is wrong
    for (content,) in fetch_rows(_LAST, (row.id,)):
        last = copy_of(content)
        if last is None or not set(_KEPT) <= set(columns):
            return None
        digest = content_hash(last)
        if digest in known or (row.record is not None and content_hash(row.record) == digest):
            return last
    return None


def _rewrite(row: Row, record: Record, languages: dict[str, str | None], scope: Scope) -> Row:
    """Stores the record again with everything that follows from it."""
    values = record_values(record, digest=content_hash(record), repository_language=_language(record, languages))
    kept = tuple(row.columns[name] for name in _KEPT)
    upsert_rows("catalog_record", COLUMNS, ("id",), [(*values, *kept)])
    scope.shown = True
    return Row(columns=dict(zip(COLUMNS, (*values, *kept), strict=True)), record=record)


def _forget(row: Row) -> None:
    """Lets the next import of its dataset take the record for a changed one. What cannot be read becomes empty, since
    an import reads what it replaces.
    """
    broken = {name: default for name, default in _DEFAULTS.items() if not _is_json(row.columns.get(name))}
    stored = RecordRow.objects.filter(pk=row.id)
    stored.update(content_hash="", substance_hash="", **(broken if row.record is None else {}))
    dataset = stored.values_list("dataset_id", flat=True).first()
    if dataset is not None:
        Holding.objects.filter(dataset=dataset, record_id=row.id).update(content_hash="")
        forget_source(dataset)


def _is_json(text: Any) -> bool:
    try:
        msgspec.json.decode(text)
    except (ValueError, TypeError, msgspec.MsgspecError):
        return False
    return True


def _language(record: Record, known: dict[str, str | None]) -> str | None:
    if record.repo not in known:
        rows = fetch_rows("SELECT language FROM catalog_repository WHERE full_name = %s", (record.repo,))
        known[record.repo] = rows[0][0] if rows else None
    return known[record.repo]


# -- what follows from contents ----------------------------------------------------------------------------------------


def _check_derived(
    batch: Batch, row: Row, record: Record, languages: dict[str, str | None], scope: Scope
) -> Iterator[Fault]:
    digest = row.columns["content_hash"]
    values = record_values(record, digest=digest, repository_language=_language(record, languages))
    wrong = [
        name
        for name, value in zip(RECORD_COLUMNS, values, strict=True)
        if name not in _UNSURE and row.columns[name] != value
    ]
    if wrong:
        yield scope.fault("derived", row.id, f"not what the record gives: {', '.join(wrong)}")
        if scope.mend:
            batch.rows[row.id] = _rewrite(row, record, languages, scope)


def _check_tags(batch: Batch, scope: Scope) -> Iterator[Fault]:
    stored: dict[str, list[tuple[Any, ...]]] = {}
    for record_id, *line in batch.select("SELECT record_id, tag, repo, slug FROM catalog_recordtag WHERE", "record_id"):
        stored.setdefault(record_id, []).append(tuple(line))
    wanted = {
        row.id: [(tag, row.record.repo, row.record.slug) for tag in dict.fromkeys(row.record.tags)]
        for row in batch.rows.values()
        if row.record is not None
    }
    for record_id in _differing(batch, stored, wanted):
        yield scope.fault("tags", record_id, "the lines of its tags are not what the record gives")
        if scope.mend:
            delete_by_key("catalog_recordtag", "record_id", [record_id])
            lines = [(*line, record_id) for line in wanted.get(record_id, ())]
            insert_rows("catalog_recordtag", ("tag", "repo", "slug", "record_id"), lines)
            scope.shown = True


def _check_findings(batch: Batch, scope: Scope) -> Iterator[Fault]:
    stored: dict[str, list[tuple[Any, ...]]] = {}
    for record_id, *line in batch.select(
        "SELECT record_id, finding, repo FROM catalog_recordfinding WHERE", "record_id"
    ):
        stored.setdefault(record_id, []).append(tuple(line))
    wanted = {
        row.id: [] if row.retired else [(finding, row.record.repo) for finding in _codes(row)]
        for row in batch.rows.values()
        if row.record is not None
    }
    for record_id in _differing(batch, stored, wanted):
        yield scope.fault("findings", record_id, "the lines of its findings are not what the record gives")
        if scope.mend:
            delete_by_key("catalog_recordfinding", "record_id", [record_id])
            lines = [(*line, record_id) for line in wanted.get(record_id, ())]
            insert_rows("catalog_recordfinding", ("finding", "repo", "record_id"), lines)
            scope.shown = True


def _codes(row: Row) -> Sequence[str]:
    try:
        return list(dict.fromkeys(msgspec.json.decode(row.columns["findings"], type=list[str])))
    except _DAMAGED:
        return []  # the check of derived columns tells


def _differing(batch: Batch, stored: dict[str, list[tuple[Any, ...]]], wanted: dict[str, Any]) -> list[str]:
    """The ids whose lines differ, and those of lines without a record; unreadable records are told of elsewhere."""
    ids = sorted(set(stored) | set(wanted))
    known = [record_id for record_id in ids if record_id in wanted or record_id not in batch.rows]
    return [record_id for record_id in known if sorted(stored.get(record_id, ())) != sorted(wanted.get(record_id, ()))]
