"""Whether the disk has room for an import, asked before it writes: a clear refusal instead of a failure half way.

An import that runs out of disk all the same fails and changes nothing; what it had written goes. The figures are upper
bounds of what was measured (see ``docs/deployment.md``), so a nearly full disk may be refused a little early.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection

from kb.imports.refusals import Refusal

__all__ = ["Extent", "check_space"]

_MIB = 1024 * 1024
_SPARE = 32 * _MIB  # what must be left over: logs, the caches of readers, the release's own rows
_WAITING = 200  # bytes of staging for each record of the source, besides its content
# SQLite. Its file and its log grow with the JSON that arrives; and the log takes every page that a record touches in
# some index, though never more than the file has.
_DATABASE, _LOG = 2.25, 2.25
_TOUCHED = 80 * 1024
_INDEXES = 0.75  # for each byte that arrives: both indexes, and parts of them again while they are merged
_INDEXED = 300  # bytes of the match index, which is written anew, for each record of the catalog


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much an import writes, as far as that is known: ``waiting``, the records that the source says it has;
    ``changing``, how many come, change or go; ``arriving``, the bytes of JSON of those that come or change; and
    ``catalog``, how many records the catalog will have.
    """

    waiting: int = 0
    changing: int = 0
    arriving: int = 0
    catalog: int = 0


def check_space(extent: Extent) -> None:
    """Raises ``Refusal`` ``no_space`` when a disk has too little room for what is known of the import.

    Asked before reading with ``waiting``, and before publishing with the rest. The own disk of a database server is
    not looked at.
    """
    data, index = Path(settings.KB_DATA_DIR), Path(settings.KB_INDEX_DIR)
    needs = [
        (data, _SPARE + extent.waiting * _WAITING),
        (index, int(extent.arriving * _INDEXES) + extent.catalog * _INDEXED * bool(extent.changing)),
    ]
    if connection.vendor == "sqlite":
        needs.append(_database(Path(connection.settings_dict["NAME"]), extent))
    for where, needed in _by_disk(needs):
        free = _free(where)
        if needed > free:
            told = f"{_mebibytes(needed)} are needed there, {_mebibytes(free)} are free"
            raise Refusal("no_space", "", f"the disk of {where.name or where} is too full for this import: {told}")


def _database(file: Path, extent: Extent) -> tuple[Path, int]:
    size = file.stat().st_size if file.exists() else 0
    touched = min(extent.changing * _TOUCHED, size)
    return file.parent, int(extent.arriving * (_DATABASE + _LOG)) + touched


def _by_disk(needs: Iterable[tuple[Path, int]]) -> list[tuple[Path, int]]:
    """The needs of directories on one disk together, under the first of them."""
    disks: dict[int, tuple[Path, int]] = {}
    for directory, needed in needs:
        disk = _existing(directory).stat().st_dev
        first, before = disks.get(disk, (directory, 0))
        disks[disk] = (first, before + needed)
    return list(disks.values())


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
