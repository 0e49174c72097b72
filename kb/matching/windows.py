"""A log of any size as windows of a fixed size, cut between lines, each with the text around it; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

__all__ = ["BLOCK", "CONTEXT", "Window", "ranges", "windows"]

BLOCK: Final = 256 * 1024
"""Bytes of a window; a longer line is cut."""

CONTEXT: Final = 8 * 1024
"""Bytes that are seen before and after a window: no error of one line or a few is longer, and examples show them."""

_STEP: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One piece of a log. What begins in ``owned`` is this window's; ``before`` and ``after`` are its surroundings.

    ``line`` is the number of line breaks before ``owned``.
    """

    before: bytes
    owned: bytes
    after: bytes
    line: int


def windows(read: Callable[[int], bytes], *, before: bytes = b"", limit: int | None = None) -> Iterator[Window]:
    """The windows of what ``read(size)`` gives until it gives nothing.

    With ``limit`` the windows own that many bytes, which must end between lines, and see a little more. Together the
    windows own every byte once, whatever sizes ``read`` gives.
    """
    buffer, ended, line = b"", False, 0
    while True:
        while not ended and len(buffer) < BLOCK + CONTEXT:
            more = read(BLOCK)
            ended = not more
            buffer += more
        size = min(len(buffer), limit) if limit is not None else len(buffer)
        if not size:
            return
        end = _end(buffer, size)
        owned = buffer[:end]
        yield Window(before=before, owned=owned, after=buffer[end : end + CONTEXT], line=line)
        line += owned.count(b"\n")
        before = (before + owned)[-CONTEXT:]
        buffer = buffer[end:]
        limit = limit - end if limit is not None else None


def _end(buffer: bytes, size: int) -> int:
    """Where a window ends that may own ``size`` bytes: all of them if few, else after the last line that fits."""
    if size <= BLOCK:
        return size
    return buffer.rfind(b"\n", 0, BLOCK) + 1 or BLOCK


def ranges(file: BinaryIO, size: int, *, step: int) -> list[tuple[int, int]]:
    """Where to cut the first ``size`` bytes of a file for several processes: between lines, about every ``step``."""
    cuts = [0]
    for wanted in range(step, size, step):
        if wanted > cuts[-1]:
            cut = _next_line(file, wanted, size)
            if cut >= size:
                break
            cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], size], strict=True))


def _next_line(file: BinaryIO, offset: int, size: int) -> int:
    """Where the first line begins that begins at ``offset`` or later."""
    file.seek(offset - 1)
    place = offset - 1
    while place < size and (piece := file.read(_STEP)):
        found = piece.find(b"\n")
        if found >= 0:
            return place + found + 1
        place += len(piece)
    return size
