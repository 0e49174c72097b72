"""Answers that a process keeps because they were dear: the last used ones, by digest."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Kept"]

T = TypeVar("T")


class Kept(Generic[T]):
    """At most ``size`` values. Keys are digests, so that no question stays in memory. Threads may share it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._values: OrderedDict[bytes, T] = OrderedDict()

    def get(self, key: bytes, make: Callable[[], T]) -> T:
        """The value kept under a key, else a new one. Two threads may make the same one at a time."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
