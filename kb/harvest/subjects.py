"""What is to be harvested: an origin with the files that are read, and what is left out of it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kb.harvest.packages import Origin
from kb.harvest.skipping import is_pruned, split_by_rule

__all__ = ["MOST_BYTES", "Skipped", "SourceFile", "Subject", "found_in", "subject_of", "time_of"]

MOST_BYTES = 10_000_000
"""A module larger than this was made by a program, and is not read."""

_ENDING = ".py"
_LATEST = 4_102_444_800  # the year 2100: a file's time may be anything


class SourceFile(msgspec.Struct, frozen=True):
    """A regular file that can be read: where it is, its path in the package, its size, the SHA-256 of its bytes."""

    path: str
    relative: str
    size: int
    digest: str


class Skipped(msgspec.Struct, frozen=True):
    """A file that is not read, or a package, and why."""

    path: str
    why: str


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """``left_out`` are the numbers of files left out by rule; ``skipped`` are the files that could not be read."""

    origin: Origin
    place: str
    files: tuple[SourceFile, ...] = ()
    left_out: dict[str, int] = {}
    skipped: tuple[Skipped, ...] = ()

    @property
    def size(self) -> int:
        """The bytes to read."""
        return sum(file.size for file in self.files)


def subject_of(
    origin: Origin, root: Path, relatives: Iterable[str], *, skipped: Iterable[Skipped] = (), links: bool = True
) -> Subject:
    """The subject whose files are at these paths below ``root``. Files are hashed, none is parsed.

    Without ``links`` a symbolic link is skipped, since what it points to has a path of its own.
    """
    taken, left_out = split_by_rule(sorted(set(relatives)))
    files: list[SourceFile] = []
    problems = list(skipped)
    newest = 0.0
    for relative in taken:
        path = root / relative
        try:
            file, modified = _looked_at(path, relative, links=links)
        except (OSError, ValueError) as error:
            problems.append(Skipped(str(path), _why(error)))
        else:
            files.append(file)
            newest = max(newest, modified)
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative}\0{file.digest}\n".encode("utf-8", "surrogateescape"))
    names = sorted({file.relative.partition("/")[0].removesuffix(_ENDING) for file in files})
    whole = msgspec.structs.replace(
        origin, names=tuple(names), analyzed_sha=digest.hexdigest()[:40], analyzed_at=time_of(newest)
    )
    return Subject(
        origin=whole, place=str(root), files=tuple(files), left_out=left_out, skipped=tuple(sorted(problems, key=_key))
    )


def found_in(root: Path, skipped: list[Skipped]) -> list[str]:
    """The Python files below a directory. Links to directories are not followed, so there are no loops."""
    found: list[str] = []

    def complain(error: OSError) -> None:
        skipped.append(Skipped(str(error.filename or root), _why(error)))

    for folder, below, names in os.walk(root, onerror=complain):
        place = Path(folder)
        below[:] = sorted(name for name in below if not is_pruned(place / name))
        for name in [name for name in below if (place / name).is_symlink()]:
            skipped.append(Skipped(str(place / name), "a symbolic link to a directory"))
            below.remove(name)
        found += [(place / name).relative_to(root).as_posix() for name in names if name.endswith(_ENDING)]
    return found


def time_of(seconds: float) -> str:
    """A file's time as datasets write it, in UTC and in whole seconds."""
    moment = datetime.fromtimestamp(min(max(int(seconds), 0), _LATEST), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _looked_at(path: Path, relative: str, *, links: bool) -> tuple[SourceFile, float]:
    """The file and its time. Raises ``OSError`` or ``ValueError`` that says why it cannot be harvested."""
    relative.encode()  # a name that is not UTF-8 fits no record; raises ``UnicodeEncodeError``
    if not links and path.is_symlink():
        raise ValueError("a symbolic link")
    described = path.stat()
    if not stat.S_ISREG(described.st_mode):
        raise ValueError("not a regular file")
    if described.st_size > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 1_000_000} MB, as only generated modules are")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    return SourceFile(str(path), relative, len(content), hashlib.sha256(content).hexdigest()), described.st_mtime


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "its name is not UTF-8"
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


def _key(row: Skipped) -> tuple[str, str]:
    return row.path, row.why
