"""The layouts of the last revisions, as a server finds them: complete directories below ``KB_DATA_DIR/served``.

Nothing is asked of the database here. A directory takes its name once it is whole, so what has a name can be served;
what a power loss cut short is known by its size and counts as missing.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
from django.conf import settings

from kb.catalog.answers import CatalogView

__all__ = ["FORMAT", "MANIFEST", "STAMP", "ServedFile", "ServedLayout", "Stamp", "find", "home", "root_of", "usable"]

FORMAT = 1
"""Grows when the same catalog would be laid out otherwise, so that older directories are made anew."""
MANIFEST, STAMP = "manifest.json", "stamp.json"
_MOST_OPEN = 4


def home() -> Path:
    """The directory of the layouts."""
    return Path(settings.KB_DATA_DIR) / "served"


def root_of(revision: int) -> str:
    """What the paths of a revision's manifest begin with."""
    return f"/data/r/{revision}/"


class Stamp(msgspec.Struct, frozen=True):
    """What a directory says of itself. ``size`` is how many bytes it takes."""

    format: int
    revision: int
    version: str
    size: int


@dataclass(frozen=True, slots=True)
class ServedFile:
    """One file. ``packed`` is the same in gzip, ``None`` where that is not kept."""

    path: Path
    size: int
    sha256: str
    packed: Path | None


@dataclass(frozen=True, kw_only=True)
class ServedLayout:
    """The layout of one revision; ``files`` by their paths in it, the manifest among them."""

    revision: int
    version: str
    size: int
    files: Mapping[str, ServedFile]

    def is_of(self, state: CatalogView) -> bool:
        """Whether this is the catalog's present state."""
        return (self.revision, self.version) == (state.revision, state.version)

    def is_before(self, state: CatalogView) -> bool:
        """Whether this is what the catalog was some time ago, as far as that can be told from times."""
        return self.revision < state.revision and self.version < state.version


class _Entry(msgspec.Struct):
    path: str
    bytes: int
    sha256: str


class _Manifest(msgspec.Struct):
    files: dict[str, _Entry]


_stamp = msgspec.json.Decoder(Stamp)
_manifest = msgspec.json.Decoder(_Manifest)
_open: dict[tuple[str, int, int], ServedLayout] = {}
_lock = threading.Lock()


def find(revision: int) -> ServedLayout | None:
    """The layout of a revision, ``None`` when there is none that can be served. What was opened is remembered."""
    directory = home() / str(revision)
    try:
        status = (directory / STAMP).stat()
        key = (str(directory), status.st_ino, status.st_mtime_ns)
        known = _open.get(key)
        return known or _remember(key, _read(directory))
    except (OSError, msgspec.MsgspecError):
        return None


def usable(state: CatalogView) -> tuple[ServedLayout | None, ServedLayout | None]:
    """The layout of the present state, and the newest one before it; only the first is looked for when it is there."""
    current = find(state.revision)
    if current is not None and current.is_of(state):
        return current, None
    try:
        numbers = sorted(int(entry.name) for entry in home().iterdir() if entry.name.isdigit())
    except OSError:
        return None, None
    for number in reversed(numbers):
        before = find(number)
        if before is not None and before.is_before(state):
            return None, before
    return None, None


def _remember(key: tuple[str, int, int], layout: ServedLayout) -> ServedLayout:
    with _lock:
        while len(_open) >= _MOST_OPEN:
            del _open[next(iter(_open))]
        _open[key] = layout
    return layout


def _read(directory: Path) -> ServedLayout:
    """Raises ``OSError`` and msgspec's error for a directory that is not whole."""
    stamp = _stamp.decode((directory / STAMP).read_bytes())
    if stamp.format != FORMAT or str(stamp.revision) != directory.name:
        raise FileNotFoundError(directory)
    raw = (directory / "data" / MANIFEST).read_bytes()
    root = root_of(stamp.revision)
    entries = {entry.path.removeprefix(root): entry for entry in _manifest.decode(raw).files.values()}
    entries[MANIFEST] = _Entry(MANIFEST, len(raw), hashlib.sha256(raw).hexdigest())
    files = {name: _file(directory, name, entry) for name, entry in entries.items()}
    return ServedLayout(revision=stamp.revision, version=stamp.version, size=stamp.size, files=files)


def _file(directory: Path, name: str, entry: _Entry) -> ServedFile:
    path, packed = directory / "data" / name, directory / "packed" / f"{name}.gz"
    if path.stat().st_size != entry.bytes:
        raise FileNotFoundError(path)
    return ServedFile(path, entry.bytes, entry.sha256, packed if packed.exists() else None)
