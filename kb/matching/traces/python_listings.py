"""A frame of a Python trace with the source shown below it; pure."""

from __future__ import annotations

from typing import Final

from kb.matching.shapes import Frame
from kb.matching.traces.drafts import indent_of
from kb.matching.traces.python_frames import Mention, listing_line, listing_text
from kb.matching.traces.python_heads import raised_class

__all__ = ["Place"]

_MOST_SOURCE: Final = 60
_LONGEST: Final = 2_000


class Place:
    """A frame that is being read. ``numbered`` says that its source is a listing with line numbers."""

    __slots__ = ("at", "indent", "line", "mention", "numbered", "raises", "source", "sources")

    def __init__(self, mention: Mention, at: int, indent: int) -> None:
        """The frame named by the line at ``at``, which is indented by ``indent``."""
        self.mention = mention
        self.at = at
        self.indent = indent
        self.line = mention.line
        self.source = ""
        self.sources: list[str] = []
        self.numbered = False
        self.raises = ""
        """The class that the source shown raises, as far as it can be seen."""

    @staticmethod
    def is_listing(text: str) -> bool:
        """Whether a line shows source with its line number."""
        return listing_line(text) is not None

    def add(self, text: str) -> None:
        """Take a line below the frame."""
        bare = text.strip()
        if not bare.strip("~^ ") or bare.startswith("[Previous line repeated") or len(self.sources) >= _MOST_SOURCE:
            return
        listed = listing_line(text[:_LONGEST])
        if listed is None:
            self.sources.append(text[:_LONGEST])
            self.raises = raised_class(bare[:_LONGEST]) or self.raises
            self.source = self.source or bare
            return
        self.numbered = True
        number, pointed = listed
        shown = listing_text(text[:_LONGEST]).replace("│", " ")  # rich draws guides
        self.sources.append(shown)
        if pointed and self.line is None:
            self.line = number
        if pointed or number == self.line:
            self.source = shown.strip()
            self.raises = raised_class(self.source)

    def frame(self) -> Frame:
        """The frame as read."""
        return Frame(
            path=self.mention.path, line=self.line, function=self.mention.function, at=self.at, source=self.source
        )

    def quoted(self) -> str:
        """All source shown below the frame, without the indentation that all its lines share."""
        if not self.sources:
            return ""
        indent = min(indent_of(source) for source in self.sources)
        return "\n".join(source[indent:].rstrip() for source in self.sources)

    def raising(self) -> str:
        """The source when it can hold the message: a listing, a ``raise`` statement, or the source that is wrong."""
        first = self.sources[0].lstrip() if self.sources else ""
        shows = self.numbered or first.startswith("raise ") or not self.mention.function
        return self.quoted() if shows else ""
