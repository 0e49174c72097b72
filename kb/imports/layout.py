"""The published layout in a directory: a manifest, the repositories, one file of records for each of them.

What the manifest gives a hash for is checked before anything is read; counts and names are checked against each other;
the manifest is read again at the end, so that a dataset that changed meanwhile is refused. Names from the data become
paths only after they have been checked, and a path must stay inside the directory.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path

import msgspec

from kb.imports.documents import RawArticle, RawRecord, RawRepository, SourceItem
from kb.imports.refusals import Refusal
from kb.imports.splitter import MOST_ELEMENT, split_array
from kb.imports.streams import open_stream
from kb.records.documents import Manifest, ManifestFile, decode_manifest

__all__ = ["LayoutSource", "is_layout"]

MANIFEST = "manifest.json"
_PREFIX = "/data/"
_CHUNK = 1024 * 1024


def is_layout(directory: Path) -> bool:
    """Whether a directory looks like a published layout, even one without its manifest."""
    return any((directory / name).exists() for name in (MANIFEST, "repos.json", "repos", "data/manifest.json"))


class LayoutSource:
    """A directory in the published layout. It is complete: what is not in it is gone."""

    complete = True

    def __init__(self, directory: Path) -> None:
        nested = directory / "data"
        self._root = nested if not (directory / MANIFEST).exists() and (nested / MANIFEST).exists() else directory
        self.name = str(directory)
        self.version = ""
        self.expected: int | None = None

    def read(self) -> Iterator[SourceItem]:
        """Repositories first, then the records of each, then the articles. Raises ``Refusal``."""
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
            first = problems[0]
            raise Refusal(first.code, first.origin, f"{first.path}: {first.message} {first.value}".strip())
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
        with open_stream(path, origin) as stream:
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
            with open_stream(listing, self._origin("repos.json")) as stream:
                for number, raw in split_array(stream):
                    yield RawRepository(f"{stream.origin}[{number}]", number, raw)
                    names[self._repository_name(raw, f"{stream.origin}[{number}]")] = None
        else:
            names = dict.fromkeys(self._names_on_disk())
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

    def _repository_name(self, raw: bytes, origin: str) -> str:
        try:
            name = msgspec.json.decode(raw)["repo"]
        except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
            raise Refusal("not_json", origin, "a repository is a JSON object with the field repo") from error
        owner, _, rest = name.partition("/") if isinstance(name, str) else ("", "", "")
        if (
            not owner
            or not rest
            or "/" in rest
            or "\\" in name
            or not name.isprintable()
            or {owner, rest} & {".", ".."}
        ):
            raise Refusal("unsafe_path", f"{origin}.repo", f"{name!r} is not the name of a repository")
        return str(name)

    def _records(self, name: str) -> Generator[SourceItem, None, int]:
        relative = f"repos/{name}.json"
        with open_stream(self._inside(relative), self._origin(relative)) as stream:
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
        return str(self._root / relative)

    def _inside(self, relative: str) -> Path:
        path = self._root / relative
        try:
            inside = path.resolve().is_relative_to(self._root.resolve())
        except (OSError, ValueError, RuntimeError):
            inside = False
        if not inside:
            raise Refusal("unsafe_path", str(path), "the path leaves the directory of the dataset")
        return path

    def _bytes(self, relative: str, *, missing: str) -> bytes:
        path = self._inside(relative)
        if not path.exists():
            raise Refusal(missing, str(path), f"there is no {relative}")
        with open_stream(path, str(path)) as stream:
            return stream.read_all(MOST_ELEMENT)


def _digest(path: Path, origin: str) -> tuple[int, str]:
    try:
        with path.open("rb") as file:
            size, digest = 0, hashlib.sha256()
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                digest.update(chunk)
    except FileNotFoundError as error:
        raise Refusal("missing_file", origin, "the manifest names this file, but it is not there") from error
    except (OSError, zlib.error, gzip.BadGzipFile) as error:
        raise Refusal("unreadable", origin, f"cannot be read: {error}") from error
    return size, digest.hexdigest()


def _check(origin: str, size: int, digest: str, said_size: int | None, said_digest: str | None) -> None:
    if said_size is not None and size != said_size:
        raise Refusal("wrong_size", origin, f"the manifest says {said_size:,} bytes, the file has {size:,}")
    if said_digest is not None and digest != said_digest:
        raise Refusal("wrong_hash", origin, f"the manifest says sha256 {said_digest}, the file has {digest}")
