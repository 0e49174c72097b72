"""Fetches a published layout from its base address, several files at a time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import Address
from kb.imports.sources.connections import Session
from kb.imports.sources.documents import Preparation
from kb.imports.sources.downloads import Wanted, fetch, stored
from kb.imports.sources.listings import LISTING, decode_listed, is_ignored, manifest_of, manifest_path
from kb.imports.sources.splitter import MOST_ELEMENT, split_array
from kb.imports.sources.streams import ByteStream, open_stream
from kb.imports.sources.trees import MANIFEST, safe_path
from kb.records.documents import Manifest
from kb.records.rules import SLUG

__all__ = ["Mirror"]

_ARTICLES = "info/index.json"
_MOST = {MANIFEST: MOST_ELEMENT, LISTING: 1024**3, _ARTICLES: 1024**3}
_MOST_FILE = 4 * 1024**3


@dataclass
class Mirror:
    """The files of one layout in one folder. ``base`` ends in a slash."""

    session: Session
    folder: Path
    base: Address
    validators: dict[str, str] = field(default_factory=dict)
    _manifest: bytes = b""
    _release: str = ""
    _sizes: dict[str, int] = field(default_factory=dict)

    def fetch(self, progress: Preparation) -> dict[str, Path]:
        """Every file of the layout as the manifest of this moment has it: where the file of each path lies.

        Raises ``Refusal``, and what ``progress`` raises.
        """
        manifest = self._begin()
        first = [LISTING, *self._article_listing(manifest)]
        self._fetch_all([LISTING], None)
        named = [*self._sizes, *self._repositories(), *(self._articles() if len(first) > 1 else ())]
        paths = [path for path in dict.fromkeys(named) if path not in first]
        progress.phase(f"Fetching the files of {self.base.shown}", len(paths))
        self._fetch_all(paths, progress)
        return {path: stored(self.folder, path) for path in (MANIFEST, *first, *paths)}

    def is_still_current(self) -> bool:
        """Whether the manifest is still the one that the files were fetched for."""
        self.validators = fetch(self.session, self.folder, self._wanted(MANIFEST)) or {}
        return stored(self.folder, MANIFEST).read_bytes() == self._manifest

    def manifest(self, known: Mapping[str, str]) -> bytes | None:
        """The manifest of this moment; ``None`` when it is the one that has these validators."""
        if self._fetch_manifest(known) is None:
            return None
        return stored(self.folder, MANIFEST).read_bytes()

    # -- what there is ---------------------------------------------------------------------------------------------

    def _fetch_manifest(self, known: Mapping[str, str] | None = None) -> dict[str, str] | None:
        """At the base, or in ``data`` below it, as in a directory."""
        try:
            return fetch(self.session, self.folder, replace(self._wanted(MANIFEST), known=known))
        except Refusal as refusal:
            if refusal.code != "missing_file" or self.base.path.endswith("/data/"):
                raise
        nested = replace(self, base=self.base.child("data/"))
        try:
            found = fetch(self.session, self.folder, replace(nested._wanted(MANIFEST), known=known))  # noqa: SLF001
        except Refusal as refusal:
            if refusal.code == "missing_file":
                raise Refusal(
                    "no_manifest", self.base.shown, f"there is no {MANIFEST}, not in data either"
                ) from refusal
            raise
        self.base = nested.base
        return found

    def _begin(self) -> Manifest:
        self._fetch_manifest()
        self._manifest = stored(self.folder, MANIFEST).read_bytes()
        self._release = hashlib.sha256(self._manifest).hexdigest()
        with self._open(MANIFEST) as stream:
            manifest = manifest_of(stream.read_all(MOST_ELEMENT), stream.origin)
        entries = {safe_path(manifest_path(entry), self._origin(MANIFEST)): entry for entry in manifest.files.values()}
        self._sizes = {path: entry.bytes for path, entry in entries.items() if not is_ignored(path)}
        return manifest

    def _article_listing(self, manifest: Manifest) -> list[str]:
        """The list of articles, if there is one. Where the manifest counts none it is not asked for."""
        if manifest.counts.info_pages == 0:
            return []
        try:
            fetch(self.session, self.folder, self._wanted(_ARTICLES))
        except Refusal as refusal:
            if refusal.code != "missing_file" or manifest.counts.info_pages:
                raise
            return []
        return [_ARTICLES]

    def _repositories(self) -> Iterator[str]:
        with self._open(LISTING) as stream:
            for number, raw in split_array(stream):
                yield decode_listed(raw, f"{stream.origin}[{number}]").path

    def _articles(self) -> Iterator[str]:
        with self._open(_ARTICLES) as stream:
            for number, raw in split_array(stream):
                origin = f"{stream.origin}[{number}]"
                try:
                    slug = msgspec.json.decode(raw)["slug"]
                except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
                    raise Refusal("not_json", origin, "an entry is a JSON object with the field slug") from error
                if not isinstance(slug, str) or not re.fullmatch(SLUG, slug):
                    raise Refusal("unsafe_path", f"{origin}.slug", f"{slug!r} is not the slug of an article")
                yield f"info/{slug}.json"

    @contextmanager
    def _open(self, path: str) -> Iterator[ByteStream]:
        with open_stream(stored(self.folder, path), self._origin(path)) as stream:
            yield stream

    def _origin(self, path: str) -> str:
        return f"{self.base.shown}{path}"

    # -- fetching --------------------------------------------------------------------------------------------------

    def _wanted(self, path: str) -> Wanted:
        size = self._sizes.get(path)
        return Wanted(
            path=path,
            address=self.base.child(path),
            release="" if path == MANIFEST else self._release,
            most_bytes=_MOST.get(path, _MOST_FILE) if size is None else size,
            exact_bytes=size is not None,
        )

    def _fetch_all(self, paths: Sequence[str], progress: Preparation | None) -> None:
        """All of these files. The first fault ends the rest."""
        with ThreadPoolExecutor(self.session.rules.connections, "fetch") as pool:
            waiting = [pool.submit(fetch, self.session, self.folder, self._wanted(path)) for path in paths]
            try:
                for done in as_completed(waiting):
                    done.result()
                    if progress is not None:
                        progress.advance(1)
            except BaseException:
                self.session.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
