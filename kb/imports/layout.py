"""The published layout in a directory: a manifest, the repositories, one file of records for each of them.

What the manifest gives a hash for is checked before anything is read; counts and names are checked against each other;
the manifest is read again at the end, so that a dataset that changed meanwhile is refused. Names from the data become
paths only after they have been checked, and a path must stay inside the directory.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kb.imports.documents import RawArticle, RawRecord, RawRepository, SourceItem
from kb.imports.refusals import Refusal
from kb.imports.splitter import MOST_ELEMENT, split_array
from kb.imports.streams import ByteStream, open_regular, shown_name, wrap_stream
from kb.records.documents import Manifest, ManifestFile, decode_manifest
from kb.records.rules import REPO_FIELD

__all__ = ["LayoutSource", "is_layout"]

MANIFEST = "manifest.json"
_PREFIX = "/data/"
_CHUNK = 1024 * 1024
_NAME = re.compile(rf"(?:{REPO_FIELD.pattern})\Z")
_NAME_LENGTH = REPO_FIELD.max_length or 0


def is_layout(directory: Path) -> bool:
    """Whether a directory looks like a published layout, even one without its manifest."""
    return any((directory / name).exists() for name in (MANIFEST, "repos.json", "repos", "data/manifest.json"))


class LayoutSource:
    """A directory in the published layout. It is complete: what is not in it is gone."""

    complete = True

    def __init__(self, directory: Path) -> None:
        nested = directory / "data"
        self._root = nested if not (directory / MANIFEST).exists() and (nested / MANIFEST).exists() else directory
        self.name = shown_name(directory)
        self.version = ""
        self.expected: int | None = None

    def read(self) -> Iterator[SourceItem]:
        """Repositories first, then the records of each, then the articles. Raises ``Refusal``."""
        try:
            yield from self._read()
        except OSError as error:  # of looking into directories; files have messages of their own
            raise Refusal("unreadable", self.name, f"cannot be read: {error.strerror or error}") from error

    def _read(self) -> Iterator[SourceItem]:
        manifest_bytes = self._bytes(MANIFEST, missing="no_manifest")
        manifest = self._manifest(manifest_bytes)
        self.version, self.expected = manifest.dataset_version, manifest.counts.errors
        self._verify(manifest)
        records = yield from self._repositories(manifest)
        self._check_count("errors", manifest.counts.errors, records)
        articles = yield from self._articles()
        if manifest.counts.info_pages is not None:
            self._check_count("infoPages", manifest.counts.info_pages, articles)
        if self._bytes(MANIFEST, missing="vanished") != manifest_bytes:
            raise Refusal("vanished", self._origin(MANIFEST), "the dataset was replaced while it was read; try again")

    # -- the manifest ----------------------------------------------------------------------------------------------

    def _manifest(self, raw: bytes) -> Manifest:
        manifest, problems = decode_manifest(raw, origin=self._origin(MANIFEST))
        if manifest is None:
            raise Refusal.of(problems)
        return manifest

    def _verify(self, manifest: Manifest) -> None:
        for entry in manifest.files.values():
            path = self._inside(entry.path.removeprefix(_PREFIX))
            origin = self._origin(entry.path.removeprefix(_PREFIX))
            size, digest = _digest(path, origin)
            _check(origin, size, digest, entry.bytes, entry.sha256)
            if entry.encoding == "gzip" and (entry.raw_bytes is not None or entry.raw_sha256 is not None):
                self._verify_unpacked(path, origin, entry)

    def _verify_unpacked(self, path: Path, origin: str, entry: ManifestFile) -> None:
        digest = hashlib.sha256()
        with _open(path, origin) as stream:
            while chunk := stream.read():
                digest.update(chunk)
            _check(f"{origin} (unpacked)", stream.bytes_out, digest.hexdigest(), entry.raw_bytes, entry.raw_sha256)

    def _check_count(self, what: str, said: int, found: int) -> None:
        if said != found:
            message = f"counts.{what} is {said:,}, but the source holds {found:,}"
            raise Refusal("count_mismatch", self._origin(MANIFEST), message)

    # -- repositories and records ----------------------------------------------------------------------------------

    def _repositories(self, manifest: Manifest) -> Generator[SourceItem, None, int]:
        """Yields the repositories and their records; returns how many records there were."""
        names: dict[str, None] = {}
        listing = self._inside("repos.json")
        if listing.exists():
            with _open(listing, self._origin("repos.json")) as stream:
                for number, raw in split_array(stream):
                    origin = f"{stream.origin}[{number}]"
                    yield RawRepository(origin, number, raw)
                    name = _repository_name(raw, origin)
                    if name in names:
                        raise Refusal("count_mismatch", origin, f"repos.json lists {name} more than once")
                    names[name] = None
        else:
            names = dict.fromkeys(self._names_on_disk())
            for name in names:
                _check_name(name, self._origin(f"repos/{name}.json"))
        self._check_count("repos", manifest.counts.repos, len(names))
        self._check_strays(names)
        records = 0
        for name in names:
            records += yield from self._records(name)
        return records

    def _check_strays(self, names: dict[str, None]) -> None:
        for name in self._names_on_disk():
            if name not in names:
                raise Refusal(
                    "count_mismatch", self._origin(f"repos/{name}.json"), "repos.json does not list this repository"
                )

    def _names_on_disk(self) -> list[str]:
        root = self._root / "repos"
        return sorted(
            f"{owner.name}/{file.name.removesuffix('.json')}"
            for owner in (root.iterdir() if root.is_dir() else ())
            if owner.is_dir()
            for file in owner.iterdir()
            if file.name.endswith(".json")
        )

    def _records(self, name: str) -> Generator[SourceItem, None, int]:
        relative = f"repos/{name}.json"
        with _open(self._inside(relative), self._origin(relative)) as stream:
            count = 0
            for number, raw in split_array(stream):
                yield RawRecord(f"{stream.origin}[{number}]", number, raw, repo=name)
                count += 1
            return count

    # -- articles --------------------------------------------------------------------------------------------------

    def _articles(self) -> Generator[SourceItem, None, int]:
        """Yields the background articles; returns how many there were."""
        directory = self._root / "info"
        files = (
            sorted(path for path in directory.glob("*.json") if path.name != "index.json") if directory.is_dir() else []
        )
        for path in files:
            yield RawArticle(self._origin(f"info/{path.name}"), self._bytes(f"info/{path.name}", missing="vanished"))
        return len(files)

    # -- paths -----------------------------------------------------------------------------------------------------

    def _origin(self, relative: str) -> str:
        return shown_name(self._root / relative)

    def _inside(self, relative: str) -> Path:
        path = self._root / relative
        try:
            inside = path.resolve().is_relative_to(self._root.resolve())
        except (OSError, ValueError, RuntimeError):
            inside = False
        if not inside:
            raise Refusal("unsafe_path", shown_name(path), "the path leaves the directory of the dataset")
        return path

    def _bytes(self, relative: str, *, missing: str) -> bytes:
        path = self._inside(relative)
        if not path.exists():
            raise Refusal(missing, shown_name(path), f"there is no {relative}")
        with _open(path, shown_name(path)) as stream:
            return stream.read_all(MOST_ELEMENT)


@contextmanager
def _open(path: Path, origin: str) -> Iterator[ByteStream]:
    """A file of the layout, unpacked. Raises ``Refusal``."""
    with open_regular(path, origin) as raw:
        yield wrap_stream(raw, origin)


def _repository_name(raw: bytes, origin: str) -> str:
    try:
        name = msgspec.json.decode(raw)["repo"]
    except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("not_json", origin, "a repository is a JSON object with the field repo") from error
    return _check_name(name, f"{origin}.repo")


def _check_name(name: object, origin: str) -> str:
    """The name of a repository, by the rule that records follow too; it becomes a path and a key."""
    if not isinstance(name, str) or len(name) > _NAME_LENGTH or not _NAME.match(name):
        raise Refusal("unsafe_path", origin, f"{name!r} is not the name of a repository")
    return name


def _digest(path: Path, origin: str) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    try:
        with open_regular(path, origin) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                digest.update(chunk)
    except OSError as error:
        raise Refusal("unreadable", origin, f"cannot be read: {error}") from error
    return size, digest.hexdigest()


def _check(origin: str, size: int, digest: str, said_size: int | None, said_digest: str | None) -> None:
    if said_size is not None and size != said_size:
        raise Refusal("wrong_size", origin, f"the manifest says {said_size:,} bytes, the file has {size:,}")
    if said_digest is not None and digest != said_digest:
        raise Refusal("wrong_hash", origin, f"the manifest says sha256 {said_digest}, the file has {digest}")
