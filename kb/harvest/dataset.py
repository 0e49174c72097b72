"""Harvested records as a dataset: the published layout in a directory, or JSON Lines.

Files are the same to the byte whenever the records are, so that an import can see that nothing changed.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec

from kb.harvest.running import PackageHarvest
from kb.harvest.work import Row
from kb.records.record import SCHEMA_VERSION

__all__ = ["Layout", "NotOurs", "RepositoryHarvest", "by_repository", "lines", "replacing"]

_DATA_ROOT: Final = "/data/"
_MANIFEST, _LISTING, _FOLDER = "manifest.json", "repos.json", "repos"
_FIRST_VERSION: Final = "1970-01-01T00:00:00Z"
_encode = msgspec.json.Encoder().encode


class NotOurs(ValueError):
    """A directory that must not be replaced; the text is meant for the person who named it."""


class RepositoryHarvest(msgspec.Struct, frozen=True):
    """All records of one repository, and what is said of it."""

    info: dict[str, Any]
    rows: list[Row]

    @property
    def name(self) -> str:
        """``owner/name``."""
        return str(self.info["repo"])


def by_repository(
    harvests: Iterable[PackageHarvest], slugs_beside: Callable[[str], Mapping[str, str]] = lambda _: {}
) -> Iterator[RepositoryHarvest]:
    """What several distributions of one repository have, together; they come in the order of their repositories.

    Of records with the same id the first stays. Slugs are unique: one that is taken gets digits of its record's id.
    ``slugs_beside`` gives the slugs that other datasets' records of a repository have, with the ids of those.
    """
    for repository, group in groupby(harvests, lambda harvest: harvest.origin.repository):
        taken: dict[str, Row] = {}
        beside = slugs_beside(repository)
        slugs: set[str] = set()
        members = []
        for harvest in group:
            members.append(harvest)
            for row in harvest.rows():
                if row.id not in taken:
                    others = slugs if beside.get(row.slug, row.id) == row.id else slugs | beside.keys()
                    own = _with_free_slug(row, others)
                    taken[own.id] = own
                    slugs.add(own.slug)
        if taken:
            yield RepositoryHarvest(
                _info(repository, members, len(taken)), sorted(taken.values(), key=lambda row: (row.slug, row.id))
            )


def lines(harvests: Iterable[PackageHarvest]) -> Iterator[bytes]:
    """The records as JSON Lines."""
    for repository in by_repository(harvests):
        for row in repository.rows:
            yield row.raw + b"\n"


class Layout:
    """Writes a published layout into an empty directory: repositories one by one, then what names them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, dict[str, Any]] = {}
        self._infos: dict[str, dict[str, Any]] = {}
        self.records = 0

    @property
    def repositories(self) -> list[str]:
        """The names of those that are in it."""
        return sorted(self._infos)

    def add(self, repository: RepositoryHarvest) -> None:
        """Writes the records of a repository."""
        self._put(f"{_FOLDER}/{repository.name}", _array(row.raw for row in repository.rows))
        self._infos[repository.name] = repository.info
        self.records += len(repository.rows)

    def adopt(self, other: Path) -> list[str]:
        """Takes over the repositories of another layout that are not in this one; their names."""
        folded = {name.casefold() for name in self._infos}
        adopted = []
        for info in msgspec.json.decode((other / _LISTING).read_bytes(), type=list[dict[str, Any]]):
            name = str(info["repo"])
            if name.casefold() not in folded:
                content = (other / _FOLDER / f"{name}.json").read_bytes()
                self._put(f"{_FOLDER}/{name}", content)
                self._infos[name] = info
                self.records += len(msgspec.json.decode(content, type=list[msgspec.Raw]))
                adopted.append(name)
        return adopted

    def finish(self) -> None:
        """Writes the list of the repositories, and the manifest, which has the hash of every file."""
        infos = [self._infos[name] for name in self.repositories]
        self._put(_FOLDER, _array(_encode(info) for info in infos))
        version = max((str(info.get("analyzedAt") or "") for info in infos), default="") or _FIRST_VERSION
        manifest = {
            "schemaVersion": SCHEMA_VERSION,
            "datasetVersion": version,
            "counts": {"repos": len(infos), "errors": self.records},
            "files": dict(sorted(self._files.items())),
        }
        (self._folder / _MANIFEST).write_bytes(msgspec.json.format(_encode(manifest), indent=1) + b"\n")

    def _put(self, name: str, content: bytes) -> None:
        path = self._folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        self._files[name] = {"path": f"{_DATA_ROOT}{name}.json", "bytes": len(content), "sha256": digest}


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """An empty directory that takes the place of ``target`` when the block ends well.

    What is there may be an empty directory or an earlier layout; raises ``NotOurs`` before anything is done for all
    else, and ``OSError``.
    """
    _refuse_foreign(target)
    mark = secrets.token_hex(4)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{mark}.new")
    draft.mkdir()
    try:
        yield draft
        old = target.with_name(f".{target.name}.{mark}.old")
        if target.exists():
            target.rename(old)
        draft.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _refuse_foreign(target: Path) -> None:
    """Raises ``NotOurs`` for what is neither missing nor empty nor a layout as it is written here."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise NotOurs(f"{target} is no directory")
    inside = {path.name for path in target.iterdir()} if target.exists() else set()
    if inside and inside | {_FOLDER} != {_MANIFEST, _LISTING, _FOLDER}:
        raise NotOurs(f"{target} holds something else than an earlier harvest; name another directory")


def _array(elements: Iterable[bytes]) -> bytes:
    joined = b",\n".join(elements)
    return b"[\n" + joined + b"\n]\n" if joined else b"[]\n"


def _with_free_slug(row: Row, taken: set[str]) -> Row:
    if row.slug not in taken:
        return row
    slug = next(slug for digits in (6, 16) if (slug := f"{row.slug[:50].rstrip('-')}-{row.id[:digits]}") not in taken)
    record = msgspec.json.decode(row.raw)
    record["slug"] = slug
    return Row(row.id, slug, _encode(record))


def _info(repository: str, members: list[PackageHarvest], count: int) -> dict[str, Any]:
    """What is said of a repository: by its first distribution with records, since the commit must be some record's."""
    first = next((member for member in members if member.count), members[0])
    origin = first.origin
    return {
        "repo": repository,
        "description": origin.summary or None,
        "language": "Python",
        "sourceFiles": sum(member.files for member in members),
        "analyzedSha": origin.analyzed_sha,
        "analyzedAt": max(member.origin.analyzed_at for member in members),
        "errorCount": count,
    }
