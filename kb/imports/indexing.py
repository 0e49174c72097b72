"""Both indexes of a new revision, made at the same time where there is enough to do for two processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kb.catalog import queries
from kb.catalog.search_answers import SearchFact
from kb.matching.index import revisions as match_index
from kb.processes import cores
from kb.search import index as search_index

__all__ = ["Prepared", "prepare_both"]

Prepared = search_index.Prepared | match_index.Prepared
_WORTH_A_PROCESS = 30_000  # records from which on the start of a process is little beside its work
_STEP = 500


def prepare_both(
    revision: int, *, records: int, base_version: str = "", advance: Callable[[int], None] = lambda _count: None
) -> list[Prepared]:
    """The search and the match index of a revision that holds so many records, from those of the revision before it
    where they serve, else from all records. Each is to be ended by its ``publish`` or ``discard``. With
    ``base_version``, the version of that revision, indexes of another catalog do not serve.

    ``advance`` is told how many records more were read for the search index. Whatever it raises, nothing is left
    behind. Raises :class:`~kb.search.errors.SearchUnavailable` when an index cannot be made.
    """
    before = revision - 1
    match_base = before if before > 0 and match_index.is_usable(before, catalog=base_version) else None
    serves = before > 0 and search_index.is_usable(before, catalog=base_version) and not search_index.is_worn(before)
    base = before if serves else None
    if records < _WORTH_A_PROCESS or cores() == 1:
        facts = queries.iter_search_facts() if base is None else queries.iter_search_changes(revision)
        return _with_match(
            search_index.prepare(revision, base=base, changed=_counted(facts, advance), removed=()),
            lambda: match_index.prepare(revision, base=match_base),
        )
    changed = None if match_base is None else match_index.changed_since(match_base, revision)
    if changed is None:
        match_base = None
    with match_index.building(revision, base=match_base, changed=changed or ()) as building:
        facts = _read(revision, base, changed, building)
        return _with_match(
            search_index.prepare(revision, base=base, changed=_counted(facts, advance), removed=()),
            lambda: building.finish() or match_index.prepare(revision, base=match_base),
        )


def _with_match(search: search_index.Prepared, match: Callable[[], match_index.Prepared]) -> list[Prepared]:
    made = None
    try:
        made = match()
    finally:
        if made is None:  # also when interrupted
            search.discard()
    return [search, made]


def _read(
    revision: int, base: int | None, changed: list[str] | None, building: match_index.Building
) -> Iterator[SearchFact]:
    """What the search index needs; the rows for the match index go to the other process."""
    if base is None and changed is None:
        return _shared(building)
    for rows in queries.iter_match_rows(changed):
        building.add(rows)
    return queries.iter_search_facts() if base is None else queries.iter_search_changes(revision)


def _shared(building: match_index.Building) -> Iterator[SearchFact]:
    for facts, rows in queries.iter_index_rows():
        building.add(rows)
        yield from facts


def _counted(facts: Iterable[SearchFact], advance: Callable[[int], None]) -> Iterator[SearchFact]:
    count = 0
    for fact in facts:
        yield fact
        count += 1
        if count == _STEP:
            advance(count)
            count = 0
    if count:
        advance(count)
