"""Rendered parts on disk: small files by key, bounded and disposable.

Whatever goes wrong with a file (missing, cut short, damaged, not readable, disk full) means that the part is rendered
again; nothing is raised and nothing need be repaired. Processes share a directory without locks: a file appears whole
by a rename. Each of 64 subdirectories has its share of the room, and a write that finds its share used up removes files
at random, which costs one listing of a small directory and needs no record of use.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from django.conf import settings

__all__ = ["PartCache", "part_cache"]

_SHARES = 64
_FILES_A_SHARE = 4_096
_BLOCK = 4_096  # what a file takes on disk is a multiple of this
_KEY = re.compile(r"[0-9a-f]{8,128}")
_COMPRESSION = 1


class PartCache:
    """Parts below ``directory``, which is made when needed; at most about ``most_bytes`` on disk."""

    def __init__(self, directory: Path, *, most_bytes: int) -> None:
        self._directory = directory
        self._most_bytes_a_share = most_bytes // _SHARES

    def get(self, key: str) -> bytes | None:
        """The part kept under ``key`` (lower hexadecimal), ``None`` when there is none or it is damaged."""
        try:
            return zlib.decompress(self._path(key).read_bytes())  # zlib ends in a checksum
        except (OSError, zlib.error):
            return None

    def put(self, key: str, part: bytes) -> None:
        """Keep ``part``, if it fits and the directory can be written."""
        packed = zlib.compress(part, _COMPRESSION)
        if _on_disk(len(packed)) > self._most_bytes_a_share:
            return
        path = self._path(key)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._make_room(path.parent, _on_disk(len(packed)))
            draft.write_bytes(packed)
            draft.replace(path)
        except OSError:
            with suppress(OSError):
                draft.unlink()

    def get_or_make(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The part kept under ``key``, else what ``make`` returns, which is then kept."""
        kept = self.get(key)
        if kept is not None:
            return kept
        part = make()
        self.put(key, part)
        return part

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            message = f"Not a cache key: {key[:80]!r}."
            raise ValueError(message)
        return self._directory / f"{int(key[:8], 16) % _SHARES:02x}" / key

    def _make_room(self, share: Path, wanted: int) -> None:
        """Remove files at random, drafts of killed processes among them, until ``wanted`` bytes fit in ``share``."""
        with os.scandir(share) as entries:
            files = [(entry.path, _on_disk(entry.stat(follow_symlinks=False).st_size)) for entry in entries]
        used = sum(size for _, size in files)
        if used + wanted <= self._most_bytes_a_share and len(files) < _FILES_A_SHARE:
            return
        random.shuffle(files)
        while files and (used + wanted > self._most_bytes_a_share or len(files) >= _FILES_A_SHARE):
            path, size = files.pop()
            Path(path).unlink(missing_ok=True)
            used -= size


def _on_disk(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


@lru_cache(maxsize=4)
def _cache_at(directory: Path, most_bytes: int) -> PartCache:
    return PartCache(directory, most_bytes=most_bytes)


def part_cache() -> PartCache:
    """The cache of this installation: ``KB_CACHE_MIB`` below ``KB_DATA_DIR``."""
    return _cache_at(settings.KB_DATA_DIR / "cache", settings.KB_CACHE_MIB * 1024 * 1024)
