"""What the match index holds of each record: few columns, by statements of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from kb.catalog.answers import MatchFact
from kb.catalog.fetching import fetch_rows
from kb.records.functions import enclosing_function
from kb.records.patterns import matching_pattern

__all__ = ["iter_match_facts", "match_changes"]

_decode = msgspec.json.Decoder().decode
_BATCH = 2_000
_MOST_IDS = 500
_SELECT = (
    "SELECT id, message_pattern, error_class, error_code, error_message, file_path, line_number, repo, http_status,"
    " language, canonical_id, findings, source_code, source_code_start,"
    " CASE WHEN extra LIKE '%%\"function\"%%' THEN extra ELSE '{}' END"
    " FROM catalog_record WHERE retired_revision IS NULL AND "
)


def iter_match_facts(ids: Sequence[str] | None = None) -> Iterator[MatchFact]:
    """The facts of every record that is not retired, or of those among ``ids``, in the order of ids.

    One query for each 2,000 records, or 500 ids; none is left open.
    """
    if ids is not None:
        wanted = sorted(set(ids))
        for start in range(0, len(wanted), _MOST_IDS):
            some = wanted[start : start + _MOST_IDS]
            marks = ", ".join(["%s"] * len(some))
            yield from map(_fact, fetch_rows(f"{_SELECT}id IN ({marks}) ORDER BY id", some))
        return
    after = ""
    while True:
        rows = fetch_rows(f"{_SELECT}id > %s ORDER BY id LIMIT %s", (after, _BATCH))
        yield from map(_fact, rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1][0]


def match_changes(revision: int) -> tuple[str, ...]:
    """The ids of the records that a revision changed, and of their present duplicates. One query."""
    statement = (
        "SELECT record_id FROM catalog_change WHERE revision = %s UNION SELECT o.id FROM catalog_change c"
        " JOIN catalog_record r ON r.id = c.record_id JOIN catalog_record o ON o.duplicate_key = r.duplicate_key"
        " WHERE c.revision = %s"
    )
    return tuple(sorted(row[0] for row in fetch_rows(statement, (revision, revision))))


def _fact(row: Sequence[Any]) -> MatchFact:
    pattern, cls, code, message, path, line, repo, status, language, canonical, findings = row[1:12]
    return MatchFact(
        id=row[0],
        pattern=matching_pattern(pattern, message),
        cls=cls,
        code=code,
        message=message,
        path=path,
        line=line,
        function=_function(row, language, line),
        repo=repo,
        status=status,
        language=language or "",
        group=canonical or row[0],
        quality=100 - min(len(_decode(findings)), 100) if findings != "[]" else 100,
    )


def _function(row: Sequence[Any], language: str | None, line: int | None) -> str:
    """The function that the record names, else the one that its snippet shows."""
    if row[14] != "{}":
        named = _decode(row[14]).get("function")
        if isinstance(named, str) and named:
            return named[:200]
    source, start = row[12], row[13]
    if not source or line is None:
        return ""
    return enclosing_function(source, (line - start) if start is not None else None, language or "")
