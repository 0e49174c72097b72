"""Has the static dataset made when it is missing: by a process of its own, so that this one goes on serving.

Nothing of a request reaches that process. One at a time makes it, whichever of the server's processes asked; an attempt
that failed is not repeated for a while.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

from django.conf import settings

from kb.catalog.answers import CatalogView
from kb.imports.export.served import ServedLayout, usable
from kb.imports.export.serving import is_being_made

__all__ = ["current_layout"]

log = logging.getLogger(__name__)
_PROGRAM = (sys.executable, "-m", "kb.cli.program", "static_dataset", "--quiet")
_PAUSE = 60.0  # seconds after a failure
_WAIT = 5.0  # seconds that a request may wait: a small catalog is ready by then
_LOOK = 0.05
_REFUSED = 4  # the exit code while another process makes it


@dataclass
class _Maker:
    """The process that this one started last."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    process: subprocess.Popen[bytes] | None = None
    wanted: tuple[int, str] = (0, "")
    failed: float = -_PAUSE
    waiting: int = 0

    def start(self, state: CatalogView) -> bool:
        """Starts a process unless one runs or failed lately; whether this call did."""
        with self.lock:
            if self._runs() or is_being_made():
                return False
            wanted = (state.revision, state.version)
            if wanted == self.wanted and time.monotonic() - self.failed < _PAUSE:
                return False
            self.wanted, self.failed = wanted, -_PAUSE
            try:
                self.process = subprocess.Popen(  # noqa: S603 - our own program, nothing of the request
                    _PROGRAM, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
                )
            except OSError as error:
                log.warning("the static dataset cannot be made: %s", error.strerror)
                self.failed = time.monotonic()
                return False
            return True

    def works(self) -> bool:
        """Whether a process of anybody is at it."""
        with self.lock:
            return self._runs() or is_being_made()

    def _runs(self) -> bool:
        if self.process is None:
            return False
        code = self.process.poll()
        if code is None:
            return True
        self.process = None
        if code not in {0, _REFUSED}:
            self.failed = time.monotonic()
        return False

    def enter(self) -> bool:
        """Whether one more request may wait: a thread stays free for the others."""
        with self.lock:
            if self.waiting >= max(1, settings.KB_THREADS - 1):
                return False
            self.waiting += 1
            return True

    def leave(self) -> None:
        """It waits no longer."""
        with self.lock:
            self.waiting -= 1


_maker = _Maker()


def current_layout(state: CatalogView) -> ServedLayout | None:
    """The layout of the present state; the one before it while that is made; ``None`` while there is none at all.

    The request that has the making started waits a moment for it, and so does one that would get nothing else.
    """
    current, before = usable(state)
    if current is not None or not state.revision:
        return current
    started = _maker.start(state)
    if (started or before is None) and _maker.enter():
        try:
            current = _wait(state)
        finally:
            _maker.leave()
    return current or before


def _wait(state: CatalogView) -> ServedLayout | None:
    deadline = time.monotonic() + _WAIT
    while _maker.works() and time.monotonic() < deadline:
        time.sleep(_LOOK)
    return usable(state)[0]
