"""The files of one revision's index and the manifest that vouches for them.

tantivy does not check what it reads: a flipped bit opens fine and fails later. So a published folder holds
``manifest.json`` with the size and the SHA-256 of every file. Sizes are checked at every opening, sums on demand.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import msgspec

__all__ = [
    "MANIFEST",
    "NEXT",
    "OLD",
    "RECORDS",
    "WORDS",
    "FileSum",
    "Manifest",
    "foreign",
    "link_files",
    "put_in_place",
    "read_manifest",
    "remove_index",
    "stamped",
    "sum_problems",
    "sums",
    "sync_folder",
    "write_manifest",
    "wrong_sizes",
]

MANIFEST = "manifest.json"
RECORDS = "records"
"""The folder of the main index inside a revision's folder."""
WORDS = "words"
"""The folder of the index of known words."""
NEXT = ".next-"
"""What the name of a folder begins with that is being prepared."""
OLD = ".old-"
"""What the name of a folder begins with that another one has replaced."""
_REWRITTEN = frozenset({"meta.json", ".managed.json"})
_LOCK_SUFFIX = ".lock"


class FileSum(msgspec.Struct, frozen=True):
    """Size in bytes, and SHA-256 in hexadecimal digits."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a published folder holds: ``files`` by their path in it, the fingerprint of the index's ``format``, and how
    many records were ``replaced`` or removed since it was built from nothing. ``catalog`` is the version of its
    revision, which no revision of another catalog has; empty when nobody told.
    """

    format: str
    revision: int
    documents: int
    replaced: int
    files: dict[str, FileSum]
    catalog: str = ""

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(entry.bytes for entry in self.files.values())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises ``OSError`` when there is none, ``msgspec.DecodeError`` when it is damaged."""
    return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's manifest so that it survives a crash of the machine."""
    path = folder / MANIFEST
    with path.open("wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def foreign(folder: Path, catalog: str) -> str:
    """What to say when a published folder was not made of the catalog with this version; empty when it was, and when
    one of them does not tell.
    """
    with suppress(OSError, msgspec.DecodeError):
        found = read_manifest(folder).catalog
        if catalog and found and found != catalog:
            return f"The index of revision {folder.name} was made of another catalog, as it was at {found}."
    return ""


def stamped(folder: Path, manifest: Manifest, catalog: str) -> Manifest:
    """The manifest with the version of the catalog's revision, written into its folder when it is another one."""
    if manifest.catalog == catalog:
        return manifest
    manifest = msgspec.structs.replace(manifest, catalog=catalog)
    write_manifest(folder, manifest)
    return manifest


def put_in_place(folder: Path, revision: int) -> Path:
    """Let readers see a prepared folder as the index of a revision, in place of an older one; gives where it is now."""
    final = folder.parent / str(revision)
    old = folder.parent / f"{OLD}{revision}-{token_hex(4)}"
    with suppress(FileNotFoundError):
        final.rename(old)
    folder.rename(final)
    sync_folder(final.parent)
    shutil.rmtree(old, ignore_errors=True)
    return final


def remove_index(folder: Path) -> None:
    """Remove an index. Without its manifest it is none any more, should the removal stop half-way."""
    (folder / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a crash, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def link_files(source: Path, target: Path) -> None:
    """Give a new folder the files of an index: hard links for what is never rewritten, copies for the rest and where
    the file system has no links.
    """
    target.mkdir()
    for entry in sorted(source.iterdir()):
        if entry.name.endswith(_LOCK_SUFFIX):
            continue
        if entry.name not in _REWRITTEN:
            try:
                os.link(entry, target / entry.name)
                continue
            except OSError:
                pass  # another file system, or one without links
        shutil.copy2(entry, target / entry.name)


def sums(folder: Path, *, known: Mapping[str, FileSum], base: Path | None) -> dict[str, FileSum]:
    """The sums of all files of a new index. What is still the same file as in ``base`` keeps its ``known`` sum."""
    found: dict[str, FileSum] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_file() or path.name.endswith(_LOCK_SUFFIX) or name == MANIFEST:
            continue
        if base is not None and name in known and _same_file(path, base / name):
            found[name] = known[name]
        else:
            found[name] = _summed(path)
    return found


def _summed(path: Path) -> FileSum:
    """The sum of a new file, which survives a crash of the machine from here on: its revision is committed next."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileSum(os.fstat(file.fileno()).st_size, digest)


def _same_file(left: Path, right: Path) -> bool:
    try:
        return left.samefile(right)
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def wrong_sizes(folder: Path, manifest: Manifest) -> list[str]:
    """What is missing or has another size, one sentence each. Reads no content."""
    problems = []
    for name, entry in manifest.files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError:
            problems.append(f"{name} is missing")
            continue
        if size != entry.bytes:
            problems.append(f"{name} has {size:,} bytes instead of {entry.bytes:,}")
    return problems


def sum_problems(folder: Path, manifest: Manifest) -> list[str]:
    """Like :func:`wrong_sizes`, and whose content differs from its sum. Reads everything."""
    problems = wrong_sizes(folder, manifest)
    if problems:
        return problems
    for name, entry in manifest.files.items():
        try:
            same = _sha256(folder / name) == entry.sha256
        except OSError as problem:
            problems.append(f"{name} cannot be read: {problem.strerror}")
            continue
        if not same:
            problems.append(f"{name} differs from its SHA-256")
    return problems
