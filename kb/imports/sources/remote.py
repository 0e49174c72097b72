"""A source behind an address: the base of a published layout, or one file or archive.

Everything is fetched before anything is read, into a folder of its own that a later run can go on in. A dataset that
was replaced meanwhile is refused; when it is fetched once more, files that did not change are not sent again.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import Address, FetchRules, parse_address
from kb.imports.sources.connections import Session
from kb.imports.sources.documents import Preparation, SourceItem
from kb.imports.sources.downloads import Wanted, fetch, stored
from kb.imports.sources.files import FileSource
from kb.imports.sources.layout import LayoutSource
from kb.imports.sources.mirror import Mirror
from kb.imports.sources.spool import reserved_folder
from kb.imports.sources.trees import MANIFEST, StoredTree

__all__ = ["AddressSource"]

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".tar", ".tgz", ".zip")
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.zst", ".zip")
_FILE = "file"
_PASSING = {"unreachable", "canceled", "vanished"}  # after these, what was fetched serves the next attempt


class AddressSource:
    """What an address leads to. One that ends in a slash, in the name of a manifest or in no name of a file is the base
    of a layout. Raises ``Refusal`` ``unsafe_address`` for what is no address.
    """

    def __init__(self, text: str, *, spool: Path) -> None:
        self._spool = spool
        self._address = parse_address(text)
        self._is_layout = _names_layout(self._address)
        if self._is_layout:
            self._address = _base(self._address)
        self._held = ExitStack()
        self._folder: Path | None = None
        self._inner: LayoutSource | FileSource | None = None
        self._validators: dict[str, str] = {}
        self._is_here = False
        self._settled = False
        self.name = self._address.shown

    @property
    def complete(self) -> bool:
        """What the shape says; before reading, what the address lets expect."""
        if self._inner is not None:
            return self._inner.complete
        return self._is_layout or self._address.path.endswith(_ARCHIVES)

    @property
    def version(self) -> str:
        """What the source has named so far."""
        return self._inner.version if self._inner else ""

    @property
    def expected(self) -> int | None:
        """What the manifest says, once it is read."""
        return self._inner.expected if self._inner else None

    @property
    def notices(self) -> list[str]:
        """Those of the layout."""
        return self._inner.notices if self._inner else []

    def unchanged(self, remembered: Mapping[str, Any]) -> bool:
        """One conditional request: not modified, or a manifest with the same hash. A file that may have changed is
        fetched, and compared by its hash.
        """
        if remembered.get("kind") != "address" or remembered.get("address") != self._address.digest:
            return False
        known = {name: remembered[name] for name in ("etag", "modified") if isinstance(remembered.get(name), str)}
        with self._session() as (session, folder):
            if self._is_layout:
                raw = Mirror(session, folder, self._address).manifest(known)
                digest = None if raw is None else hashlib.sha256(raw).hexdigest()
            else:
                digest = self._changed_file(session, folder, known)
        self._settled = digest is None or digest == remembered.get("sha256")
        return self._settled

    def prepare(self, progress: Preparation) -> None:
        """Fetches everything. Raises ``Refusal``, and what ``progress`` raises."""
        if self._inner is not None:
            return
        with self._session() as (session, folder):
            if self._is_layout:
                self._inner = self._fetch_layout(session, folder, progress)
            else:
                progress.phase(f"Fetching {self.name}")
                if not self._is_here:
                    self._validators = fetch(session, folder, self._wanted({})) or {}
                self._inner = FileSource(str(stored(folder, _FILE)), spool=self._spool, name=self.name)

    def read(self) -> Iterator[SourceItem]:
        """The documents, after everything was fetched. Raises ``Refusal``."""
        self.prepare(_Silent())
        if self._inner is None:
            raise Refusal("unreadable", self.name, "was not fetched")
        try:
            yield from self._inner.read()
        except Refusal:
            self._settled = True  # what was fetched is wrong, and the next run must not find it
            raise
        self._settled = True

    def memory(self) -> dict[str, Any]:
        """The hash of the manifest or of the file, and the server's validators of it."""
        found = self._inner.memory() if self._inner else {}
        if not found:
            return {}
        return {"kind": "address", "address": self._address.digest, "sha256": found["sha256"], **self._validators}

    def close(self) -> None:
        """Removes what was fetched when it was read to its end or is wrong; else a later run goes on with it."""
        if self._folder is not None and (self._settled or not any(self._folder.glob("*.json"))):
            shutil.rmtree(self._folder, ignore_errors=True)
        self._held.close()
        self._folder = None

    # -- fetching --------------------------------------------------------------------------------------------------

    @contextmanager
    def _session(self) -> Iterator[tuple[Session, Path]]:
        """Fetching. What a server sent that is refused is of no use to a later run; what it did not send in time is."""
        if self._folder is None:
            reserved = reserved_folder(self._spool / "downloads", self._address.digest, self.name)
            self._folder = self._held.enter_context(reserved)
        try:
            with Session(FetchRules.from_settings(), self._address) as session:
                yield session, self._folder
        except Refusal as refusal:
            self._settled = refusal.code not in _PASSING
            raise

    def _fetch_layout(self, session: Session, folder: Path, progress: Preparation) -> LayoutSource:
        mirror = Mirror(session, folder, self._address)
        files = mirror.fetch(progress)
        if not mirror.is_still_current():
            raise Refusal("vanished", self.name, "the dataset was replaced while it was fetched; try again")
        self._validators = mirror.validators
        return LayoutSource(StoredTree(self.name.rstrip("/"), files))

    def _changed_file(self, session: Session, folder: Path, known: Mapping[str, str]) -> str | None:
        """The hash of the file as it is now; ``None`` when the server says that it did not change."""
        found = fetch(session, folder, self._wanted(known))
        if found is None:
            return None
        self._validators, self._is_here = found, True
        with stored(folder, _FILE).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _wanted(self, known: Mapping[str, str]) -> Wanted:
        most = FetchRules.from_settings().most_bytes
        return Wanted(path=_FILE, address=self._address, most_bytes=most, known=known or None)


class _Silent:
    """Tells nobody."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""


def _names_layout(address: Address) -> bool:
    name = address.path.rpartition("/")[2]
    return name in {"", MANIFEST} or not name.endswith(_SUFFIXES)


def _base(address: Address) -> Address:
    """The address of the layout's root, which ends in a slash."""
    if "?" in address.target:
        raise Refusal("unsafe_address", address.shown, "the base address of a dataset has no query")
    path = address.path.removesuffix(MANIFEST) if address.path.endswith(f"/{MANIFEST}") else f"{address.path}/"
    return Address(address.scheme, address.host, address.port, path.rstrip("/") + "/")
