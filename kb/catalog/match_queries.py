"""What the match index holds of each record: few columns, by statements of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kb.catalog.answers import MatchFact
from kb.catalog.fetching import fetch_rows
from kb.catalog.match_rows import MATCH_COLUMNS, match_fact

__all__ = ["iter_match_facts", "iter_match_rows", "match_changes"]

_BATCH = 2_000
_MOST_IDS = 500
_SELECT = f"SELECT {', '.join(MATCH_COLUMNS)} FROM catalog_record WHERE retired_revision IS NULL AND "  # noqa: S608  our own words


def iter_match_facts(ids: Sequence[str] | None = None) -> Iterator[MatchFact]:
    """The facts of every record that is not retired, or of those among ``ids``, in the order of ids.

    One query for each 2,000 records, or 500 ids; none is left open.
    """
    for rows in iter_match_rows(ids):
        yield from map(match_fact, rows)


def iter_match_rows(ids: Sequence[str] | None = None) -> Iterator[list[tuple[Any, ...]]]:
    """The rows that :func:`kb.catalog.match_rows.match_fact` makes these facts of, those of a query at a time."""
    if ids is not None:
        wanted = sorted(set(ids))
        for start in range(0, len(wanted), _MOST_IDS):
            some = wanted[start : start + _MOST_IDS]
            marks = ", ".join(["%s"] * len(some))
            yield fetch_rows(f"{_SELECT}id IN ({marks}) ORDER BY id", some)
        return
    after = ""
    while True:
        rows = fetch_rows(f"{_SELECT}id > %s ORDER BY id LIMIT %s", (after, _BATCH))
        yield rows
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
