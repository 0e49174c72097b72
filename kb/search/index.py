"""Indexes of revisions: preparing, publishing, checking and removing them.

A revision's folder is complete or absent: it is built beside the others under a name that no reader looks at, and
renamed. Only one process at a time prepares, prunes or rebuilds (the catalog's import lock sees to that); any number
reads.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from kb.search import tuning
from kb.search.build import build
from kb.search.documents import Indexable
from kb.search.errors import SearchUnavailable
from kb.search.files import NEXT, OLD, Manifest, foreign, put_in_place, remove_index, stamped, sum_problems
from kb.search.open import checked_manifest, index_root, open_revision, revisions

__all__ = [
    "IndexStatus",
    "Prepared",
    "is_usable",
    "is_worn",
    "prepare",
    "problem_of",
    "prune",
    "rebuild",
    "status",
    "verify",
]

_LOCK = ".lock"


@dataclass(frozen=True, kw_only=True)
class IndexStatus:
    """Which revisions have an index here, and how the newest is: records, size on disk, and why it cannot be used."""

    revisions: tuple[int, ...] = ()
    newest: int | None = None
    documents: int | None = None
    bytes: int | None = None
    problem: str | None = None


@dataclass(kw_only=True)
class Prepared:
    """An index that was built and checked and that no reader sees yet. End it by :meth:`publish` or :meth:`discard`."""

    revision: int
    folder: Path
    manifest: Manifest
    _lock: int

    @property
    def documents(self) -> int:
        """The number of records in it."""
        return self.manifest.documents

    def publish(self, *, catalog: str = "") -> None:
        """Let readers see it, in place of an older index of the same revision if there is one.

        ``catalog`` is the version of the revision, by which the index of another catalog is told from it.
        """
        self.manifest = stamped(self.folder, self.manifest, catalog)
        final = put_in_place(self.folder, self.revision)
        self._unlock()
        self.folder = final

    def discard(self) -> None:
        """Remove it, published or not: its revision did not come to be."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            _lock_path(self.folder).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1


def prepare(
    revision: int,
    *,
    base: int | None,
    changed: Iterable[Indexable],
    removed: Iterable[str],
    directory: Path | None = None,
) -> Prepared:
    """Build the index of a revision from that of ``base`` and a change, or from nothing when ``base`` is ``None``.

    ``changed`` are the records to add or replace (retired ones too: they stay searchable), ``removed`` the ids to drop.
    From nothing, ``changed`` is the whole catalog, every id at most once; give records by rising id, so that equal
    catalogs give equal indexes. Raises :class:`SearchUnavailable` when the base cannot be used or the result is wrong;
    nothing is left behind then.
    """
    root = index_root(directory)
    root.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(root)
    if base is not None:
        checked_manifest(root / str(base))
    folder = root / f"{NEXT}{revision}-{token_hex(4)}"
    lock = os.open(_lock_path(folder), os.O_CREAT | os.O_RDWR, 0o644)
    fcntl.flock(lock, fcntl.LOCK_EX)
    prepared = None
    try:
        folder.mkdir()
        manifest = build(
            folder, revision=revision, base=None if base is None else root / str(base), changed=changed, removed=removed
        )
        prepared = Prepared(revision=revision, folder=folder, manifest=manifest, _lock=lock)
    finally:
        if prepared is None:  # also when interrupted
            shutil.rmtree(folder, ignore_errors=True)
            _lock_path(folder).unlink(missing_ok=True)
            os.close(lock)
    return prepared


def rebuild(revision: int, records: Iterable[Indexable], *, catalog: str = "", directory: Path | None = None) -> None:
    """Build the index of a revision anew from all its records, and publish it. Until then the old one answers."""
    prepare(revision, base=None, changed=records, removed=(), directory=directory).publish(catalog=catalog)


def is_usable(revision: int, *, catalog: str = "", directory: Path | None = None) -> bool:
    """Whether exactly this revision has an index that opens. Reads no more than sizes and the index's own headers.

    With ``catalog``, the version of the revision, an index that was made of another catalog does not count.
    """
    return not problem_of(revision, catalog=catalog, directory=directory)


def problem_of(revision: int, *, catalog: str = "", directory: Path | None = None) -> str:
    """Why exactly this revision has no index that :func:`is_usable`; empty when it has."""
    root = index_root(directory)
    if (problem := _problem(revision, root)) is not None:
        return problem
    return foreign(root / str(revision), catalog)


def is_worn(revision: int, *, directory: Path | None = None) -> bool:
    """Whether the index of a revision has become so full of replaced records that the next one should be built from
    nothing. Raises :class:`SearchUnavailable` when it cannot be used at all.
    """
    manifest = checked_manifest(index_root(directory) / str(revision))
    return manifest.replaced > tuning.WORN_SHARE * max(manifest.documents, tuning.WORN_FROM)


def status(*, directory: Path | None = None) -> IndexStatus:
    """How the indexes here are."""
    root = index_root(directory)
    known = revisions(root)
    if not known:
        return IndexStatus(problem="No index has been built yet.")
    newest = known[-1]
    problem = _problem(newest, root)
    manifest = None
    with suppress(SearchUnavailable):
        manifest = checked_manifest(root / str(newest))
    return IndexStatus(
        revisions=known,
        newest=newest,
        documents=manifest.documents if manifest else None,
        bytes=manifest.bytes if manifest else None,
        problem=problem,
    )


def _problem(revision: int, root: Path) -> str | None:
    try:
        checked_manifest(root / str(revision))
        open_revision(revision, directory=root)
    except SearchUnavailable as problem:
        return problem.reason
    return None


def verify(revision: int, *, directory: Path | None = None) -> list[str]:
    """Read every file of an index; what is wrong with it, one sentence each."""
    folder = index_root(directory) / str(revision)
    try:
        manifest = checked_manifest(folder)
    except SearchUnavailable as problem:
        return [problem.reason]
    return sum_problems(folder, manifest)


def prune(keep: Collection[int], *, directory: Path | None = None) -> None:
    """Remove the indexes of all revisions but these, and what killed processes left. Processes that have one open can
    go on reading it.
    """
    root = index_root(directory)
    for revision in set(revisions(root)) - set(keep):
        remove_index(root / str(revision))
    _remove_leftovers(root)


def _lock_path(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)


def _remove_leftovers(root: Path) -> None:
    """Remove unfinished folders whose process is gone: nobody holds their lock."""
    for path in sorted(root.glob(f"{OLD}*")):
        shutil.rmtree(path, ignore_errors=True)
    for folder in sorted(path for path in root.glob(f"{NEXT}*") if not path.name.endswith(_LOCK)):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
            _lock_path(folder).unlink(missing_ok=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        lock = os.open(_lock_path(folder), os.O_RDWR)
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
