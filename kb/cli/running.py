"""Runs a command as if it stood alone: its output passes through as it comes, and the end of it is kept."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

__all__ = ["CANNOT_RUN", "NOT_FOUND", "run_command"]

CANNOT_RUN, NOT_FOUND = 126, 127  # as shells have it
_KEPT: Final = 1024 * 1024
"""Bytes of the output's end that are kept."""
_STEP: Final = 64 * 1024
_POLL: Final = 0.2  # seconds
_LINGER: Final = 1.0  # seconds that output is waited for which a child of the command may still write


def run_command(words: Sequence[str]) -> tuple[int, bytes]:
    """The command's status as a shell tells it, and the end of what it wrote to both its outputs.

    Raises ``OSError`` when it cannot be started.
    """
    with (
        _passing_signals() as children,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child,  # noqa: S603 - that is the point
    ):
        children.append(child)
        kept = _pass_through(child)
        status = child.wait()
    return (status if status >= 0 else 128 - status), kept


@contextmanager
def _passing_signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Ctrl-C reaches the command by itself, so it is left to that; SIGTERM is handed on."""
    children: list[subprocess.Popen[bytes]] = []

    def hand_on(number: int, _frame: Any) -> None:
        for child in children:
            child.send_signal(number)

    # A handler, unlike SIG_IGN, is not inherited by the command.
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, hand_on),
    }
    try:
        yield children
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pass_through(child: subprocess.Popen[bytes]) -> bytes:
    """Copies both outputs until they are closed, or the command has ended and nothing comes any more."""
    kept = bytearray()
    heard = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for pipe, target in ((child.stdout, sys.stdout), (child.stderr, sys.stderr)):
            assert pipe is not None
            target.flush()
            selector.register(pipe, selectors.EVENT_READ, target)
        while selector.get_map():
            ready = selector.select(_POLL)
            if not ready and child.poll() is not None and time.monotonic() - heard > _LINGER:
                break
            for key, _ in ready:
                heard = time.monotonic()
                piece = os.read(key.fd, _STEP)
                if not piece:
                    selector.unregister(key.fileobj)
                    continue
                _write(key.data, piece)
                kept += piece
                if len(kept) > 2 * _KEPT:
                    del kept[:-_KEPT]
    return bytes(kept[-_KEPT:])


def _write(stream: Any, piece: bytes) -> None:
    """Writes bytes as they are where the stream takes bytes."""
    binary = getattr(stream, "buffer", None)
    if binary is None:
        stream.write(piece.decode("utf-8", "replace"))
    else:
        binary.write(piece)
        binary.flush()
