"""What is shown while an import runs: a bar on a terminal, lines or JSON elsewhere, always on standard error.

Names of phases hold names of files, so nothing of them may move a cursor, and none of them is markup.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

__all__ = [
    "KINDS",
    "JsonProgress",
    "LineProgress",
    "Meter",
    "NoProgress",
    "ProgressKind",
    "ProgressReporter",
    "Reading",
    "TerminalProgress",
    "duration",
    "progress_for",
]

ProgressKind = Literal["auto", "bar", "lines", "json", "none"]
KINDS: Final[tuple[ProgressKind, ...]] = ("auto", "bar", "lines", "json", "none")
_EVERY = 5.0  # seconds between plain lines
_OFTEN = 1.0  # seconds between lines of JSON
_WINDOW = 20  # samples, a second apart, that a rate is taken from
_MINUTE, _HOUR = 60, 3600


class ProgressReporter(Protocol):
    """Told of each phase and of the records that went through it."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A new phase begins, of ``total`` records where that is known."""

    def advance(self, count: int) -> None:
        """``count`` more records are through."""

    def close(self) -> None:
        """The import has ended."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How far a phase is. ``rate`` is in records a second; ``seconds_left`` is told once it can be guessed."""

    phase: str
    done: int
    total: int | None
    rate: float
    seconds: float
    seconds_left: float | None

    def as_json(self) -> dict[str, Any]:
        """The members that JSON lines, the API and the page of the staff show; the names are stable."""
        left = self.seconds_left
        return {
            "phase": self.phase,
            "done": self.done,
            "total": self.total,
            "perSecond": round(self.rate, 1),
            "seconds": round(self.seconds, 1),
            "secondsLeft": None if left is None else round(left, 1),
        }

    def __str__(self) -> str:
        of = f" of {self.total:,}" if self.total else ""
        rate = f", {self.rate:,.0f}/s" if self.rate else ""
        left = f", {duration(self.seconds_left)} left" if self.seconds_left is not None else ""
        return f"{self.phase}: {self.done:,}{of}{rate}{left}"


class Meter:
    """Counts what went through the present phase, and how fast."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self.begin("", None)

    def begin(self, name: str, total: int | None) -> None:
        """A phase begins."""
        self._name, self._total, self._done, self._started = name, total, 0, self._clock()
        self._samples = deque([(self._started, 0)], maxlen=_WINDOW)

    def advance(self, count: int) -> None:
        """``count`` more records are through."""
        self._done += count
        now = self._clock()
        if now - self._samples[-1][0] >= 1:
            self._samples.append((now, self._done))

    def read(self) -> Reading:
        """How far it is now."""
        now = self._clock()
        since, counted = self._samples[0]
        rate = (self._done - counted) / (now - since) if now > since else 0.0
        total = max(self._total, self._done) if self._total else None
        left = (total - self._done) / rate if total and rate else None
        seconds = now - self._started
        return Reading(phase=self._name, done=self._done, total=total, rate=rate, seconds=seconds, seconds_left=left)


class NoProgress:
    """Says nothing."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


class LineProgress:
    """One line a phase and one every few seconds, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._meter = Meter()
        self._last = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        """Writes the name of the phase."""
        self._meter.begin(_plain(name), total)
        self._last = time.monotonic()
        self._write(f"{_plain(name)} ({total:,})" if total else _plain(name))

    def advance(self, count: int) -> None:
        """Writes a line when the last one is old enough."""
        self._meter.advance(count)
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            self._write(str(self._meter.read()))

    def close(self) -> None:
        """Nothing is left open."""

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()


class JsonProgress:
    """One JSON object a line: ``event`` is phase, progress or end, the other members are those of a reading."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._meter = Meter()
        self._last = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        """Writes a line, and first one with what the last phase came to."""
        self._finish()
        self._meter.begin(name, total)
        self._last = time.monotonic()
        self._write("phase")

    def advance(self, count: int) -> None:
        """Writes a line when the last one is old enough."""
        self._meter.advance(count)
        now = time.monotonic()
        if now - self._last >= _OFTEN:
            self._last = now
            self._write("progress")

    def close(self) -> None:
        """Writes the last line."""
        self._finish()
        self._write("end")

    def _finish(self) -> None:
        if self._meter.read().done:
            self._write("progress")

    def _write(self, event: str) -> None:
        self._stream.write(json.dumps({"event": event, **self._meter.read().as_json()}) + "\n")
        self._stream.flush()


class _Rate(ProgressColumn):
    """Records a second."""

    def render(self, task: Task) -> Text:
        """The rate, once there is one."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", style="progress.data.speed")


class TerminalProgress:
    """A bar with rate and time left."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=stream),
        )
        self._progress.start()
        self._task: int | None = None

    def phase(self, name: str, total: int | None = None) -> None:
        """Begins a new bar; the finished one stays above it."""
        self._finish()
        self._task = self._progress.add_task(_plain(name), total=total)

    def advance(self, count: int) -> None:
        """Moves the bar."""
        if self._task is not None:
            self._progress.advance(self._task, count)  # type: ignore[arg-type]

    def close(self) -> None:
        """Leaves the bars on the screen as they are."""
        self._finish()
        self._progress.stop()

    def _finish(self) -> None:
        if self._task is not None:
            task = next(task for task in self._progress.tasks if task.id == self._task)
            self._progress.update(task.id, total=task.completed or 1, completed=task.completed or 1)


def progress_for(stream: TextIO | None = None, *, quiet: bool = False, kind: ProgressKind = "auto") -> ProgressReporter:
    """The reporter of a kind; by itself the one that fits the stream, which is standard error by default."""
    stream = stream or sys.stderr  # which is None where the caller closed it
    if quiet or stream is None or kind == "none":
        return NoProgress()
    if kind == "json":
        return JsonProgress(stream)
    as_bar = kind == "bar" or (kind == "auto" and stream.isatty())
    return TerminalProgress(stream) if as_bar else LineProgress(stream)


def duration(seconds: float) -> str:
    """Seconds as a person reads them: 4 s, 3:07, 1:02:09."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    minutes, rest = divmod(whole, _MINUTE)
    return f"{minutes}:{rest:02}" if whole < _HOUR else f"{minutes // _MINUTE}:{minutes % _MINUTE:02}:{rest:02}"


def _plain(name: str) -> str:
    """The name without anything that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "replace").decode() for char in name)
