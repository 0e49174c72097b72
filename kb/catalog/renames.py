"""Repositories under another name: what one lost is found at the same places, with the same messages, in another.

Nothing in a dataset says that a repository was renamed; its records leave under one name and arrive under another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.catalog.fetching import fetch_keys, fetch_rows
from kb.catalog.rows import place_key
from kb.records.text import fold

__all__ = ["find_renames"]

_SAMPLE = 40  # records of a lost repository that are looked for
_SHARE = 2  # at least one in so many of them has to be found
_MOST_NEW = 200  # repositories that arrived; a first import has more, and none of them is a rename
_MOST_LOST = 400
_BATCH = 400

# Repositories without a current record, which had one until this revision, or before it and led nowhere since.
_LOST = (
    "SELECT DISTINCT repo FROM catalog_change WHERE revision = %s AND kind = 'retired'",
    "SELECT full_name FROM catalog_repository WHERE retired ORDER BY full_name LIMIT %s",
)
_ADDED = "SELECT DISTINCT repo FROM catalog_change WHERE revision = %s AND kind = 'added' ORDER BY repo LIMIT %s"
_LIVES = "SELECT repo FROM catalog_record WHERE repo = %s AND retired_revision IS NULL LIMIT 1"
_OLDER = "SELECT repo FROM catalog_record WHERE repo = %s AND first_revision < %s LIMIT 1"
_WAITING = (
    "SELECT id, file_path, error_message, error_code FROM catalog_record WHERE repo = %s AND id > %s"
    " AND retired_revision IS NOT NULL AND successor IS NULL ORDER BY id LIMIT %s"
)
_THERE = (
    "SELECT id, place_key, error_message, error_code FROM catalog_record WHERE retired_revision IS NULL"
    " AND place_key IN ({marks}) ORDER BY id"
)

_Row = tuple[str, str, str, str | None]


def find_renames(revision: int) -> Iterator[dict[str, str]]:
    """Retired ids, each with the id of the same error in the repository's new name, some at a time."""
    new = fetch_keys(_ADDED, (revision, _MOST_NEW + 1))
    if not new or len(new) > _MOST_NEW:
        return
    new = [name for name in new if not fetch_keys(_OLDER, (name, revision))]
    if not new:
        return
    just_now = set(fetch_keys(_LOST[0], (revision,)))
    lost = dict.fromkeys([*sorted(just_now), *fetch_keys(_LOST[1], (_MOST_LOST,))])
    for name in lost:
        if not fetch_keys(_LIVES, (name,)):
            names = [other for other in new if name in just_now or _related(name, other)]
            target = _new_name(name, names)
            yield from _pairs(name, target) if target else ()


def _related(name: str, other: str) -> bool:
    """Whether two names share their owner or their last part, whatever the case."""
    one, two = fold(name).split("/"), fold(other).split("/")
    return one[0] == two[0] or one[-1] == two[-1]


def _new_name(name: str, candidates: Sequence[str]) -> str | None:
    """Which of the candidates most of a sample is found in, if enough of it is."""
    sample = fetch_rows(_WAITING, (name, "", _SAMPLE))
    counts = {other: len(_found(sample, other)) for other in candidates}
    best = max(sorted(counts), key=lambda other: (counts[other], _related(name, other)), default=None)
    return best if best and sample and counts[best] * _SHARE >= len(sample) else None


def _pairs(name: str, target: str) -> Iterator[dict[str, str]]:
    after = ""
    while rows := fetch_rows(_WAITING, (name, after, _BATCH)):
        yield _found(rows, target)
        after = rows[-1][0]


def _found(rows: Sequence[_Row], target: str) -> dict[str, str]:
    """For those of ``rows`` that ``target`` has at the same place, with the same message or code, the id there."""
    places = {row[0]: place_key(target, row[1]) for row in rows}
    wanted = sorted(set(places.values()))
    there: dict[tuple[str, str | None, str | None], str] = {}
    if wanted:
        statement = _THERE.replace("{marks}", ", ".join(["%s"] * len(wanted)))
        for record_id, place, message, code in fetch_rows(statement, wanted):
            there.setdefault((place, message, code), record_id)
            if code is not None:
                there.setdefault((place, None, code), record_id)
    found = {}
    for record_id, _, message, code in rows:
        place = places[record_id]
        match = there.get((place, message, code)) or (there.get((place, None, code)) if code is not None else None)
        if match:
            found[record_id] = match
    return found
