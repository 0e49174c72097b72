"""Work on all cores: a function of a module for each job, in other processes where that pays.

The processes are started afresh, so that they share no lock and no connection with this one. A job that ends its
process, as a hostile file may, is tried once more alone and then given up; all others are done.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from typing import Final, Generic, Self, TypeVar

from kb.processes import cores

__all__ = ["Crew"]

Key = TypeVar("Key")
Job = TypeVar("Job")
Result = TypeVar("Result")
_MOST_WORKERS: Final = 16
_NICENESS: Final = 5  # what people wait for comes first
_COLLECTION: Final = (50_000, 20, 50)
_AHEAD: Final = 2  # jobs that are handed over, for each process


class _Waiting(Generic[Key, Job]):
    """A job that is not done, and what its result will be known by."""

    def __init__(self, key: Key, job: Job) -> None:
        self.key, self.job = key, job


class Crew:
    """Up to ``workers`` processes (default: one a core); they are started with the first work that pays for them."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = min(cores(), _MOST_WORKERS) if workers is None else workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self._end()

    def run(
        self, work: Callable[[Job], Result], jobs: Sequence[tuple[Key, Job]], *, here: bool
    ) -> Iterator[tuple[Key, Result | None]]:
        """The result of each job under its key, in the order in which they are done.

        ``work`` is a function of a module, jobs and results are plain values. ``here`` does it in this process.
        ``None`` is the result of a job that ended its process. Raises what the work raises.
        """
        if here or not jobs or self._workers < 2 or not self._works():  # noqa: PLR2004  one process is this one
            for key, job in jobs:
                yield key, work(job)
            return
        suspects: list[_Waiting[Key, Job]] = []
        yield from self._together(work, deque(_Waiting(key, job) for key, job in jobs), suspects)
        for suspect in suspects:
            alone: list[_Waiting[Key, Job]] = []
            yield from self._together(work, deque([suspect]), alone)
            if alone:
                yield suspect.key, None

    def _together(
        self,
        work: Callable[[Job], Result],
        waiting: deque[_Waiting[Key, Job]],
        suspects: list[_Waiting[Key, Job]],
    ) -> Iterator[tuple[Key, Result]]:
        """Does what is waiting; those jobs that were under way when a process died become suspects."""
        under_way: dict[Future[Result], _Waiting[Key, Job]] = {}
        while waiting or under_way:
            broken = False
            while waiting and not broken and len(under_way) < _AHEAD * self._workers:
                row = waiting.popleft()
                try:
                    under_way[self._started().submit(work, row.job)] = row
                except BrokenProcessPool:
                    waiting.appendleft(row)
                    broken = True
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                row = under_way.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    suspects.append(row)
                    broken = True
                else:
                    yield row.key, future.result()
            if broken:
                suspects += under_way.values()
                under_way.clear()
                self._end()

    def _works(self) -> bool:
        """Whether processes can be started here at all; where not, the work is done in this one."""
        if self._pool is None:
            try:
                self._started().submit(os.getpid).result()
            except (OSError, BrokenProcessPool):
                self._end()
                self._workers = 1
                return False
        return True

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._workers, mp_context=context, initializer=_begin)
        return self._pool

    def _end(self) -> None:
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001  there is no other way to end them
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()  # it holds nothing that must be put away
        self._pool.shutdown(wait=True)
        self._pool = None


def _begin() -> None:
    """What each process does first: leave Ctrl+C to the one that started it, and end when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    gc.freeze()
    gc.set_threshold(*_COLLECTION)  # syntax trees are many objects and few cycles
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)
