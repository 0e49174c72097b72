"""Secrets in a pasted text, replaced by typed marks before anything goes out; pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kb.matching.reading.ansi import sequence_spans
from kb.matching.reading.secret_tokens import Span, find_blocks, find_in_urls, find_tokens
from kb.matching.reading.secret_values import find_values

__all__ = ["Masked", "mask"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text whose secrets are marks, their kind in angle quotation marks, and how many of which kind there were.

    ``starts`` and ``ends`` bound the replaced parts in the original, ``targets`` those in ``text``. A part never
    spans a line break: of a block of several lines the first holds the mark, the others are empty.
    """

    text: str
    counts: tuple[tuple[str, int], ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    targets: tuple[tuple[int, int], ...] = ()

    def to_masked(self, offset: int) -> int:
        """The offset in ``text`` of an offset in the original; inside a secret, that of its mark."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0:
            return offset
        start, end = self.targets[index]
        return start if offset < self.ends[index] else end + offset - self.ends[index]


def mask(text: str) -> Masked:
    """The text without its secrets. Never raises; linear in the text; lines stay lines."""
    spans = _merged([*_found(text), *_found_in_color(text)])
    if not spans:
        return Masked(text=text)
    pieces: list[str] = []
    targets: list[tuple[int, int]] = []
    parts = [part for span in spans for part in _by_line(text, span)]
    position = length = 0
    for start, end, kind in parts:
        mark = f"\u2039{kind}\u203a" if kind else ""
        length += start - position
        targets.append((length, length + len(mark)))
        length += len(mark)
        pieces += (text[position:start], mark)
        position = end
    pieces.append(text[position:])
    return Masked(
        text="".join(pieces),
        counts=tuple(sorted(Counter(kind for _, _, kind in spans).items())),
        starts=tuple(start for start, _, _ in parts),
        ends=tuple(end for _, end, _ in parts),
        targets=tuple(targets),
    )


def _found(text: str) -> list[Span]:
    return [*find_blocks(text), *find_tokens(text), *find_in_urls(text), *find_values(text)]


def _found_in_color(text: str) -> list[Span]:
    """Secrets that are seen only without the control sequences before them or inside of them."""
    sequences = sequence_spans(text)
    if not sequences:
        return []
    pieces: list[str] = []
    begins: list[int] = []  # in the plain text, of the piece behind each sequence
    offsets: list[int] = []  # the same places in the text
    position = length = 0
    for start, end in (*sequences, (len(text), len(text))):
        if start > position:
            begins.append(length)
            offsets.append(position)
            pieces.append(text[position:start])
            length += start - position
        position = end

    def place(column: int) -> int:
        index = bisect_right(begins, column) - 1
        return offsets[index] + column - begins[index]

    return [(place(start), place(end - 1) + 1, kind) for start, end, kind in _found("".join(pieces)) if end > start]


def _merged(found: list[Span]) -> list[Span]:
    """The parts in order, those that overlap as one, of the kind that begins first or is the longest."""
    merged: list[Span] = []
    for start, end, kind in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end, merged[-1][2])
        elif end > start:
            merged.append((start, end, kind))
    return merged


def _by_line(text: str, span: Span) -> Iterator[Span]:
    """A part as its lines: the first with the kind, the others without."""
    start, end, kind = span
    for raw in text[start:end].splitlines(keepends=True):
        body = len(raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        if body:
            yield start, start + body, kind
        kind = ""
        start += len(raw)
