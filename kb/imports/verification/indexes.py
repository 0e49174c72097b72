"""Both indexes of the current revision against the catalog: files, numbers, every id, and samples of the contents."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import msgspec

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.catalog.verification.batches import id_batches
from kb.catalog.verification.faults import Fault, Scope
from kb.matching.index import revisions as match_index
from kb.matching.index.inspection import MatchInspection
from kb.search import index as search_index
from kb.search.errors import SearchUnavailable
from kb.search.inspection import SearchInspection

__all__ = ["INDEXES", "Index", "check_index", "rebuild_index"]

_BATCH = 200
_UNREADABLE = (ValueError, TypeError, msgspec.MsgspecError)
_NAMED = 20  # ids that are named one by one


class _Inspection(Protocol):
    @property
    def records(self) -> int: ...

    def missing(self, ids: Sequence[str]) -> list[str]: ...

    def differs(self, item: Any, /) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Index:
    """One kind of index: ``current`` says whether it leaves retired records out."""

    name: str
    module: ModuleType
    current: bool
    inspect: Callable[[int], _Inspection]
    items: Callable[[Sequence[str]], Iterable[Any]]
    id_of: Callable[[Any], str]


INDEXES = (
    Index(
        name="search index",
        module=search_index,
        current=False,
        inspect=SearchInspection,
        items=queries.records_by_ids,
        id_of=lambda view: str(view.record.id),
    ),
    Index(
        name="match index",
        module=match_index,
        current=True,
        inspect=MatchInspection,
        items=lambda ids: queries.iter_match_facts(ids=ids),
        id_of=lambda fact: str(fact.id),
    ),
)


def check_index(index: Index, state: CatalogView, scope: Scope, *, sample: int) -> Iterator[Fault]:
    """What is wrong with the index of the snapshot's revision. All of it is mended by building it anew."""
    problems = index.module.verify(state.revision)
    if not problems and (problem := index.module.problem_of(state.revision, catalog=state.version)):
        problems = [problem]
    if problems:
        yield from (_fault(index, f"revision {state.revision}", problem) for problem in problems[:_NAMED])
        return
    try:
        yield from _compare(index, index.inspect(state.revision), scope, sample)
    except SearchUnavailable as problem:
        yield _fault(index, f"revision {state.revision}", problem.reason)


def _compare(index: Index, inspection: _Inspection, scope: Scope, sample: int) -> Iterator[Fault]:
    total, chosen = 0, _Sample(sample, scope.chance)
    named = missing = 0
    for ids in id_batches(current=index.current):
        gone = inspection.missing(ids)
        missing += len(gone)
        for record_id in gone[: _NAMED - named]:
            named += 1
            yield _fault(index, record_id, "it is not in the index, or more than once")
        total += len(ids)
        chosen.offer(ids)
        scope.advance(len(ids))
    if missing > named:
        yield _fault(index, "ids", f"{missing - named:,} more are not in the index")
    if inspection.records != total:
        yield _fault(index, "count", f"the index holds {inspection.records:,} records instead of {total:,}")
    for item in _items(index, sorted(set(chosen.ids))):
        if inspection.differs(item):
            yield _fault(index, index.id_of(item), "the index holds it otherwise than it is")


def _items(index: Index, ids: Sequence[str]) -> Iterator[Any]:
    """The records with these ids; those that cannot be read are told of by the checks of the store."""
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        try:
            yield from list(index.items(some))
        except _UNREADABLE:
            for record_id in some:
                with suppress(*_UNREADABLE):
                    yield from list(index.items([record_id]))


def _fault(index: Index, subject: str, message: str) -> Fault:
    return Fault(check=index.name, subject=subject, message=message, cure="repair")


class _Sample:
    """Some of many, each with the same chance; memory for as many as are wanted."""

    def __init__(self, size: int, chance: random.Random) -> None:
        self._size, self._chance, self._seen = size, chance, 0
        self.ids: list[str] = []

    def offer(self, ids: Iterable[str]) -> None:
        for record_id in ids:
            self._seen += 1
            if len(self.ids) < self._size:
                self.ids.append(record_id)
            elif (place := self._chance.randrange(self._seen)) < self._size:
                self.ids[place] = record_id


def rebuild_index(index: Index, state: CatalogView) -> None:
    """Builds the index of the current revision anew. Only the holder of the import lock may call this."""
    if index.module is search_index:
        search_index.rebuild(state.revision, queries.iter_search_facts(), catalog=state.version)
    else:
        match_index.rebuild(state.revision, catalog=state.version)
