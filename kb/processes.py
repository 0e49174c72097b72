"""Programs of our own beside this one: how they are started and ended, and messages through their pipes.

Each is a program and not a fork, so that it shares no database connection and no lock with the process that started it,
and it ends by itself when its pipe does.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from contextlib import suppress
from typing import IO, Final

__all__ = ["cores", "end_program", "receive", "send", "serving_pipes", "start_program"]

_NICENESS: Final = 5  # what readers ask for comes first
_PATIENCE: Final = 5.0  # seconds for a program that was killed to end
_LENGTH: Final = struct.Struct(">Q")
_LEAD: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_program(module: str, call: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Starts Python with ``from module import …`` and ``call``, which finds the arguments from ``sys.argv[2]`` on.

    Both pipes are open. Raises ``OSError`` when it cannot be started.
    """
    source = f"{_LEAD}from {module} import {call.partition('(')[0]}; {call}"
    command = [sys.executable, "-c", source, json.dumps(sys.path), *arguments]
    # In a session of its own, so that Ctrl+C reaches this process alone, which then ends the other.
    return subprocess.Popen(  # noqa: S603  our own words
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def end_program(process: subprocess.Popen[bytes]) -> None:
    """Ends a program, if it still runs, and waits until it has. It holds nothing that must be put away."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)


def serving_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """In the program: where messages come from and answers go to. What anything prints goes to standard error, so that
    it does not come among the answers.
    """
    with suppress(OSError):
        os.nice(_NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def send(pipe: IO[bytes], data: bytes) -> None:
    """Writes one message. Raises ``OSError`` when nobody reads it any more."""
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """The next message; ``None`` when there is none or not a whole one."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return data if len(data) == length else None
