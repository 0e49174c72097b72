"""A pure function in other processes: jobs go out as bytes and come back as bytes, in order.

The processes are programs of their own that import nothing but the function. None is a fork, so none shares a database
connection or a lock with this one, and each ends by itself when this one does. What a process cannot do, because it
could not be started or was killed, is done here, so the only difference is the time.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Self, TypeVar

from kb.processes import cores, end_program, receive, send, serving_pipes, start_program

__all__ = ["Crew", "Work", "serve"]

Work = Callable[[bytes], bytes]
Beside = TypeVar("Beside")
_MOST_WORKERS = 4
log = logging.getLogger(__name__)


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
            process.kill()  # so that no thread waits for its answer
        self._threads.shutdown(wait=True)
        for process in self._processes:
            end_program(process)

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
        try:
            process = start_program(__name__, "serve()", self._maker)
            self._processes.append(process)
            if process.stdin is not None:
                send(process.stdin, self._greeting)
        except OSError as error:
            log.warning("the import goes on with fewer processes: %s", error)
        else:
            self._own.process = process

    def _do(self, job: bytes) -> bytes:
        """One job, in the process of this thread, or here when that is gone."""
        process = self._own.process
        if process is not None:
            with suppress(OSError, ValueError):
                send(process.stdin, job)
                answer = receive(process.stdout)
                if answer is not None:
                    return answer
            self._own.process = None
            log.warning("a process of the import has ended (%s); its work is done here", process.poll())
        return self._here(job)


def serve() -> None:
    """The other process: a greeting and then jobs from standard input, answers to standard output."""
    jobs, answers = serving_pipes()
    greeting = receive(jobs)
    if greeting is None:
        return
    work = _make(sys.argv[2], greeting)
    with suppress(BrokenPipeError):
        while (job := receive(jobs)) is not None:
            send(answers, work(job))


def _make(maker: str, greeting: bytes) -> Work:
    module, _, name = maker.partition(":")
    work: Work = getattr(import_module(module), name)(greeting)
    return work


def _result(beside: Beside, done: Future[bytes]) -> tuple[Beside, bytes]:
    return beside, done.result()
