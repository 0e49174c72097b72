"""The scan of logs by the catalog here: plain files in several processes, packed ones and pipes as streams."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from django.conf import settings

from kb.catalog import queries
from kb.cli.readiness import database_problem
from kb.imports.refusals import Refusal
from kb.imports.sources.streams import open_stream, wrap_stream
from kb.matching import engine
from kb.matching.answers import Confidence
from kb.matching.index.match_index import MatchIndex
from kb.matching.index.open import current_index, open_index
from kb.matching.scanning import FileScan, ScanReport, report, scan_file
from kb.matching.sightings import Piece, count_patterns
from kb.present.scan_words import STANDARD_INPUT
from kb.search.errors import SearchUnavailable

__all__ = ["CannotScan", "scan_logs"]

_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # gzip, zstd


class CannotScan(Exception):
    """Why logs cannot be scanned, and what helps, on one line."""


def scan_logs(names: Sequence[str], *, processes: int, least: Confidence) -> ScanReport:
    """What the logs hold; ``-`` is standard input. Memory does not grow with them. Raises :class:`CannotScan`."""
    problem = database_problem()
    if problem:
        raise CannotScan(problem)
    try:
        return _scanned(names, processes, least)
    except SearchUnavailable as unavailable:
        raise CannotScan(f"{unavailable.reason} Run: faultbook sync_index") from None


def _scanned(names: Sequence[str], processes: int, least: Confidence) -> ScanReport:
    state = queries.state()
    if not state.revision:
        raise CannotScan("The catalog is empty. Load a dataset first: faultbook import SOURCE")
    index = current_index(state.revision)
    scans = [FileScan(name=name, piece=_scan(name, index, processes)) for name in names]
    with queries.snapshot() as state:
        found = report(scans, index, engine.explain_many, least=least)
    return replace(found, revision=state.revision, version=state.version)


def _scan(name: str, index: MatchIndex, processes: int) -> Piece:
    try:
        if name == STANDARD_INPUT:
            return count_patterns(index, wrap_stream(sys.stdin.buffer, "standard input").read)
        path = Path(name)
        if _is_plain(path):
            return scan_file(path, _opener(index), processes=processes)
        with open_stream(path, name) as stream:
            return count_patterns(index, stream.read)
    except Refusal as refusal:
        raise CannotScan(f"{name}: {refusal.message}") from None
    except OSError as problem:
        raise CannotScan(f"{name}: {problem.strerror or problem}") from None
    except BrokenProcessPool:
        raise CannotScan(f"{name}: a process of the scan was ended from outside; try --processes 1") from None


def _is_plain(path: Path) -> bool:
    """Whether a file is a regular one, not packed."""
    with path.open("rb") as file:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not file.read(4).startswith(_PACKED)


def _opener(index: MatchIndex) -> partial[MatchIndex]:
    """How another process opens the same index; it needs no Django for that."""
    return partial(open_index, index.revision, directory=Path(settings.KB_INDEX_DIR))
