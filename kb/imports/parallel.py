"""A pure function in other processes: jobs go out as bytes and come back as bytes, in order.

The processes are programs of their own that import nothing but the function. None is a fork, so none shares a database
connection or a lock with this one, and each ends by itself when this one does. What a process cannot do, because it
could not be started or was killed, is done here, so the only difference is the time.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import IO, Self, TypeVar

__all__ = ["Crew", "Work", "cores", "serve"]

Work = Callable[[bytes], bytes]
Beside = TypeVar("Beside")
_MOST_WORKERS = 4
_NICENESS = 5  # what readers ask for comes first
_PATIENCE = 5.0  # seconds for a process to end when it has nothing to do
_LENGTH = struct.Struct(">Q")
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from kb.imports.parallel import serve; serve(sys.argv[2])"
)
log = logging.getLogger(__name__)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew:
    """Processes that do the work ``maker`` (``module:function``) makes of ``greeting``. Use it in a ``with`` block.

    The module must import nothing that needs more than Python's own start, since each process imports it.
    """

    def __init__(self, maker: str, greeting: bytes = b"", *, workers: int | None = None) -> None:
        self._maker, self._greeting = maker, greeting
        self._here = _make(maker, greeting)
        self._own = threading.local()  # each thread has a process of its own
        self._processes: list[subprocess.Popen[bytes]] = []
        count = min(cores(), _MOST_WORKERS) if workers is None else workers
        self._ahead = 2 * count
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="crew", initializer=self._start)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()  # it holds nothing that must be put away
        self._threads.shutdown(wait=True)
        for process in self._processes:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    _some(pipe).close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)

    def run(self, jobs: Iterable[tuple[Beside, bytes]]) -> Iterator[tuple[Beside, bytes]]:
        """What each job gives, in the order of the jobs, with what came beside it. A few jobs are taken ahead.

        Raises what the work itself raises.
        """
        waiting: deque[tuple[Beside, Future[bytes]]] = deque()
        for beside, job in jobs:
            waiting.append((beside, self._threads.submit(self._do, job)))
            if len(waiting) > self._ahead:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())

    def _start(self) -> None:
        """Starts the process of a thread."""
        self._own.process = None
        command = [sys.executable, "-c", _PROGRAM, json.dumps(sys.path), self._maker]
        try:
            # In a session of its own, so that Ctrl+C reaches this process alone, which then ends the other.
            process = subprocess.Popen(  # noqa: S603  our own words
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            self._processes.append(process)
            _send(_some(process.stdin), self._greeting)
        except OSError as error:
            log.warning("the import goes on with fewer processes: %s", error)
        else:
            self._own.process = process

    def _do(self, job: bytes) -> bytes:
        """One job, in the process of this thread, or here when that is gone."""
        process = self._own.process
        if process is not None:
            with suppress(OSError, ValueError):
                _send(process.stdin, job)
                answer = _receive(process.stdout)
                if answer is not None:
                    return answer
            self._own.process = None
            log.warning("a process of the import has ended (%s); its work is done here", process.poll())
        return self._here(job)


def serve(maker: str) -> None:
    """The other process: a greeting and then jobs from standard input, answers to standard output."""
    with suppress(OSError):
        os.nice(_NICENESS)
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not come among the answers
    greeting = _receive(jobs)
    if greeting is None:
        return
    work = _make(maker, greeting)
    with suppress(BrokenPipeError):
        while (job := _receive(jobs)) is not None:
            _send(answers, work(job))


def _make(maker: str, greeting: bytes) -> Work:
    module, _, name = maker.partition(":")
    work: Work = getattr(import_module(module), name)(greeting)
    return work


def _result(beside: Beside, done: Future[bytes]) -> tuple[Beside, bytes]:
    return beside, done.result()


def _some(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError("a process was started without a pipe")
    return pipe


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next message; ``None`` when there is none or not a whole one."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return data if len(data) == length else None
