"""What is shown while an import runs: a bar on a terminal, plain lines elsewhere, always on standard error."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

__all__ = ["LineProgress", "NoProgress", "ProgressReporter", "TerminalProgress", "progress_for"]

_EVERY = 5.0  # seconds between plain lines


class ProgressReporter(Protocol):
    """Told of each phase and of the records that went through it."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A new phase begins, of ``total`` records where that is known."""

    def advance(self, count: int) -> None:
        """``count`` more records are through."""

    def close(self) -> None:
        """The import has ended."""


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
        self._name = ""
        self._done = 0
        self._last = 0.0

    def phase(self, name: str, total: int | None = None) -> None:
        """Writes the name of the phase."""
        self._name, self._done, self._last = name, 0, time.monotonic()
        self._write(f"{name} ({total:,} records)" if total else name)

    def advance(self, count: int) -> None:
        """Writes a line when the last one is old enough."""
        self._done += count
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            self._write(f"{self._name}: {self._done:,} records")

    def close(self) -> None:
        """Nothing is left open."""

    def _write(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()


class TerminalProgress:
    """A bar."""

    def __init__(self, stream: TextIO) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(file=stream),
        )
        self._progress.start()
        self._task: int | None = None

    def phase(self, name: str, total: int | None = None) -> None:
        """Begins a new bar; the finished one stays above it."""
        self._finish()
        self._task = self._progress.add_task(name, total=total)

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


def progress_for(stream: TextIO | None = None, *, quiet: bool = False) -> ProgressReporter:
    """The reporter that fits the stream, standard error by default."""
    stream = stream or sys.stderr  # which is None where the caller closed it
    if quiet or stream is None:
        return NoProgress()
    return TerminalProgress(stream) if stream.isatty() else LineProgress(stream)
