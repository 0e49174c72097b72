"""A line while it is being cleaned, and cutting it without losing where its characters came from; pure."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

from kb.matching.shapes import Line

__all__ = ["Draft", "Step", "blocks", "remove_spans"]


class Draft:
    """A line in the making. ``offsets`` is ``None`` as long as its characters stand side by side in the original."""

    __slots__ = ("offsets", "removed", "start", "text")

    def __init__(self, text: str, start: int, offsets: Sequence[int] | None = None, removed: str = "") -> None:
        """A line whose first character stands at ``start`` in the original."""
        self.text = text
        self.start = start
        self.offsets = offsets
        self.removed = removed

    def place(self, column: int) -> int:
        """The offset in the original of the character at ``column``."""
        if self.offsets is None:
            return self.start + column
        if not self.offsets:
            return self.start
        return self.offsets[column] if column < len(self.offsets) else self.offsets[-1] + 1

    def cut(self, length: int) -> None:
        """Take ``length`` characters off the front; they are remembered as removed."""
        if length <= 0:
            return
        self.start = self.place(length)
        if self.offsets is not None:
            self.offsets = self.offsets[length:]
        self.removed += self.text[:length]
        self.text = self.text[length:]

    def keep(self, length: int) -> None:
        """Keep the first ``length`` characters only."""
        self.text = self.text[:length]
        if self.offsets is not None:
            self.offsets = self.offsets[:length]

    def replace(self, pieces: Sequence[tuple[int, int, str]]) -> None:
        """Put other text in the place of parts, given as rising ``(start, end, text)``."""
        texts: list[str] = []
        offsets = array("q")
        position = 0
        for start, end, text in (*pieces, (len(self.text), len(self.text), "")):
            texts += (self.text[position:start], text)
            offsets.extend(
                range(self.start + position, self.start + start)
                if self.offsets is None
                else self.offsets[position:start]
            )
            offsets.extend([self.place(start)] * len(text))
            position = end
        self.text = "".join(texts)
        self.offsets = offsets
        self.start = offsets[0] if offsets else self.start

    def line(self) -> Line:
        """The finished line."""
        return Line(text=self.text, start=self.start, removed=self.removed, offsets=self.offsets)


Step = Callable[[list[Draft], set[str]], list[Draft]]
"""One kind of cleaning: lines in, lines out; it adds the names of what it found to the set."""


def remove_spans(draft: Draft, spans: Sequence[tuple[int, int]]) -> None:
    """Take parts out of a line, given as rising ``(start, end)``; one at either end leaves the rest side by side."""
    if spans and spans[-1][1] == len(draft.text):
        draft.keep(spans[-1][0])
        spans = spans[:-1]
    if spans and spans[0][0] == 0:
        shift = spans[0][1]
        draft.cut(shift)
        spans = [(start - shift, end - shift) for start, end in spans[1:]]
    if spans:
        draft.replace([(start, end, "") for start, end in spans])


def blocks(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    """The runs of lines that are not blank."""
    block: list[Draft] = []
    for draft in drafts:
        if draft.text and not draft.text.isspace():
            block.append(draft)
        elif block:
            yield block
            block = []
    if block:
        yield block
