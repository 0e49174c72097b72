"""Raw records that an earlier reading found sound, known again by a digest of their bytes alone.

A nightly release repeats nearly all of the last one, byte for byte. What is known again needs neither decoding nor
checking: it only has to be held with the content that it had then. The file is a cache: without it everything is
decoded.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Self

import msgspec

__all__ = ["Known", "Notes", "Recognized", "raw_digest"]

log = logging.getLogger(__name__)
_MAGIC: Final = b"recognized 1\n"
_DIGEST: Final = 16
_ROW: Final = 48  # the digest, the id in 8 bytes, the content hash, the number of its warnings' codes in 8
_BUFFER: Final = 1024 * 1024
_MOST: Final = 1024 * 1024 * 1024
_ORDER: Final = "big"


class Known(NamedTuple):
    """What is known of a raw record; ``codes`` are those of the warnings about it."""

    id: str
    content_hash: str
    codes: tuple[str, ...]


class _Header(msgspec.Struct):
    program: str
    codes: list[tuple[str, ...]]
    unknown: list[str]


def raw_digest(raw: bytes, repo: str | None) -> bytes:
    """16 bytes for a raw record as it stands in the file of ``repo``."""
    found = hashlib.blake2b((repo or "").encode("utf-8", "surrogatepass"), digest_size=_DIGEST)
    found.update(b"\x00")
    found.update(raw)
    return found.digest()


class Recognized:
    """The raw records of an earlier reading. ``unknown`` are the unknown fields that occurred in them."""

    def __init__(self, rows: bytes = b"", codes: Sequence[tuple[str, ...]] = (), unknown: Sequence[str] = ()) -> None:
        self._rows, self._codes = rows, tuple(codes)
        self.unknown = tuple(unknown)
        self._places: dict[int, int] | None = None

    @classmethod
    def load(cls, path: Path, *, program: str) -> Self:
        """What the file holds; nothing when it is missing, damaged or of another version of the program."""
        try:
            if path.stat().st_size > _MOST:
                return cls()
            data = path.read_bytes()
            magic, _, rest = data.partition(b"\n")
            size, _, rest = rest.partition(b"\n")
            header = msgspec.json.decode(rest[: int(size)], type=_Header)
            rows = rest[int(size) :]
        except (OSError, ValueError, msgspec.MsgspecError):
            return cls()
        if magic + b"\n" != _MAGIC or header.program != program or len(rows) % _ROW:
            return cls()
        return cls(rows, header.codes, header.unknown)

    def __bool__(self) -> bool:
        return bool(self._rows)

    def find(self, digest: bytes) -> Known | None:
        """The record with this digest."""
        if not self._rows:
            return None
        if self._places is None:
            starts = range(0, len(self._rows), _ROW)
            self._places = {hash(self._rows[start : start + _DIGEST]): start for start in starts}
        start = self._places.get(hash(digest))
        if start is None:
            return None
        row = self._rows[start : start + _ROW]
        if row[:_DIGEST] != digest:
            return None
        number = int.from_bytes(row[40:], _ORDER)
        codes = self._codes[number] if number < len(self._codes) else ()
        return Known(row[16:24].hex(), row[24:40].hex(), codes)


class Notes:
    """The sound raw records of this reading, for the next one. End it by :meth:`keep` or :meth:`drop`.

    It is a cache: what cannot be written is forgotten, with a line in the log, and nothing else comes of it.
    """

    def __init__(self, path: Path, *, program: str) -> None:
        self._path, self._program = path, program
        self._temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
        self._codes: dict[tuple[str, ...], int] = {(): 0}
        self._file: BinaryIO | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for stale in path.parent.glob(f".{path.name}-*"):
                stale.unlink(missing_ok=True)
            self._file = self._temporary.open("w+b", buffering=_BUFFER)
        except OSError as problem:
            self._give_up(problem)

    def note(self, digest: bytes, known: Known) -> None:
        """Keeps one record."""
        if self._file is None:
            return
        number = self._codes.setdefault(known.codes, len(self._codes))
        row = digest + bytes.fromhex(known.id) + bytes.fromhex(known.content_hash) + number.to_bytes(8, _ORDER)
        try:
            self._file.write(row)
        except OSError as problem:
            self._give_up(problem)

    def keep(self, *, unknown: Sequence[str]) -> None:
        """Puts the file in place of the one before it."""
        if self._file is None:
            return
        whole = self._temporary.with_name(f"{self._temporary.name}-whole")
        try:
            self._write(whole, self._file, unknown)
            whole.replace(self._path)
        except OSError as problem:
            self._give_up(problem)
        finally:
            with suppress(OSError):
                whole.unlink(missing_ok=True)
            self.drop()

    def _write(self, whole: Path, rows: BinaryIO, unknown: Sequence[str]) -> None:
        header = msgspec.json.encode(_Header(self._program, list(self._codes), list(unknown)))
        rows.flush()
        rows.seek(0)
        with whole.open("wb", buffering=_BUFFER) as target:
            target.write(_MAGIC + f"{len(header)}\n".encode() + header)
            while chunk := rows.read(_BUFFER):
                target.write(chunk)

    def drop(self) -> None:
        """Forgets what was noted."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what a full disk did not take is not wanted
                file.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def _give_up(self, problem: OSError) -> None:
        log.warning("the next import will decode everything again: %s", problem)
        self.drop()
