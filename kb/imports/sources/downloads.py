"""Files fetched into a folder, each under a name made from its path, so that a later run can go on where one stopped.

What is known of a file (validators of the server, whether it is whole, for which release of the dataset) stands beside
it. A whole file of the same release is not asked for again; one of another release is, on the condition that it
changed; a part is continued where the server vouches for it.
"""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import Address
from kb.imports.sources.connections import TRANSIENT, Reply, Session
from kb.imports.sources.spool import ASKED_EVERY, require_room

__all__ = ["Wanted", "conditions", "fetch", "stored", "validators"]

ATTEMPTS = 4
BACK_OFF = 0.5  # seconds before the second attempt; twice as many before each later one
_LONGEST_WAIT = 30.0
_SURE_AFTER = 60  # seconds after which a time stamp tells two versions apart
_OK, _PARTIAL, _NOT_MODIFIED, _NOT_SATISFIABLE = 200, 206, 304, 416
_GONE = {404, 410}
_REFUSED = {401, 403, 407, 451}
_LATER = {408, 425, 429}
_SERVER = 500
_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
_RANGE = re.compile(r"bytes (\d{1,18})-\d{1,18}/(?:\d{1,18}|\*)\Z")


class _Known(msgspec.Struct, kw_only=True):
    """What stands beside a file."""

    whole: bool = False
    release: str = ""
    validators: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A file to fetch: its path in the dataset, where it is, the release that it belongs to, and how many bytes it may
    have. ``known`` are validators of what the caller has already: then the answer may be that nothing changed.
    """

    path: str
    address: Address
    release: str = ""
    most_bytes: int
    exact_bytes: bool = False
    known: Mapping[str, str] | None = None


def stored(folder: Path, path: str) -> Path:
    """Where the file of a path lies."""
    return folder / hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def validators(headers: Mapping[str, str]) -> dict[str, str]:
    """What tells this version of a file from others: an ETag, or a time that is long enough ago."""
    found = {}
    if tag := headers.get("ETag"):
        found["etag"] = tag[:500]
    modified, date = headers.get("Last-Modified"), headers.get("Date")
    if modified and date:
        try:
            age = parsedate_to_datetime(date) - parsedate_to_datetime(modified)
        except (ValueError, TypeError, OverflowError):
            return found
        if age.total_seconds() >= _SURE_AFTER:
            found["modified"] = modified[:100]
    return found


def conditions(known: Mapping[str, Any]) -> dict[str, str]:
    """The headers that ask for a file only if it changed."""
    if isinstance(tag := known.get("etag"), str):
        return {"If-None-Match": tag}
    if isinstance(modified := known.get("modified"), str):
        return {"If-Modified-Since": modified}
    return {}


def fetch(session: Session, folder: Path, wanted: Wanted) -> dict[str, str] | None:
    """Fetches a file unless it is there, and gives its validators; ``None`` when it is as ``wanted.known`` says.

    Tries again after faults that pass. Raises ``Refusal``: missing_file, unsafe_address, unreachable, unreadable,
    too_large, wrong_size, no_space.
    """
    last = ""
    for attempt in range(ATTEMPTS):
        session.check()
        try:
            return _Fetching(session, folder, wanted).run()
        except _Later as later:
            last, wait = str(later), later.seconds
        except TRANSIENT as error:
            last, wait = _told(error), 0.0
        if attempt < ATTEMPTS - 1:
            session.rest(min(max(wait, BACK_OFF * 2**attempt), _LONGEST_WAIT))
    raise Refusal("unreachable", wanted.address.shown, f"cannot be fetched, tried {ATTEMPTS} times: {last}")


class _Later(Exception):
    """The server cannot answer now."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class _Fetching:
    """One attempt."""

    def __init__(self, session: Session, folder: Path, wanted: Wanted) -> None:
        self._session = session
        self._wanted = wanted
        self._whole = stored(folder, wanted.path)
        self._part = self._whole.with_suffix(".part")
        self._notes = self._whole.with_suffix(".json")
        self._known = self._load()

    def run(self) -> dict[str, str] | None:
        wanted, known = self._wanted, self._known
        if known.whole and wanted.release and known.release == wanted.release:
            return known.validators
        headers = conditions(wanted.known or {})
        if not headers and known.whole and "etag" in known.validators:
            headers = conditions(known.validators)
        offset = 0
        if not known.whole and not headers and (resuming := self._resuming()):
            offset = self._part.stat().st_size
            headers = {"Range": f"bytes={offset}-", "If-Range": resuming}
        with self._session.client.get(wanted.address, headers) as reply:
            if reply.status == _NOT_MODIFIED and wanted.known and not offset:
                return None
            if reply.status == _NOT_MODIFIED and known.whole:
                self._save(_Known(whole=True, release=wanted.release, validators=known.validators))
                return known.validators
            self._judge(reply, offset)
            return self._receive(reply, offset if reply.status == _PARTIAL else 0)

    def _resuming(self) -> str:
        """The validator to continue a part by; a weak tag vouches for no bytes."""
        try:
            if not self._part.stat().st_size:
                return ""
        except OSError:
            return ""
        tag = self._known.validators.get("etag", "")
        return tag if tag and not tag.startswith("W/") else self._known.validators.get("modified", "")

    def _judge(self, reply: Reply, offset: int) -> None:
        status, shown = reply.status, self._wanted.address.shown
        if status == _OK:
            return
        if status == _PARTIAL and offset:
            found = _RANGE.match(reply.headers.get("Content-Range", ""))
            if found and int(found[1]) == offset:
                return
        if status in {_PARTIAL, _NOT_SATISFIABLE}:
            self._part.unlink(missing_ok=True)
            raise _Later("the server sends another part than it was asked for", 0.0)
        if status in _GONE:
            raise Refusal("missing_file", shown, f"there is no such file (the server answers {status})")
        if status in _REFUSED:
            raise Refusal("unreadable", shown, f"the server does not give it (it answers {status})")
        if status in _LATER or status >= _SERVER:
            raise _Later(f"the server answers {status}", float(_count(reply.headers.get("Retry-After")) or 0))
        raise Refusal("unreadable", shown, f"the server answers {status}")

    def _receive(self, reply: Reply, offset: int) -> dict[str, str]:
        wanted = self._wanted
        self._check_size(offset + (_count(reply.headers.get("Content-Length")) or 0))
        found = self._known.validators if offset else validators(reply.headers)
        if not offset:
            self._save(_Known(release=wanted.release, validators=found))
        try:
            with self._part.open("ab" if offset else "wb") as file:
                size = self._copy(reply, file, offset)
        except OSError as error:
            if error.errno in _DISK:
                message = f"cannot be written to the data directory: {error.strerror}"
                raise Refusal("no_space", wanted.address.shown, message) from error
            raise
        if wanted.exact_bytes and size != wanted.most_bytes:
            self._part.unlink(missing_ok=True)
            raise Refusal("wrong_size", wanted.address.shown, f"has {size:,} bytes, not {wanted.most_bytes:,}")
        self._part.replace(self._whole)
        self._save(_Known(whole=True, release=wanted.release, validators=found))
        return found

    def _copy(self, reply: Reply, file: BinaryIO, size: int) -> int:
        asked = size
        for chunk in reply.chunks():
            if size >= asked:
                require_room(self._part.parent, self._wanted.address.shown)
                asked = size + ASKED_EVERY
            size += len(chunk)
            self._check_size(size)
            file.write(chunk)
        return size

    def _check_size(self, size: int) -> None:
        wanted = self._wanted
        if size > wanted.most_bytes:
            self._part.unlink(missing_ok=True)
            if wanted.exact_bytes:
                raise Refusal("wrong_size", wanted.address.shown, f"has more than {wanted.most_bytes:,} bytes")
            raise Refusal("too_large", wanted.address.shown, f"has more than {wanted.most_bytes:,} bytes")

    # -- notes -----------------------------------------------------------------------------------------------------

    def _load(self) -> _Known:
        try:
            known = msgspec.json.decode(self._notes.read_bytes(), type=_Known)
        except (OSError, msgspec.MsgspecError):
            return _Known()
        known.whole = known.whole and self._whole.exists()
        return known

    def _save(self, known: _Known) -> None:
        beside = self._notes.with_suffix(".new")
        beside.write_bytes(msgspec.json.encode(known))
        beside.replace(self._notes)


def _count(header: str | None) -> int | None:
    """A number in a header, of a length that a number may have."""
    return int(header) if header and re.fullmatch(r"[0-9]{1,18}", header) else None


def _told(error: BaseException) -> str:
    """An error of the network in words."""
    if isinstance(error, TimeoutError):
        return "the server does not answer in time"
    return f"{type(error).__name__}: {error}"[:300]
