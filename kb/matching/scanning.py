"""A scan of logs: which known errors they hold, how often and where.

Counting is by patterns (:mod:`kb.matching.sightings`), in this process or in several; which record an error is, and how
sure that is, the engine says of one example of each pattern.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from kb.matching.answers import Confidence, Explanation, FaultAnswer, Match
from kb.matching.occurrences import PatternIndex
from kb.matching.sightings import Example, Piece, Tally, count_patterns, join
from kb.matching.windows import CONTEXT, ranges

__all__ = ["CONFIDENCES", "FileScan", "KnownError", "ScanReport", "Sighting", "at_least", "report", "scan_file"]

CONFIDENCES: Final[tuple[Confidence, ...]] = ("exact", "strong", "weak")
_STEP: Final = 16 * 1024 * 1024
"""Bytes of a file that one process counts at a time."""
_BATCH: Final = 50
"""Examples that are explained in one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScan:
    """One log that was read, and the patterns in it."""

    name: str
    piece: Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """How often an error occurs in one log, and on which lines, counted from 1."""

    file: str
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownError:
    """One record that was found. ``example`` is the first line that shows it, as it stands in the log."""

    match: Match
    example: str
    sightings: tuple[Sighting, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanReport:
    """What the logs hold, the most frequent error first.

    ``left_out`` counts the occurrences of patterns that are less sure than was asked, or whose record the example does
    not bear out.
    """

    revision: int
    version: str
    files: tuple[str, ...]
    lines: int
    bytes: int
    errors: tuple[KnownError, ...]
    left_out: int = 0


class ScanIndex(PatternIndex, Protocol):
    """What of the match index is needed to name the records of a pattern."""

    def rows_of(self, pattern: int) -> Iterable[int]:
        """The row numbers of a pattern's records."""

    def facts(self, row: int) -> _Facts:
        """The facts of a row."""


class _Facts(Protocol):
    @property
    def id(self) -> str: ...


Explain = Callable[[Sequence[str]], Sequence[Explanation]]
OpenIndex = Callable[[], PatternIndex]


def scan_file(path: Path, open_index: OpenIndex, *, processes: int) -> Piece:
    """The patterns of a plain file, counted by up to so many processes; the outcome is the same for any number.

    ``open_index`` is called in each process, so it must be picklable and set up what it needs. Raises ``OSError``, and
    what ``open_index`` raises.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:  # empty, or a file that does not tell its size
            return count_patterns(open_index(), file.read)
        cuts = ranges(file, size, step=_STEP)
    workers = min(processes, len(cuts))
    if workers <= 1:
        index = open_index()
        return join(_scan_range(index, path, start, end) for start, end in cuts)
    return join(_in_processes(path, cuts, open_index, workers))


def _in_processes(path: Path, cuts: Sequence[tuple[int, int]], open_index: OpenIndex, workers: int) -> Iterator[Piece]:
    context = multiprocessing.get_context("spawn")  # a forked process would share this one's locks and connections
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(open_index,)) as pool:
        try:
            yield from pool.map(_work, [(path, start, end) for start, end in cuts])
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(slots=True)
class _Worker:
    """What a process keeps between two tasks."""

    open_index: OpenIndex | None = None
    index: PatternIndex | None = None


_WORKER: Final = _Worker()


def _begin(open_index: OpenIndex) -> None:
    """In a new process: it ends when the first one says so, not at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _WORKER.open_index = open_index


def _work(task: tuple[Path, int, int]) -> Piece:
    """Opens the index here, not in :func:`_begin`: what goes wrong reaches the first process as it is."""
    if _WORKER.index is None:
        assert _WORKER.open_index is not None
        _WORKER.index = _WORKER.open_index()
    return _scan_range(_WORKER.index, *task)


def _scan_range(index: PatternIndex, path: Path, start: int, end: int) -> Piece:
    with path.open("rb") as file:
        file.seek(max(0, start - CONTEXT))
        before = file.read(start - file.tell())
        return count_patterns(index, file.read, before=before, limit=end - start)


def at_least(confidence: Confidence, least: Confidence) -> bool:
    """Whether an answer is sure enough."""
    return CONFIDENCES.index(confidence) <= CONFIDENCES.index(least)


def report(scans: Sequence[FileScan], index: ScanIndex, explain: Explain, *, least: Confidence) -> ScanReport:
    """What the scanned logs hold. ``explain`` explains each of some texts, as the engine does."""
    examples: dict[int, Example | None] = {}
    for scan in scans:
        for pattern, tally in scan.piece.tallies.items():
            if examples.get(pattern) is None:
                examples[pattern] = tally.example
    chosen = _Chosen()
    kept = [(pattern, example) for pattern, example in examples.items() if example is not None]
    for start in range(0, len(kept), _BATCH):
        chosen.add(kept[start : start + _BATCH], index, explain)
    errors, told = _errors(scans, chosen.matches, least)
    total = sum(tally.count for scan in scans for tally in scan.piece.tallies.values())
    return ScanReport(
        revision=chosen.revision,
        version=chosen.version,
        files=tuple(scan.name for scan in scans),
        lines=sum(scan.piece.lines for scan in scans),
        bytes=sum(scan.piece.bytes for scan in scans),
        errors=errors,
        left_out=total - told,
    )


@dataclass(slots=True)
class _Chosen:
    """The record of each pattern, with the example as the engine answered it: secrets masked."""

    revision: int = 0
    version: str = ""
    matches: dict[int, tuple[Match, str]] = field(default_factory=dict)

    def add(self, examples: Sequence[tuple[int, Example]], index: ScanIndex, explain: Explain) -> None:
        """Asks for the text around each example, and for the line alone where that does not bear the pattern out."""
        lines = explain([example.line for _, example in examples])
        around = explain([example.text for _, example in examples])
        for (pattern, _), line, whole in zip(examples, lines, around, strict=True):
            self.revision, self.version = line.revision, line.version
            ids = {index.facts(int(row)).id for row in index.rows_of(pattern)}
            match = _judged(whole, line, ids)
            if match is not None:
                self.matches[pattern] = match, line.text


def _judged(whole: Explanation, line: Explanation, ids: set[str]) -> Match | None:
    """The match in the text around the line if a stack was read there, else the surer one of there and in the line."""
    around, alone = _answer(whole, ids), _answer(line, ids)
    if around is None or alone is None or around.fault.frames:
        answer = around or alone
    else:
        answer = min(around, alone, key=_rank)
    return answer.matches[0] if answer else None


def _answer(explanation: Explanation, ids: set[str]) -> FaultAnswer | None:
    """The fault for which one of these records was found, of several the surest."""
    return min((answer for answer in explanation.faults if _names(answer, ids)), key=_rank, default=None)


def _rank(answer: FaultAnswer) -> tuple[int, float]:
    best = answer.matches[0]
    return CONFIDENCES.index(best.confidence), -best.score


def _names(answer: FaultAnswer, ids: set[str]) -> bool:
    return any(match.id in ids or not ids.isdisjoint(match.alike) for match in answer.matches)


def _errors(
    scans: Sequence[FileScan], matches: Mapping[int, tuple[Match, str]], least: Confidence
) -> tuple[tuple[KnownError, ...], int]:
    """The errors that are sure enough, patterns of one record taken together, and how many occurrences they have."""
    best: dict[str, tuple[Match, str]] = {}
    places: dict[str, dict[str, Sighting]] = {}
    for scan in scans:
        for pattern, tally in scan.piece.tallies.items():
            if pattern not in matches or not at_least(matches[pattern][0].confidence, least):
                continue
            match, example = matches[pattern]
            known = best.setdefault(match.id, (match, example))
            if CONFIDENCES.index(match.confidence) < CONFIDENCES.index(known[0].confidence):
                best[match.id] = match, example
            files = places.setdefault(match.id, {})
            files[scan.name] = _sighting(scan.name, tally, files.get(scan.name))
    errors = [
        KnownError(
            match=match,
            example=example,
            sightings=tuple(places[key].values()),
            count=sum(sighting.count for sighting in places[key].values()),
        )
        for key, (match, example) in best.items()
    ]
    errors.sort(key=lambda error: (-error.count, error.match.id))
    return tuple(errors), sum(error.count for error in errors)


def _sighting(file: str, tally: Tally, known: Sighting | None) -> Sighting:
    if known is None:
        return Sighting(file=file, count=tally.count, first=tally.first, last=tally.last)
    return Sighting(
        file=file,
        count=known.count + tally.count,
        first=min(known.first, tally.first),
        last=max(known.last, tally.last),
    )
