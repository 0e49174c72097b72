"""Open indexes: each process opens a revision once and shares it between its threads."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from tantivy import Schema, Searcher

from kb.search import tuning
from kb.search.errors import SearchUnavailable
from kb.search.facets import FacetValue
from kb.search.files import MANIFEST, RECORDS, WORDS, Manifest, read_manifest, sum_problems, wrong_sizes
from kb.search.kept import Kept
from kb.search.library import guarded, open_index
from kb.search.query import ENUM_VALUES
from kb.search.schema import fingerprint

__all__ = ["OpenIndex", "checked_manifest", "index_root", "open_revision", "revisions"]

_REBUILD = "Rebuild it from the database."


@dataclass(kw_only=True)
class OpenIndex:
    """The index of one revision, open for reading. Safe to share between threads.

    ``values`` are the legal values of the fields that have a fixed set, with those that the data holds besides.
    """

    revision: int
    folder: Path
    manifest: Manifest
    schema: Schema
    searcher: Searcher
    words_schema: Schema
    words_searcher: Searcher
    values: Mapping[str, tuple[str, ...]]
    facets: Kept[Mapping[str, tuple[FacetValue, ...]]] = field(default_factory=lambda: Kept(tuning.KEPT_FACETS))
    overviews: Kept[Any] = field(default_factory=lambda: Kept(tuning.KEPT_OVERVIEWS))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _checked: bool = False
    _damage: str = ""

    def damage(self) -> str:
        """Why this index cannot be used any more; empty while it can."""
        return self._damage

    def suspect(self) -> str:
        """Look for damage after a failure. The files are summed once; sound files stay in use, since then it was the
        query that failed.
        """
        with self._lock:
            if not self._checked:
                problems = sum_problems(self.folder, self.manifest)
                self._damage = (
                    f"The index of revision {self.revision} is damaged: {problems[0]}. {_REBUILD}" if problems else ""
                )
                self._checked = True
        return self._damage


def index_root(directory: Path | None) -> Path:
    """The folder of all revisions: the one given, else ``settings.KB_INDEX_DIR``."""
    return Path(settings.KB_INDEX_DIR) if directory is None else directory


def revisions(root: Path) -> tuple[int, ...]:
    """The revisions that have a published folder, oldest first."""
    try:
        names = [entry.name for entry in root.iterdir()]
    except OSError:
        return ()
    return tuple(sorted(int(name) for name in names if name.isascii() and name.isdigit() and str(int(name)) == name))


def checked_manifest(folder: Path) -> Manifest:
    """The manifest of a published folder whose files are all there in the right size and format.

    Raises :class:`SearchUnavailable` otherwise.
    """
    name = folder.name
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise SearchUnavailable(f"There is no index of revision {name}. {_REBUILD}") from None
    except (OSError, msgspec.DecodeError) as problem:
        raise SearchUnavailable(f"The manifest of the index of revision {name} is damaged. {_REBUILD}") from problem
    if manifest.format != fingerprint():
        raise SearchUnavailable(f"The index of revision {name} was made by another version of this program. {_REBUILD}")
    problems = wrong_sizes(folder, manifest)
    if problems:
        raise SearchUnavailable(f"The index of revision {name} is damaged: {problems[0]}. {_REBUILD}")
    return manifest


def open_revision(revision: int, *, directory: Path | None = None) -> OpenIndex:
    """The index of a revision or, where that one has not been built here yet, of the newest revision before it.

    Raises :class:`SearchUnavailable` when there is none, or when the one there is cannot be used.
    """
    root = index_root(directory)
    folder = root / str(revision)
    if not folder.is_dir():
        older = [number for number in revisions(root) if number < revision and (root / str(number) / MANIFEST).exists()]
        if not older:
            raise SearchUnavailable(f"No index has been built up to revision {revision}. {_REBUILD}")
        folder = root / str(older[-1])
    opened = _CACHE.get(folder)
    if damage := opened.damage():
        raise SearchUnavailable(damage)
    return opened


class _Cache:
    """The last few indexes that were opened. An entry is stale when its folder was replaced."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[tuple[int, int], OpenIndex]] = {}

    def get(self, folder: Path) -> OpenIndex:
        with self._lock:
            identity = _identity(folder)
            held = self._open.pop(folder, None)
            if held is None or identity is None or held[0] != identity:
                held = (identity or (0, 0), _open(folder))
                self._drop_stale()
            self._open[folder] = held  # now the last one used
            while len(self._open) > tuning.OPEN_REVISIONS:
                self._open.pop(next(iter(self._open)))
            return held[1]

    def _drop_stale(self) -> None:
        """Let go of what was removed from the disk: as long as it is open, its space is not free."""
        for folder in [folder for folder in self._open if _identity(folder) is None]:
            del self._open[folder]

    def clear(self) -> None:
        with self._lock:
            self._open.clear()


_CACHE = _Cache()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = (folder / MANIFEST).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _open(folder: Path) -> OpenIndex:
    manifest = checked_manifest(folder)
    with guarded(f"Opening the index of revision {folder.name}"):
        records, known = open_index(folder / RECORDS), open_index(folder / WORDS)
        searcher = records.searcher()
        return OpenIndex(
            revision=manifest.revision,
            folder=folder,
            manifest=manifest,
            schema=records.schema,
            searcher=searcher,
            words_schema=known.schema,
            words_searcher=known.searcher(),
            values=_values(searcher),
        )


def _values(searcher: Searcher) -> dict[str, tuple[str, ...]]:
    values = dict(ENUM_VALUES)
    for name in ("severity", "type", "strategy"):
        found = sorted(term.partition(":")[2] for term, _ in searcher.terms_with_prefix("filter", f"{name}:"))
        values[name] = tuple(dict.fromkeys((*values[name], *found)))
    return values
