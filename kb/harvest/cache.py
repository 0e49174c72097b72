"""What earlier harvests found, on disk: bounded and disposable.

Whatever is wrong with a file (missing, damaged, made by another program, not readable, disk full) means that the work
is done again; nothing is raised. Processes share the directory without locks: a file appears whole, by a rename.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import zstandard

__all__ = ["MOST_BYTES", "HarvestCache", "program"]

Kept = TypeVar("Kept")
MOST_BYTES: Final = 512 * 1024 * 1024
"""The most that a cache takes on disk unless told otherwise."""

_LEVEL: Final = 1
_LARGEST: Final = 1024 * 1024 * 1024  # unpacked; more is a damaged file
_ENDINGS: Final = (".records", ".facts")


class HarvestCache:
    """Values below ``directory``, which is made when needed; ``None`` keeps nothing."""

    def __init__(self, directory: Path | None, *, most_bytes: int = MOST_BYTES) -> None:
        self._directory = directory
        self._most_bytes = most_bytes

    def get(self, subject: str, kind: str, type_: type[Kept]) -> Kept | None:
        """What is kept of a subject, if this program kept it."""
        if self._directory is None:
            return None
        path = self._path(self._directory, subject, kind)
        try:
            packed = path.read_bytes()
            own = program().encode()
            if not packed.startswith(own):
                return None
            value = msgspec.msgpack.decode(_unpack(packed[len(own) :]), type=type_)
            os.utime(path)  # what is used is what stays
        except (OSError, zstandard.ZstdError, msgspec.MsgspecError, MemoryError):
            return None
        return value

    def put(self, subject: str, kind: str, value: object) -> None:
        """Keeps a value, if the directory can be written."""
        if self._directory is None:
            return
        path = self._path(self._directory, subject, kind)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(program().encode() + compressor.compress(msgspec.msgpack.encode(value)))
            draft.replace(path)
        except OSError:
            with suppress(OSError):
                draft.unlink()

    def make_room(self) -> None:
        """Removes what was not used for the longest time, drafts of killed processes among it, until all fits."""
        if self._directory is None:
            return
        with suppress(OSError):
            found = []
            with os.scandir(self._directory) as entries:
                for entry in entries:
                    if entry.name.endswith(_ENDINGS) or entry.name.startswith("."):
                        described = entry.stat(follow_symlinks=False)
                        found.append((described.st_mtime, described.st_size, entry.path))
            used = sum(size for _, size, _ in found)
            for _, size, path in sorted(found):
                if used <= self._most_bytes:
                    break
                Path(path).unlink(missing_ok=True)
                used -= size

    @staticmethod
    def _path(directory: Path, subject: str, kind: str) -> Path:
        return directory / f"{hashlib.sha256(subject.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.{kind}"


@cache
def program() -> str:
    """A digest of what turns sources into records: of this program's files, and of the Python that parses."""
    digest = hashlib.sha256(sys.version.encode())
    for folder in (Path(__file__).parent, Path(__file__).parent.parent / "records"):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _unpack(packed: bytes) -> bytes:
    if zstandard.frame_content_size(packed) > _LARGEST:
        raise zstandard.ZstdError("larger than anything that is kept")
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST)
