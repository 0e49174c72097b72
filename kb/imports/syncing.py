"""The indexes of this node, brought to the current revision: from an older one and the feed of changes, or anew.

An older index serves as a base when it is of this catalog's past and the feed still holds all that came after it. The
stamp of an index tells: it lies within the time of the release that published its revision.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

from django.conf import settings

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.catalog.search_answers import SearchFact
from kb.catalog.verification.feed import Feed
from kb.imports.lock import index_lock
from kb.matching.index import revisions as match_index
from kb.matching.index.open import match_root, open_index
from kb.search import index as search_index
from kb.search.errors import SearchUnavailable
from kb.search.files import read_manifest

__all__ = ["Synced", "is_current", "sync_indexes"]

_LARGE_CHANGE = 2  # when one record in so many changed, an index is built from nothing


@dataclass(frozen=True, kw_only=True)
class Synced:
    """What was done for one kind of index; ``base`` is the revision that it was updated from."""

    name: str
    revision: int
    how: Literal["sound", "updated", "built"]
    base: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Kind:
    name: str
    module: ModuleType
    folder: Callable[[], Path]
    update: Callable[[CatalogView, int], bool]
    build: Callable[[CatalogView], None]


def is_current() -> bool:
    """Whether both indexes of the current revision are there. One query; reads no more than sizes and headers."""
    state = queries.state()
    return not state.revision or all(kind.module.is_usable(state.revision, catalog=state.version) for kind in _KINDS)


def sync_indexes(*, force: bool = False) -> list[Synced]:
    """Makes both indexes of the current revision where they are missing, damaged or of another catalog; with
    ``force`` anew in any case. Older ones but the last go. Nothing is done for an empty catalog.

    Raises ``Refusal`` while an import or another of these works in this data directory, ``SearchUnavailable`` and
    ``OSError`` when an index cannot be made, Django's ``DatabaseError`` when the database does not answer.
    """
    with index_lock(), queries.snapshot() as state:
        return [_sync(kind, state, force=force) for kind in _KINDS] if state.revision else []


def _sync(kind: _Kind, state: CatalogView, *, force: bool) -> Synced:
    revision = state.revision
    if not force and kind.module.is_usable(revision, catalog=state.version) and not kind.module.verify(revision):
        return Synced(name=kind.name, revision=revision, how="sound")
    base = None if force else _base(kind, state)
    try:
        updated = base is not None and kind.update(state, base)
    except SearchUnavailable:
        updated = False  # the base is damaged
    if not updated:
        kind.build(state)
    kind.module.prune({revision, revision - 1, *([base] if base is not None and updated else [])})
    return Synced(
        name=kind.name, revision=revision, how="updated" if updated else "built", base=base if updated else None
    )


def _base(kind: _Kind, state: CatalogView) -> int | None:
    """The newest older revision whose index serves as a base; ``None`` when there is none."""
    start = Feed.read().start
    known: list[int] = [number for number in kind.module.status().revisions if number < state.revision]
    for revision in reversed(known):
        if start is None or start > revision + 1:
            return None
        if kind.module.is_usable(revision) and _is_of_the_past(kind.folder() / str(revision), revision):
            return revision
    return None


def _is_of_the_past(folder: Path, revision: int) -> bool:
    """Whether an index was made of what this catalog was at a revision, and not of another or an abandoned one."""
    published = queries.revision(revision)
    release = queries.release(published.release) if published else None
    try:
        stamp = read_manifest(folder).catalog
    except (OSError, ValueError):
        return False
    if published is None or release is None or not stamp:
        return False
    began, ended = (moment.isoformat(timespec="milliseconds") for moment in (release.started_at, published.at))
    return began.replace("+00:00", "Z") <= stamp <= ended.replace("+00:00", "Z")


# -- both kinds --------------------------------------------------------------------------------------------------------


def _update_search(state: CatalogView, base: int) -> bool:
    if search_index.is_worn(base):
        return False
    changed = {fact.id for fact in _search_changes(base, state.revision)}
    if len(changed) * _LARGE_CHANGE > state.records:
        return False
    prepared = search_index.prepare(
        state.revision, base=base, changed=_search_changes(base, state.revision), removed=()
    )
    prepared.publish(catalog=state.version)
    return True


def _search_changes(base: int, revision: int) -> Iterator[SearchFact]:
    """What changed after ``base``, each record once, as it is now."""
    seen: set[str] = set()
    for number in range(base + 1, revision + 1):
        for fact in queries.iter_search_changes(number):
            if fact.id not in seen:
                seen.add(fact.id)
                yield fact


def _update_match(state: CatalogView, base: int) -> bool:
    known = open_index(base)
    changed: Collection[str] = {
        record_id for number in range(base + 1, state.revision + 1) for record_id in queries.match_changes(number)
    }
    changed = {*changed, *known.alike(changed)}
    if len(changed) * _LARGE_CHANGE > known.records:
        return False
    facts = queries.iter_match_facts(ids=sorted(changed))
    match_index.prepare_facts(state.revision, facts, base=base, changed=changed).publish(catalog=state.version)
    return True


def _build_search(state: CatalogView) -> None:
    search_index.rebuild(state.revision, queries.iter_search_facts(), catalog=state.version)


def _build_match(state: CatalogView) -> None:
    match_index.rebuild(state.revision, catalog=state.version)


_KINDS = (
    _Kind(
        name="search index",
        module=search_index,
        folder=lambda: Path(settings.KB_INDEX_DIR),
        update=_update_search,
        build=_build_search,
    ),
    _Kind(name="match index", module=match_index, folder=match_root, update=_update_match, build=_build_match),
)
