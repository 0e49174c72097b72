"""Whether the disk has room for an import, asked before it writes: a clear refusal instead of a failure half way.

An import that runs out of disk all the same fails and changes nothing; what it had written goes. The figures are upper
bounds of what was measured (see ``docs/deployment.md``), so a nearly full disk may be refused a little early.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db import connection

from kb.imports.refusals import Refusal

__all__ = ["check_space"]

_MIB = 1024 * 1024
_SPARE = 32 * _MIB  # what must be left over: logs, the caches of readers, the release's own rows
_WAITING = 200  # bytes of staging for each record of the source, besides its content
# For each byte of JSON that changes: growth of SQLite's file and of its log, which holds the change once more.
_DATABASE, _LOG = 2.0, 2.5
_INDEXES = 0.75  # the new segments of both indexes; those of the revision before are linked, not copied
_INDEXED = 300  # bytes of the match index, which is written anew, for each record of the catalog


def check_space(*, records: int = 0, arriving: int = 0, catalog: int = 0) -> None:
    """Raises ``Refusal`` ``no_space`` when a disk has too little room.

    Before reading: ``records`` that the source says it has, if it does. Before publishing: ``arriving``, the bytes of
    JSON of the records that are new or changed, and ``catalog``, how many records the catalog will have. A database
    server's own disk is not looked at.
    """
    data, index = Path(settings.KB_DATA_DIR), Path(settings.KB_INDEX_DIR)
    needs = [
        (data, _SPARE),
        (data / "spool", records * _WAITING),
        (index, int(arriving * _INDEXES) + catalog * _INDEXED),
    ]
    if connection.vendor == "sqlite":
        needs.append((Path(connection.settings_dict["NAME"]).parent, int(arriving * (_DATABASE + _LOG))))
    for where, needed in _by_disk(needs).values():
        free = _free(where)
        if needed > free:
            told = f"{_mebibytes(needed)} are needed there, {_mebibytes(free)} are free"
            raise Refusal("no_space", "", f"the disk of {where.name or where} is too full for this import: {told}")


def _by_disk(needs: Iterable[tuple[Path, int]]) -> dict[int, tuple[Path, int]]:
    """The needs of directories on one disk together, under the first of them."""
    disks: dict[int, tuple[Path, int]] = {}
    for directory, needed in needs:
        path = _existing(directory)
        disk = path.stat().st_dev
        first, sum_so_far = disks.get(disk, (directory, 0))
        disks[disk] = (first, sum_so_far + needed)
    return disks


def _existing(directory: Path) -> Path:
    """The directory, or the nearest one above it that is there."""
    path = directory.absolute()
    while not path.exists():
        path = path.parent
    return path


def _free(directory: Path) -> int:
    """Bytes that this process may still write there."""
    status = os.statvfs(_existing(directory))
    return status.f_bavail * status.f_frsize


def _mebibytes(count: int) -> str:
    return f"{-(-count // _MIB):,} MiB"
