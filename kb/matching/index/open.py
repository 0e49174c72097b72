"""Open indexes: each process opens a revision once and shares it between its threads."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from kb.matching.index.files import MANIFEST, checked, read_arrays
from kb.matching.index.match_index import MatchIndex
from kb.search.errors import SearchUnavailable
from kb.search.open import index_root, revisions

__all__ = ["current_index", "match_root", "open_index"]

_FOLDER: Final = "match"
_KEPT: Final = 2  # revisions that a process keeps open: the one served and the one before


def match_root(directory: Path | None = None) -> Path:
    """The folder of the match indexes of all revisions, in the folder of indexes given or set."""
    return index_root(directory) / _FOLDER


def open_index(revision: int, *, directory: Path | None = None) -> MatchIndex:
    """The index of exactly this revision. Raises :class:`SearchUnavailable` when there is none that can be used."""
    return _CACHE.get(match_root(directory) / str(revision))


def current_index(revision: int, *, directory: Path | None = None) -> MatchIndex:
    """The index of a revision or, where that cannot be used, of the newest one before it that can.

    Raises :class:`SearchUnavailable`, with what is wrong with the newest, when there is none.
    """
    first: SearchUnavailable | None = None
    root = match_root(directory)
    for number in sorted({revision, *(known for known in revisions(root) if known < revision)}, reverse=True):
        try:
            return _CACHE.get(root / str(number))
        except SearchUnavailable as problem:
            first = first or problem
    raise first or SearchUnavailable(f"There is no match index of revision {revision}.")


class _Cache:
    """The last few indexes that were opened. An entry is stale when its folder was replaced."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[tuple[int, int], MatchIndex]] = {}

    def get(self, folder: Path) -> MatchIndex:
        with self._lock:
            identity = _identity(folder)
            held = self._open.pop(folder, None)
            if held is None or held[0] != identity:
                held = (identity, _open(folder))
                for stale in [path for path in self._open if _identity(path) == _GONE]:
                    del self._open[stale]
            self._open[folder] = held
            while len(self._open) > _KEPT:
                self._open.pop(next(iter(self._open)))
            return held[1]


_CACHE: Final = _Cache()
_GONE: Final = (0, 0)


def _identity(folder: Path) -> tuple[int, int]:
    with suppress(OSError):
        found = (folder / MANIFEST).stat()
        return found.st_ino, found.st_mtime_ns
    return _GONE


def _open(folder: Path) -> MatchIndex:
    manifest = checked(folder)
    try:
        return MatchIndex(manifest.revision, read_arrays(folder))
    except (OSError, ValueError, KeyError) as problem:
        raise SearchUnavailable(f"The match index of revision {folder.name} cannot be read.") from problem
