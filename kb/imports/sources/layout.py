"""The published layout: a manifest, the repositories, one file of records for each of them, articles.

What the manifest gives a hash for is checked before anything is read, and everything else is checked against what is
hashed: names, counts, commits. The manifest is read again at the end, so that a dataset that changed meanwhile is
refused. Names from the data become paths only after they have been checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kb.imports.refusals import Refusal
from kb.imports.sources.documents import Preparation, RawArticle, RawRecord, RawRepository, SourceItem
from kb.imports.sources.listings import (
    LISTING,
    ListedRepository,
    check_name,
    decode_listed,
    is_ignored,
    manifest_of,
    manifest_path,
    manifest_paths,
)
from kb.imports.sources.splitter import MOST_ELEMENT, split_array
from kb.imports.sources.streams import ByteStream, wrap_stream
from kb.imports.sources.trees import MANIFEST, Tree, refuse_collisions
from kb.records.documents import Manifest, ManifestFile
from kb.records.text import counted

__all__ = [
    "LISTING",
    "LayoutSource",
    "ListedRepository",
    "decode_listed",
    "manifest_of",
    "manifest_path",
    "manifest_paths",
]

_CHUNK = 1024 * 1024
_TOLD = 3


class LayoutSource:
    """A published layout. It is complete: what is not in it is gone."""

    complete = True

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._hashed: frozenset[str] = frozenset()
        self._memory: dict[str, Any] = {}
        self._listed: dict[str, ListedRepository] = {}
        self._other_commits: list[str] = []
        self.name = tree.name
        self.version = ""
        self.expected: int | None = None
        self.notices: list[str] = []

    def unchanged(self, remembered: Mapping[str, Any]) -> bool:
        """Whether it is the layout that was read: its manifest's hash, and the times of what that does not hash."""
        if remembered.get("kind") != "layout" or not isinstance(remembered.get("sha256"), str):
            return False
        raw = self._bytes(MANIFEST, missing="no_manifest")
        if hashlib.sha256(raw).hexdigest() != remembered["sha256"]:
            return False
        hashed = manifest_paths(manifest_of(raw, self._tree.origin(MANIFEST)))
        return self._stamps(hashed) == remembered.get("stamps")

    def prepare(self, progress: Preparation) -> None:
        """Nothing: the files are here."""

    def memory(self) -> dict[str, Any]:
        """The hash of the manifest, and one over the times of the other files as they were before they were read."""
        return self._memory

    def close(self) -> None:
        """Nothing is left open."""

    def read(self) -> Iterator[SourceItem]:
        """Repositories first, then the records of each, then the articles. Raises ``Refusal``."""
        try:
            yield from self._read()
        except OSError as error:  # of looking into directories; files have messages of their own
            raise Refusal("unreadable", self.name, f"cannot be read: {error.strerror or error}") from error

    def _read(self) -> Iterator[SourceItem]:
        raw = self._bytes(MANIFEST, missing="no_manifest")
        manifest = manifest_of(raw, self._tree.origin(MANIFEST))
        self.version, self.expected = manifest.dataset_version, manifest.counts.errors
        self._hashed = manifest_paths(manifest)
        seen = {"kind": "layout", "sha256": hashlib.sha256(raw).hexdigest(), "stamps": self._stamps(self._hashed)}
        self._verify(manifest)
        records = yield from self._repositories(manifest)
        self._check_count("errors", manifest.counts.errors, records)
        articles = yield from self._articles()
        if manifest.counts.info_pages is not None:
            self._check_count("infoPages", manifest.counts.info_pages, articles)
        if self._bytes(MANIFEST, missing="vanished") != raw:
            message = "the dataset was replaced while it was read; try again"
            raise Refusal("vanished", self._tree.origin(MANIFEST), message)
        self._tell_commits()
        self._memory = seen

    def _stamps(self, hashed: frozenset[str]) -> str:
        paths = [LISTING, *self._tree.paths("repos"), *self._tree.paths("info")]
        digest = hashlib.sha256()
        for path in paths:
            if path not in hashed:
                digest.update(f"{path}\n{self._tree.stamp(path)}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    # -- what the manifest says ------------------------------------------------------------------------------------

    def _verify(self, manifest: Manifest) -> None:
        for entry in manifest.files.values():
            path = manifest_path(entry)
            if is_ignored(path):
                continue
            origin = self._tree.origin(path)
            size, digest = self._digest(path)
            _check(origin, size, digest, entry.bytes, entry.sha256)
            if entry.encoding == "gzip" and (entry.raw_bytes is not None or entry.raw_sha256 is not None):
                self._verify_unpacked(path, entry)

    def _digest(self, path: str) -> tuple[int, str]:
        size, digest = 0, hashlib.sha256()
        try:
            with self._tree.open(path) as file:
                while chunk := file.read(_CHUNK):
                    size += len(chunk)
                    digest.update(chunk)
        except OSError as error:
            raise Refusal("unreadable", self._tree.origin(path), f"cannot be read: {error}") from error
        return size, digest.hexdigest()

    def _verify_unpacked(self, path: str, entry: ManifestFile) -> None:
        digest = hashlib.sha256()
        with self._open(path) as stream:
            while chunk := stream.read():
                digest.update(chunk)
            said = entry.raw_bytes, entry.raw_sha256
            _check(f"{self._tree.origin(path)} (unpacked)", stream.bytes_out, digest.hexdigest(), *said)

    def _check_count(self, what: str, said: int, found: int) -> None:
        if said != found:
            message = f"counts.{what} is {said:,}, but the source holds {found:,}"
            raise Refusal("count_mismatch", self._tree.origin(MANIFEST), message)

    # -- repositories and records ----------------------------------------------------------------------------------

    def _repositories(self, manifest: Manifest) -> Generator[SourceItem, None, int]:
        """Yields the repositories and their records; returns how many records there were."""
        listed = self._listed = {}
        if self._tree.has(LISTING):
            with self._open(LISTING) as stream:
                for number, raw in split_array(stream):
                    origin = f"{stream.origin}[{number}]"
                    yield RawRepository(origin, number, raw)
                    found = decode_listed(raw, origin)
                    if found.name in listed:
                        raise Refusal("count_mismatch", origin, f"repos.json lists {found.name} more than once")
                    listed[found.name] = found
        else:
            listed.update((name, ListedRepository(name)) for name in self._names_in_tree())
            for found in listed.values():
                check_name(found.name, self._tree.origin(found.path))
        self._check_count("repos", manifest.counts.repos, len(listed))
        self._check_strays(listed)
        refuse_collisions(listed, self._tree.origin("repos"))
        records = 0
        for name, found in listed.items():
            count = yield from self._records(name)
            self._check_listed(found, count)
            records += count
        return records

    def _check_strays(self, names: Iterable[str]) -> None:
        known = frozenset(names)
        for name in self._names_in_tree():
            if name not in known:
                origin = self._tree.origin(f"repos/{name}.json")
                raise Refusal("count_mismatch", origin, "repos.json does not list this repository")

    def _names_in_tree(self) -> list[str]:
        return [path.removeprefix("repos/").removesuffix(".json") for path in self._tree.paths("repos")]

    def _records(self, name: str) -> Generator[SourceItem, None, int]:
        listed = self._listed.get(name)
        commit = f'"{listed.commit}"'.encode() if listed and listed.commit else b""
        count, known = 0, not commit
        with self._open(f"repos/{name}.json") as stream:
            for number, raw in split_array(stream):
                yield RawRecord(f"{stream.origin}[{number}]", number, raw, repo=name)
                known = known or commit in raw
                count += 1
        if count and not known:
            self._other_commits.append(name)
        return count

    def _check_listed(self, listed: ListedRepository, count: int) -> None:
        """The file of a repository against its entry in the listing, where the manifest does not vouch for the file."""
        if listed.count is not None and listed.count != count and listed.path not in self._hashed:
            message = f"repos.json counts {listed.count:,} records, but the file holds {count:,}"
            raise Refusal("count_mismatch", self._tree.origin(listed.path), message)

    def _tell_commits(self) -> None:
        if self._other_commits:
            shown = ", ".join(self._other_commits[:_TOLD])
            more = ", …" if len(self._other_commits) > _TOLD else ""
            where = counted(len(self._other_commits), "repository", "repositories")
            self.notices.append(f"In {where} no record is of the commit that repos.json names ({shown}{more}).")

    # -- articles --------------------------------------------------------------------------------------------------

    def _articles(self) -> Generator[SourceItem, None, int]:
        """Yields the background articles; returns how many there were."""
        paths = [path for path in self._tree.paths("info") if path != "info/index.json"]
        refuse_collisions(paths, self._tree.origin("info"))
        for path in paths:
            yield RawArticle(self._tree.origin(path), self._bytes(path, missing="vanished"))
        return len(paths)

    # -- files -----------------------------------------------------------------------------------------------------

    def _bytes(self, path: str, *, missing: str) -> bytes:
        if not self._tree.has(path):
            raise Refusal(missing, self._tree.origin(path), f"there is no {path}")
        with self._open(path) as stream:
            return stream.read_all(MOST_ELEMENT)

    @contextmanager
    def _open(self, path: str) -> Iterator[ByteStream]:
        with self._tree.open(path) as raw:
            yield wrap_stream(raw, self._tree.origin(path))


def _check(origin: str, size: int, digest: str, said_size: int | None, said_digest: str | None) -> None:
    if said_size is not None and size != said_size:
        raise Refusal("wrong_size", origin, f"the manifest says {said_size:,} bytes, the file has {size:,}")
    if said_digest is not None and digest != said_digest:
        raise Refusal("wrong_hash", origin, f"the manifest says sha256 {said_digest}, the file has {digest}")
