"""What the search index holds of each record: the columns that it needs, by statements of our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from kb.catalog.fetching import fetch_keys, fetch_rows
from kb.catalog.match_rows import MATCH_COLUMNS
from kb.catalog.search_answers import SearchFact

__all__ = ["iter_index_rows", "iter_search_changes", "iter_search_facts"]

_decode_texts = msgspec.json.Decoder(tuple[str, ...]).decode
_BATCH = 1_000
_MOST_IDS = 500
_COLUMNS = {"background_tag": "family"}  # where they differ from the record's names
_PLAIN = SearchFact._fields.index("solutions")  # three lists from here on, then the revisions
_OWN = tuple(_COLUMNS.get(name, name) for name in SearchFact._fields)
_ALL = tuple(dict.fromkeys((*_OWN, *MATCH_COLUMNS)))
_match_row = itemgetter(*map(_ALL.index, MATCH_COLUMNS))
_RETIRED = _OWN.index("retired_revision")
_SELECT = f"SELECT {', '.join(_OWN)} FROM catalog_record WHERE "  # noqa: S608  our own words
_SELECT_ALL = f"SELECT {', '.join(_ALL)} FROM catalog_record WHERE "  # noqa: S608  our own words
_CHANGED = "SELECT record_id FROM catalog_change WHERE revision = %s AND record_id > %s ORDER BY record_id LIMIT %s"


def iter_search_facts() -> Iterator[SearchFact]:
    """The facts of every record, retired ones included, in the order of ids; one query for each 1,000, none is left
    open.
    """
    after = ""
    while True:
        rows = fetch_rows(f"{_SELECT}id > %s ORDER BY id LIMIT %s", (after, _BATCH))
        yield from map(_fact, rows)
        if len(rows) < _BATCH:
            return
        after = rows[-1][0]


def iter_index_rows() -> Iterator[tuple[list[SearchFact], list[tuple[Any, ...]]]]:
    """What both indexes hold, read once: the facts of every record as :func:`iter_search_facts` gives them, and of
    those not retired the rows of :func:`kb.catalog.match_queries.iter_match_rows`. A thousand records, one query, at a
    time.
    """
    after = ""
    while True:
        rows = fetch_rows(f"{_SELECT_ALL}id > %s ORDER BY id LIMIT %s", (after, _BATCH))
        yield [_fact(row) for row in rows], [_match_row(row) for row in rows if row[_RETIRED] is None]
        if len(rows) < _BATCH:
            return
        after = rows[-1][0]


def iter_search_changes(revision: int) -> Iterator[SearchFact]:
    """The facts of the records that a revision changed, in the order of ids; two queries for each 500."""
    after = ""
    while True:
        ids = fetch_keys(_CHANGED, (revision, after, _MOST_IDS))
        if ids:
            marks = ", ".join(["%s"] * len(ids))
            yield from map(_fact, fetch_rows(f"{_SELECT}id IN ({marks}) ORDER BY id", ids))
        if len(ids) < _MOST_IDS:
            return
        after = ids[-1]


def _fact(row: Sequence[Any]) -> SearchFact:
    solutions, tips, tags, *revisions = row[_PLAIN : len(_OWN)]
    lists = (_decode_texts(solutions), _decode_texts(tips), _decode_texts(tags))
    return SearchFact._make((*row[:_PLAIN], *lists, *revisions))
