"""Match indexes of revisions: preparing, publishing, checking and removing them, as :mod:`kb.search.index` does.

A revision's folder is complete or absent: it is built under a name that no reader looks at, and renamed. Only who
holds the catalog's import lock prepares, prunes or rebuilds; any number reads.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from kb.catalog import queries
from kb.catalog.answers import MatchFact
from kb.matching.index.beside import Order, Process
from kb.matching.index.build import build, update
from kb.matching.index.files import checked, read_arrays, write_index
from kb.matching.index.open import match_root, open_index
from kb.search.errors import SearchUnavailable
from kb.search.files import NEXT, OLD, Manifest, foreign, put_in_place, remove_index, stamped
from kb.search.open import revisions

__all__ = [
    "Building",
    "MatchStatus",
    "Prepared",
    "building",
    "changed_since",
    "is_usable",
    "prepare",
    "prepare_facts",
    "problem_of",
    "prune",
    "rebuild",
    "status",
    "verify",
]

log = logging.getLogger(__name__)
_LARGE_CHANGE: Final = 2  # when one record in so many changed, an index is built from nothing


@dataclass(frozen=True, kw_only=True)
class MatchStatus:
    """Which revisions have a match index here, and how the newest is: records, patterns, how many of these RE2 refuses,
    size on disk, and why it cannot be used.
    """

    revisions: tuple[int, ...] = ()
    newest: int | None = None
    records: int | None = None
    patterns: int | None = None
    refused: int | None = None
    bytes: int | None = None
    problem: str | None = None


@dataclass(kw_only=True)
class Prepared:
    """An index that was built and that no reader sees yet. End it by :meth:`publish` or :meth:`discard`."""

    revision: int
    folder: Path
    manifest: Manifest

    def publish(self, *, catalog: str = "") -> None:
        """Let readers see it, in place of an older index of the same revision if there is one.

        ``catalog`` is the version of the revision, by which the index of another catalog is told from it.
        """
        self.manifest = stamped(self.folder, self.manifest, catalog)
        self.folder = put_in_place(self.folder, self.revision)

    def discard(self) -> None:
        """Remove it, published or not: its revision did not come to be."""
        shutil.rmtree(self.folder, ignore_errors=True)


def prepare(revision: int, *, base: int | None, directory: Path | None = None) -> Prepared:
    """Build the index of a revision from the catalog as it is now: from the index of ``base``, the revision before it,
    and what ``revision`` changed, or from nothing when ``base`` is ``None``.

    Raises :class:`SearchUnavailable` when the base cannot be used. Nothing is left behind when it fails.
    """
    changed = None if base is None else changed_since(base, revision, directory=directory)
    if changed is None:
        return _prepare(revision, directory, facts=queries.iter_match_facts())
    return _prepare(revision, directory, base=base, changed=changed, facts=queries.iter_match_facts(ids=changed))


def changed_since(base: int, revision: int, *, directory: Path | None = None) -> list[str] | None:
    """The ids of the records that are not in the index of ``revision`` as they are in that of ``base``, the revision
    before it; ``None`` when there are so many that an index is better built from nothing.

    Raises :class:`SearchUnavailable` when the base cannot be used.
    """
    known = open_index(base, directory=directory)
    changed = set(queries.match_changes(revision))
    changed.update(known.alike(changed))
    return sorted(changed) if len(changed) * _LARGE_CHANGE <= known.records else None


@dataclass(kw_only=True)
class Building:
    """An index that another process builds of the rows that it is given."""

    revision: int
    folder: Path
    process: Process | None
    is_done: bool = False

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Hand over rows of :func:`kb.catalog.queries.iter_match_rows`."""
        if self.process is not None:
            self.process.add(rows)

    def finish(self) -> Prepared | None:
        """Wait for the index, when all rows were added. ``None`` when the process could not be started or could not
        make it: then :func:`prepare` it here.
        """
        manifest = self.process.finish() if self.process is not None else None
        if manifest is None:
            return None
        self.is_done = True
        return Prepared(revision=self.revision, folder=self.folder, manifest=manifest)


@contextmanager
def building(
    revision: int, *, base: int | None = None, changed: Sequence[str] = (), directory: Path | None = None
) -> Iterator[Building]:
    """Let another process build the index of a revision inside the block, from nothing or from that of ``base``.

    With a base, ``changed`` are the ids by :func:`changed_since`, of which those rows are to be added that remain. What
    was not finished inside the block is removed. Raises :class:`SearchUnavailable` when the base cannot be used.
    """
    root = _cleared_root(directory)
    if base is not None:
        checked(root / str(base))
    folder = root / f"{NEXT}{revision}-{token_hex(4)}"
    folder.mkdir()
    found = Building(revision=revision, folder=folder, process=None)
    source = None if base is None else str((root / str(base)).absolute())
    try:
        try:
            order = Order(revision=revision, folder=str(folder.absolute()), base=source, changed=list(changed))
            found.process = Process(order)
        except OSError as problem:
            log.warning("no process could be started for the match index: %s", problem)
        yield found
    finally:
        if found.process is not None:
            found.process.close()
        if not found.is_done:
            shutil.rmtree(folder, ignore_errors=True)


def prepare_facts(
    revision: int,
    facts: Iterable[MatchFact],
    *,
    base: int | None = None,
    changed: Collection[str] = (),
    directory: Path | None = None,
) -> Prepared:
    """Like :func:`prepare`, from facts given: all there are, or those that remain of the ``changed`` ids."""
    return _prepare(revision, directory, base=base, changed=changed, facts=facts)


def _prepare(
    revision: int,
    directory: Path | None,
    *,
    facts: Iterable[MatchFact],
    base: int | None = None,
    changed: Collection[str] = (),
) -> Prepared:
    root = _cleared_root(directory)
    folder = root / f"{NEXT}{revision}-{token_hex(4)}"
    prepared = None
    try:
        folder.mkdir()
        if base is None:
            arrays = build(facts)
        else:
            checked(root / str(base))
            arrays = update(read_arrays(root / str(base)), changed, facts)
        prepared = Prepared(revision=revision, folder=folder, manifest=write_index(folder, arrays, revision))
    finally:
        if prepared is None:  # also when interrupted
            shutil.rmtree(folder, ignore_errors=True)
    return prepared


def rebuild(revision: int, *, catalog: str = "", directory: Path | None = None) -> None:
    """Build the index of the catalog's revision anew, and publish it. Until then the old one answers."""
    prepare(revision, base=None, directory=directory).publish(catalog=catalog)


def is_usable(revision: int, *, catalog: str = "", directory: Path | None = None) -> bool:
    """Whether exactly this revision has an index that opens.

    With ``catalog``, the version of the revision, an index that was made of another catalog does not count.
    """
    return not problem_of(revision, catalog=catalog, directory=directory)


def problem_of(revision: int, *, catalog: str = "", directory: Path | None = None) -> str:
    """Why exactly this revision has no index that :func:`is_usable`; empty when it has."""
    if (problem := _problem(revision, directory)) is not None:
        return problem
    return foreign(match_root(directory) / str(revision), catalog)


def _problem(revision: int, directory: Path | None) -> str | None:
    try:
        open_index(revision, directory=directory)
    except SearchUnavailable as problem:
        return problem.reason
    return None


def status(*, directory: Path | None = None) -> MatchStatus:
    """How the match indexes here are."""
    known = revisions(match_root(directory))
    if not known:
        return MatchStatus(problem="No match index has been built yet.")
    newest = known[-1]
    try:
        opened = open_index(newest, directory=directory)
    except SearchUnavailable as problem:
        return MatchStatus(revisions=known, newest=newest, problem=problem.reason)
    return MatchStatus(
        revisions=known,
        newest=newest,
        records=opened.records,
        patterns=opened.patterns,
        refused=opened.refused,
        bytes=opened.bytes,
    )


def verify(revision: int, *, directory: Path | None = None) -> list[str]:
    """Read every file of an index; what is wrong with it, one sentence each."""
    try:
        checked(match_root(directory) / str(revision))
    except SearchUnavailable as problem:
        return [problem.reason]
    return []


def prune(keep: Collection[int], *, directory: Path | None = None) -> None:
    """Remove the indexes of all revisions but these, and what killed processes left. Processes that have one open can
    go on reading it.
    """
    root = match_root(directory)
    for revision in set(revisions(root)) - set(keep):
        remove_index(root / str(revision))
    _remove_leftovers(root)


def _cleared_root(directory: Path | None) -> Path:
    """The folder of all revisions, made where it is missing, without what killed processes left."""
    root = match_root(directory)
    root.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(root)
    return root


def _remove_leftovers(root: Path) -> None:
    for path in (*root.glob(f"{OLD}*"), *root.glob(f"{NEXT}*")):
        shutil.rmtree(path, ignore_errors=True)
