"""Messages that were broken at a width, between words or inside them: the text without those breaks; pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Joined", "joined"]

_NARROWEST: Final = 40
"""Characters of a line that a terminal may have broken."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A text without breaks inside its words; ``removed`` are the places in it before which a break stood."""

    text: str
    removed: tuple[int, ...]

    def place(self, offset: int) -> int:
        """The offset in the broken text of a character of this one."""
        return offset + bisect_right(self.removed, offset)


def joined(text: str, column: int) -> tuple[Joined, ...]:
    """The text with the breaks undone that its width made, in each way that differs from it; none when there are none.
    ``column`` is where the first line begins.

    A line is full when the first word of the next one had no room in it. Breaks after full lines become blanks; or,
    since a terminal spares no words, those after the widest lines go without a trace.
    """
    lines = text.split("\n")
    widths = [len(line) for line in lines]
    widths[0] += column
    widest = max(widths)
    if len(lines) == 1 or widest < _NARROWEST:
        return ()
    rooms = [widest - width for width in widths]
    full = [_is_full(line, below, room=room) for line, below, room in zip(lines, lines[1:], rooms, strict=False)]
    if not any(full):
        return ()
    blanks = [" " if is_full else "\n" for is_full in full]
    nothing = ["" if is_full and not room else blank for is_full, room, blank in zip(full, rooms, blanks, strict=False)]
    return tuple(_with(lines, breaks) for breaks in (blanks, nothing)[: 2 if nothing != blanks else 1])


def _with(lines: Sequence[str], breaks: Sequence[str]) -> Joined:
    """The lines with ``breaks`` between them."""
    pieces = [lines[0]]
    removed: list[int] = []
    length = len(lines[0])
    for between, below in zip(breaks, lines[1:], strict=True):
        if not between:
            removed.append(length)
        pieces += (between, below)
        length += len(between) + len(below)
    return Joined("".join(pieces), tuple(removed))


def _is_full(line: str, below: str, *, room: int) -> bool:
    """Whether the first word below had no room in a line that has so much left."""
    if not line or not below or line[-1].isspace() or below[0].isspace():
        return False
    word = below.find(" ")
    return room <= (word if word >= 0 else len(below))
