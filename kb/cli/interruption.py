"""Signals that ask a command to end, as an exception that it can clean up after."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

__all__ = ["Interruption", "interruptible"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass
class Interruption:
    """The signal that came, 0 while none has."""

    number: int = 0

    @property
    def exit_code(self) -> int:
        """What shells expect of a process that a signal ended."""
        return 128 + self.number


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Makes Ctrl-C and SIGTERM raise ``KeyboardInterrupt`` in the block, and says afterwards which one came.

    What the parent process told this one to ignore stays ignored, and outside the main thread nothing is changed:
    signals are handled only there.
    """
    interruption = Interruption()

    def stop(number: int, _frame: FrameType | None) -> None:
        interruption.number = number
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, stop)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
