"""Where the files of a published layout lie: a directory, slices of an archive, files that were fetched.

A tree is asked by paths relative to the layout's root. Such a path is data of others: a directory is never left by it,
and elsewhere it is only a key, so that no file is ever created by a foreign name.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from kb.imports.refusals import Refusal
from kb.imports.sources.streams import open_regular, shown_name
from kb.records.text import fold

__all__ = [
    "MANIFEST",
    "DirectoryTree",
    "KeyedTree",
    "Slice",
    "SliceTree",
    "StoredTree",
    "Tree",
    "find_root",
    "is_layout",
    "refuse_collisions",
    "safe_path",
]

MANIFEST = "manifest.json"
_LONGEST = 1000
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]|\A/|\A[A-Za-z]:|(?:\A|/)\.\.?(?:/|\Z)|//")
_Place = TypeVar("_Place")


class Tree(Protocol):
    """The files of one layout."""

    @property
    def name(self) -> str:
        """What the whole is called in reports."""

    def origin(self, path: str) -> str:
        """What a file is called in reports."""

    def has(self, path: str) -> bool:
        """Whether there is something of this name."""

    def paths(self, folder: str) -> list[str]:
        """The JSON files of ``repos`` (two levels below it) or of ``info`` (one level), sorted."""

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A file as its bytes are. Raises ``Refusal``: missing_file, unreadable or unsafe_path."""

    def stamp(self, path: str) -> str:
        """A text that is another one after the file was written; empty where the tree cannot change."""


# --- a directory ------------------------------------------------------------------------------------------------------


def is_layout(directory: Path) -> bool:
    """Whether a directory looks like a published layout, even one without its manifest."""
    return any((directory / name).exists() for name in (MANIFEST, "repos.json", "repos", f"data/{MANIFEST}"))


class DirectoryTree:
    """A directory of this machine."""

    def __init__(self, directory: Path) -> None:
        nested = directory / "data"
        self._root = nested if not (directory / MANIFEST).exists() and (nested / MANIFEST).exists() else directory
        self.name = shown_name(directory)

    def origin(self, path: str) -> str:
        """The path as it would be typed."""
        return shown_name(self._root / path)

    def has(self, path: str) -> bool:
        """Whether there is something of this name in the directory."""
        return self._inside(path).exists()

    def paths(self, folder: str) -> list[str]:
        """The JSON files below a folder as the disk has them, so names may be ones that no record can have."""
        root = self._root / folder
        if not root.is_dir():
            return []
        folders = [root] if folder == "info" else [owner for owner in root.iterdir() if owner.is_dir()]
        files = (file for owner in folders for file in owner.iterdir() if file.name.endswith(".json"))
        return sorted(str(file.relative_to(self._root)) for file in files)

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """A file inside of the directory, also by a link as long as that stays inside."""
        with open_regular(self._inside(path), self.origin(path)) as file:
            yield file

    def stamp(self, path: str) -> str:
        """Size and times: writing a file sets the time of its last change of state, whoever sets the others."""
        try:
            found = self._inside(path).stat()
        except OSError:
            return "missing"
        return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"

    def _inside(self, path: str) -> Path:
        inside = self._root / path
        try:
            stays = inside.resolve().is_relative_to(self._root.resolve())
        except (OSError, ValueError, RuntimeError):
            stays = False
        if not stays:
            raise Refusal("unsafe_path", shown_name(inside), "the path leaves the directory of the dataset")
        return inside


# --- what an archive holds, and what was fetched ----------------------------------------------------------------------


class KeyedTree:
    """What the trees share whose files are known by heart."""

    def __init__(self, name: str, paths: Iterable[str]) -> None:
        self.name = name
        self._paths = sorted(paths)
        self._known = frozenset(self._paths)

    def origin(self, path: str) -> str:
        """The name of the whole, and the path in it."""
        return f"{self.name}/{shown_name(path)}"

    def has(self, path: str) -> bool:
        """Whether there is a file of this name."""
        return path in self._known

    def paths(self, folder: str) -> list[str]:
        """The JSON files of a folder."""
        depth = 1 if folder == "info" else 2
        inside = (path for path in self._paths if path.startswith(f"{folder}/") and path.endswith(".json"))
        return [path for path in inside if path.count("/") == depth]

    def stamp(self, path: str) -> str:  # noqa: ARG002 - of the protocol
        """Nothing: these files do not change."""
        return ""

    def check(self, path: str) -> None:
        """Raises ``Refusal`` ``missing_file`` for a path that is not there."""
        if path not in self._known:
            raise Refusal("missing_file", self.origin(path), "there is no such file")


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a file."""

    start: int
    size: int


class SliceTree(KeyedTree):
    """Files that lie as they are in one large file."""

    def __init__(self, name: str, file: BinaryIO, slices: Mapping[str, Slice]) -> None:
        super().__init__(name, slices)
        self._file = file
        self._slices = slices

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """A slice as a file of its own."""
        self.check(path)
        yield io.BufferedReader(_SliceReader(self._file, self._slices[path]), 64 * 1024)


class _SliceReader(io.RawIOBase):
    def __init__(self, file: BinaryIO, part: Slice) -> None:
        super().__init__()
        self._file = file
        self._at = part.start
        self._end = part.start + part.size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = os.pread(self._file.fileno(), min(len(view), self._end - self._at), self._at)
        view[: len(data)] = data
        self._at += len(data)
        if not data and self._at < self._end:
            raise EOFError("the archive is shorter than it was")
        return len(data)


class StoredTree(KeyedTree):
    """Files that were fetched, each under a name of ours."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(name, files)
        self._files = files

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """The file that was fetched for a path."""
        self.check(path)
        with open_regular(self._files[path], self.origin(path)) as file:
            yield file


# --- names ------------------------------------------------------------------------------------------------------------


def safe_path(name: str, origin: str) -> str:
    """The path of a file of an archive, without ``./`` before it. Raises ``Refusal`` ``unsafe_path`` for one that is
    absolute, leads upwards, or cannot be the name of a file of a dataset.
    """
    path = name
    while path.startswith("./"):
        path = path[2:]
    path = path.removesuffix("/")
    if _UNSAFE.search(path) or len(path) > _LONGEST or not path.isprintable():
        shown = shown_name(name[:_LONGEST])
        raise Refusal("unsafe_path", origin, f"{shown!r} is absolute, leads upwards or is no name of a file")
    return path


def refuse_collisions(names: Iterable[str], origin: str) -> None:
    """Raises ``Refusal`` ``unsafe_path`` when two different names are one where case does not count."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(fold(name), name)
        if other != name:
            raise Refusal("unsafe_path", origin, f"{name} differs from {other} in nothing but case")


def find_root(files: Mapping[str, _Place], origin: str) -> dict[str, _Place]:
    """The files of a layout by their paths in it, wherever in an archive it begins.

    That is where the manifest lies: at the top, in ``data``, or in either below one directory of any name. Raises
    ``Refusal`` ``no_manifest`` when there is none, or several such directories have one.
    """
    tops = sorted({path.partition("/")[0] for path in files if "/" in path} - {"data"})
    starts = ["", "data/", *(f"{top}/" for top in tops), *(f"{top}/data/" for top in tops)]
    found = [start for start in starts if f"{start}{MANIFEST}" in files]
    if not found or (len(found) > 1 and found[0] not in {"", "data/"}):
        told = "several directories have one" if found else "it is no published dataset"
        raise Refusal("no_manifest", origin, f"the archive has no {MANIFEST} at its top: {told}")
    start = found[0]
    return {path.removeprefix(start): place for path, place in files.items() if path.startswith(start)}
