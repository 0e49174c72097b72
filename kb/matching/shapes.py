"""What is read from a pasted text, as plain values: its lines, the frames and the faults in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["LANGUAGES", "Document", "Fault", "FaultKind", "Frame", "Line", "Relation"]

LANGUAGES: Final = (
    "Python",
    "JavaScript",
    "Java",
    "Kotlin",
    "Scala",
    "Go",
    "Rust",
    "C#",
    "Ruby",
    "PHP",
    "C++",
    "C",
)
"""The values of :attr:`Fault.language`; empty when the text does not tell. JavaScript stands for TypeScript too, Java
for whatever runs on the JVM and does not show its language.
"""

Relation = Literal["", "cause", "context", "suppressed", "member", "wrapped", "previous"]
"""How a fault relates to its ``parent``: the cause it names, the error it was raised while handling, one it suppressed,
a member of its group, a cause quoted inside its own message, or the exception before it.
"""

FaultKind = Literal["raised", "logged", "line", "cut"]
"""``raised``: a stack trace or a line ``Class: message``; ``logged``: a message that a log line carries; ``line``: any
other text; ``cut``: a trace that ends before its message.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One clean line: no prefix, colour, border or quote mark, and no line break.

    ``start`` is the offset of the line's first character in the original text. When characters were taken out of its
    middle, ``offsets`` holds the original offset of each character; a line that was decoded (JSON, an entity) maps all
    its characters into the piece of the original that it came from. ``removed`` is what stood before ``text``.
    """

    text: str
    start: int
    removed: str = ""
    offsets: Sequence[int] | None = None

    def place(self, column: int) -> int:
        """The offset in the original text of the character at ``column``; the line's end for its length."""
        if self.offsets is None:
            return self.start + column
        if not self.offsets:
            return self.start
        return self.offsets[column] if column < len(self.offsets) else self.offsets[-1] + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text as pasted, and its clean lines in order. ``layouts`` names what was cleaned away ("ansi", "docker", …)."""

    original: str
    lines: tuple[Line, ...]
    layouts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of a stack: path as printed, line if known, function as printed, and the source line if quoted.

    ``at`` is the index of the frame's line in ``Document.lines``. A Java frame has the path that its package gives:
    ``org/example/Tool.java``.
    """

    path: str
    line: int | None
    function: str
    at: int
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One error read from a text.

    ``cls`` is the class as printed, qualified or not, empty when there is none; ``message`` the text after it, its line
    breaks kept. ``frames`` stand nearest the raise first. ``parent`` is the position, in the tuple that holds this
    fault, of the one that wraps it. ``first`` and ``last`` are the indexes in ``Document.lines`` of its first and last
    line, frames included; the message begins at ``message_line`` and ``message_column`` (there the first character of
    ``message`` stands) and each further line of it is one line of the document, ``message_last`` the last of them.
    ``message_line`` is -1 when there is no message. ``quoted`` is source text shown around the raise (listings,
    the statement of a cut trace), where a message may stand as a literal.
    """

    cls: str
    message: str
    language: str
    kind: FaultKind
    first: int
    last: int
    frames: tuple[Frame, ...] = ()
    relation: Relation = ""
    parent: int | None = None
    message_line: int = -1
    message_column: int = 0
    message_last: int = -1
    codes: tuple[str, ...] = ()
    status: int | None = None
    notes: tuple[str, ...] = ()
    quoted: str = ""
