"""The distributions that are installed in a Python environment. Nothing of it is imported, its Python is not run."""

from __future__ import annotations

import csv
import difflib
import os
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

from kb.harvest.metadata import Home, Stated, canonical, home_of, of_core_metadata
from kb.harvest.packages import Origin
from kb.harvest.subjects import Skipped, Subject, found_in, subject_of

__all__ = ["Environment", "NotThere", "open_environment"]

_FOLDERS: Final = ("site-packages", "dist-packages")
_PATTERNS: Final = ("lib*/python3*/{}", "Lib/{}", "local/lib/python3*/{}")


class NotThere(ValueError):
    """What was asked for does not exist; the text is meant for the person who asked."""


class _Installed(msgspec.Struct, frozen=True):
    """One distribution: what its metadata states, where it is installed, and how its files are listed."""

    stated: Stated
    place: Path
    listing: tuple[str, ...]
    pinned: str
    editable: Path | None


class Environment:
    """The distributions below some ``site-packages`` directories; of a name that is in several, the first counts."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self.skipped: list[Skipped] = []
        self._installed: dict[str, _Installed] = {}
        for folder in self.folders:
            self._open(folder)

    def __len__(self) -> int:
        return len(self._installed)

    def names(self) -> list[str]:
        """The canonical names of all distributions."""
        return sorted(self._installed)

    def importable(self) -> frozenset[str]:
        """The top-level names that can be imported in it, besides the standard library's."""
        firsts = (path.partition("/")[0] for row in self._installed.values() for path in row.listing)
        return frozenset(name for first in firsts if (name := first.removesuffix(".py")).isidentifier())

    def resolve(self, words: Iterable[str], *, needed: bool = False) -> list[str]:
        """The canonical names of what was asked for by the name of a distribution or of an imported package.

        With ``needed`` also of everything that these need, as far as it is installed. Raises ``NotThere``.
        """
        chosen: dict[str, set[str]] = {}
        for word in words:
            name = re.sub(r"\[.*", "", word)
            for found in [canonical(name)] if canonical(name) in self._installed else self._that_bring(name):
                chosen[found] = set()
        if needed:
            self._follow(chosen)
        return sorted(chosen)

    def subject(self, name: str) -> Subject:
        """One distribution by its canonical name. Its files are looked at, none is parsed."""
        found = self._installed[name]
        stated = found.stated
        home = home_of(stated, pinned=found.pinned) or Home(f"pypi/{canonical(stated.name)}", "", "")
        origin = Origin(
            distribution=stated.name,
            version=stated.version,
            repository=home.repository,
            address=home.address,
            revision=home.revision,
            summary=stated.summary,
        )
        if found.editable is not None:
            skipped: list[Skipped] = []
            relatives = found_in(found.editable, skipped)
            return subject_of(origin, found.editable, relatives, skipped=skipped, links=False)
        return subject_of(origin, found.place, found.listing)

    # -- what is installed ---------------------------------------------------------------------------------------------

    def _open(self, folder: Path) -> None:
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self.skipped.append(Skipped(str(folder), (error.strerror or str(error)).lower()))
            return
        for entry in entries:
            if entry.suffix in {".egg", ".zip", ".pyz", ".whl"} and entry.is_file():
                self.skipped.append(Skipped(str(entry), "imported from an archive"))
        for distribution in metadata.distributions(path=[str(folder)]):
            try:
                found = _installed(distribution, folder)
            except (OSError, ValueError, csv.Error) as error:
                self.skipped.append(Skipped(str(folder), f"metadata that cannot be read: {error}"))
                continue
            if found is not None:
                self._installed.setdefault(canonical(found.stated.name), found)

    def _that_bring(self, name: str) -> list[str]:
        """The distributions with an imported package of this name. Raises ``NotThere``."""
        found = [
            key
            for key, row in self._installed.items()
            if any(path.partition("/")[0].removesuffix(".py") == name for path in row.listing)
        ]
        if not found:
            near = difflib.get_close_matches(canonical(name), self._installed, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            where = ", ".join(str(folder) for folder in self.folders)
            raise NotThere(f"no package {name!r} is installed in {where}.{hint}")
        return found

    def _follow(self, chosen: dict[str, set[str]]) -> None:
        """Adds what the chosen need, with the extras that are asked of each."""
        waiting = list(chosen)
        while waiting:
            name = waiting.pop()
            for need in self._installed[name].stated.needs:
                if need.name not in self._installed or (need.extra and need.extra not in chosen[name]):
                    continue
                extras = chosen.get(need.name)
                if extras is None or not extras.issuperset(need.extras):
                    chosen.setdefault(need.name, set()).update(need.extras)
                    waiting.append(need.name)


def open_environment(root: Path | None) -> Environment:
    """The environment at a directory, or the one that this program runs in.

    The directory is that of a virtual environment or an installation, or a ``site-packages`` itself. Raises
    ``NotThere``.
    """
    if root is None:
        folders = [Path(entry) for entry in sys.path if Path(entry).name in _FOLDERS]
    elif not root.is_dir():
        raise NotThere(f"{root} is not a directory")
    else:
        folders = [found for name in _FOLDERS for pattern in _PATTERNS for found in root.glob(pattern.format(name))]
        if not folders and (root.name in _FOLDERS or any(root.glob("*.dist-info")) or any(root.glob("*.egg-info"))):
            folders = [root]
    unique: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            unique.setdefault(os.path.realpath(folder), folder)
    if not unique:
        raise NotThere(f"{root or sys.prefix} is no Python environment: there is no site-packages in it")
    return Environment(list(unique.values()))


def _installed(distribution: metadata.Distribution, folder: Path) -> _Installed | None:
    """What is known of a distribution; nothing when its metadata has no name."""
    stated = of_core_metadata(distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or "")
    if not stated.name:
        return None
    pinned = distribution.read_text("direct_url.json") or ""
    record = distribution.read_text("RECORD")
    if record is not None:
        listing = tuple(_inside(row[0] for row in csv.reader(record.splitlines()) if row))
    else:
        listing = tuple(_without_record(distribution, folder, stated))
    modules = tuple(path for path in listing if path.endswith(".py"))
    editable = _project(pinned) if any(path.endswith(".pth") for path in listing) or not modules else None
    return _Installed(stated, folder, modules, pinned, editable)


def _inside(paths: Iterable[str]) -> Iterator[str]:
    """The paths that stay in ``site-packages``; programs beside it are listed, too."""
    for path in paths:
        normal = posixpath.normpath(path.replace("\\", "/"))
        if not normal.startswith(("/", "../")) and "\0" not in normal:
            yield normal


def _without_record(distribution: metadata.Distribution, folder: Path, stated: Stated) -> Iterator[str]:
    """The modules of what was not installed from a wheel: below its top-level names, else below its own name."""
    names = (distribution.read_text("top_level.txt") or stated.name.replace("-", "_")).split()
    for name in _inside(names):
        if (folder / name).is_dir():
            yield from (f"{name}/{path}" for path in found_in(folder / name, []))
        elif (folder / f"{name}.py").is_file():
            yield f"{name}.py"


def _project(pinned: str) -> Path | None:
    """The directory of a project that is installed for editing."""
    with suppress(msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError, OSError):
        found = msgspec.json.decode(pinned.encode())
        if found["dir_info"].get("editable") is True and urlsplit(found["url"]).scheme == "file":
            place = Path(unquote(urlsplit(found["url"]).path))
            return place if place.is_dir() else None
    return None
