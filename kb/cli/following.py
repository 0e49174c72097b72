"""Text that is still being written: a growing file or a pipe, piece by piece as its traces end."""

from __future__ import annotations

import codecs
import os
import select
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from kb.matching.reading.document import read
from kb.matching.shapes import Document, Fault
from kb.matching.traces.parse import parse

__all__ = ["ended_texts", "follow_file", "follow_pipe"]

_BEHIND: Final = 256 * 1024
"""Bytes of a file that are read of what it holds already."""
_STEP: Final = 64 * 1024
_MOST_WAITING: Final = 256 * 1024
"""Characters that wait for the end of a trace; then they are taken as they are."""
_POLL: Final = 0.2  # seconds
_QUIET: Final = 0.7  # seconds without a further line after which a trace has ended
_EVERY: Final = 1.0  # seconds between two looks at a text that never stops
_STILL_OPEN: Final = 6  # lines that may follow a trace before it goes on, such as "During handling …"
_BEGINNING: Final = 3  # last lines that may be the beginning of a trace
_MOST_FAULTS: Final = 30  # of one text; the engine looks at few


def follow_file(path: Path) -> Iterator[bytes]:
    """What a file holds near its end and what is written to it, without end; empty when nothing came for a moment.

    A file that was replaced or emptied is read from its start. Raises ``OSError`` when it cannot be read at first.
    """
    file: BinaryIO = path.open("rb")
    try:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - _BEHIND))
        if size > _BEHIND:
            file.readline(_STEP)  # the rest of a line
        while True:
            piece = file.read(_STEP)
            if not piece:
                file = _current(path, file)
                piece = file.read(_STEP)
            if not piece:
                time.sleep(_POLL)
            yield piece
    finally:
        file.close()


def _current(path: Path, file: BinaryIO) -> BinaryIO:
    """The file that has the name now; while none has it, the one that is open."""
    held = os.fstat(file.fileno())
    if held.st_size < file.tell():  # emptied
        file.seek(0)
    try:
        named = path.stat()
        if (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino):
            return file
        fresh = path.open("rb")
    except OSError:
        return file
    file.close()
    return fresh


def follow_pipe(descriptor: int) -> Iterator[bytes]:
    """What comes through a pipe until it is closed; empty when nothing came for a moment."""
    while True:
        ready, _, _ = select.select([descriptor], [], [], _POLL)
        if not ready:
            yield b""
            continue
        piece = os.read(descriptor, _STEP)
        if not piece:
            return
        yield piece


def ended_texts(pieces: Iterator[bytes]) -> Iterator[str]:
    """The texts to explain: what came, cut where no trace is open. A text has a few errors at most."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    waiting = ""
    came = looked = time.monotonic()
    for piece in pieces:
        now = time.monotonic()
        if piece:
            waiting += decoder.decode(piece)
            came = now
        quiet = now - came >= _QUIET
        if waiting and (quiet or now - looked >= _EVERY or len(waiting) > _MOST_WAITING):
            texts, waiting = _ended(waiting, all_of_it=quiet or len(waiting) > _MOST_WAITING)
            yield from texts
            looked = time.monotonic()
    texts, _ = _ended(waiting + decoder.decode(b"", final=True), all_of_it=True)
    yield from texts


def _ended(text: str, *, all_of_it: bool) -> tuple[list[str], str]:
    """The texts up to the trace that may still go on, and the rest."""
    end = len(text) if all_of_it else text.rfind("\n") + 1
    document = read(text[:end])
    faults = parse(document.lines)
    if not all_of_it:
        end = _open_from(document, faults, end)
        faults = tuple(fault for fault in faults if _start(document, fault) < end)
    cuts = [cut for cut in _cuts(document, faults) if 0 < cut < end]
    texts = [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, end], strict=True)]
    return [part for part in texts if part.strip()], text[end:]


def _start(document: Document, fault: Fault) -> int:
    """Where the line begins on which a fault begins."""
    return document.original.rfind("\n", 0, document.lines[fault.first].start) + 1


def _open_from(document: Document, faults: Sequence[Fault], end: int) -> int:
    """Where the trace begins that stands at the end of the text, with all that hangs together with it.

    The last lines are open in any case: they may be the first ones of a trace.
    """
    last = len(document.lines) - 1 - _STILL_OPEN
    open_ones = {
        number for number, fault in enumerate(faults) if fault.last >= last and fault.kind in {"raised", "cut"}
    }
    for number in range(len(faults) - 1, -1, -1):  # a wrapper may stand before or after what it wraps
        parent = faults[number].parent
        if parent is not None and (number in open_ones or parent in open_ones):
            open_ones |= {number, parent}
    beginning = document.lines[max(0, len(document.lines) - _BEGINNING)].start if document.lines else end
    return min([document.original.rfind("\n", 0, beginning) + 1, *(_start(document, faults[at]) for at in open_ones)])


def _cuts(document: Document, faults: Sequence[Fault]) -> list[int]:
    """Where to cut so that no text has too many faults and no chain is torn."""
    cuts: list[int] = []
    reach = count = 0
    for number, fault in enumerate(faults):
        linked = [
            other for other, child in enumerate(faults[number + 1 : number + 41], number + 1) if child.parent == number
        ]
        if count >= _MOST_FAULTS and number > reach and (fault.parent is None or fault.parent > number):
            cuts.append(_start(document, fault))
            count = 0
        count += 1
        reach = max(reach, fault.parent or 0, *linked, 0)
    return cuts
