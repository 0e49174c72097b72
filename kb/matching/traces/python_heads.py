"""The lines of a Python trace that are no frames: its headers, its markers, and the line that names the error; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Relation
from kb.matching.traces.class_names import class_end, is_class_name
from kb.matching.traces.drafts import indent_of
from kb.matching.traces.endings import is_rule

__all__ = [
    "ErrorLine",
    "chain_in",
    "error_line",
    "header_class",
    "is_header",
    "is_preamble",
    "is_reversed_header",
    "raised_class",
]

_HEADER: Final = "Traceback (most recent call last)"
_FIRST_HEADERS: Final = ("(most recent call first):",)
_CONTEXT: Final = "During handling of the above exception, another exception occurred"
_CAUSE: Final = "The above exception was the direct cause of the following exception"
_PREAMBLES: Final = ("Exception in thread ", "Exception ignored in", "Exception in callback ", "Exception in Tkinter ")
_LABELS: Final = frozenset(
    """Note Notes Hint Expected Actual Output Input Result Version Versions Environment Steps Code Example Question
    Answer Edit Update Solution Problem Issue Description Windows Linux Mac Python Thanks Usage Options Running Done
    Success Info Debug Tip See Also Logs Log Command""".split()  # noqa: SIM905  a list to read
)
"""Words before a colon that begin other text, where the class would stand."""


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """``Class: message``: the class, and the column where the message begins. ``sure`` says that the class tells
    itself, by its ending or module.
    """

    cls: str
    column: int
    sure: bool


def is_header(text: str) -> bool:
    """Whether a trace begins here; ``… (most recent call first):`` begins one in the other order."""
    return _HEADER in text or is_reversed_header(text)


def is_reversed_header(text: str) -> bool:
    """Whether a dump of the interpreter begins, with the innermost frame first."""
    return text.rstrip().endswith(_FIRST_HEADERS)


def header_class(text: str) -> str:
    """The class in IPython's header ``KeyError      Traceback (most recent call last)``, or nothing."""
    name, header, _ = text.partition(_HEADER)
    bare = name.strip()
    return bare if header and name.endswith("  ") and class_end(bare) == len(bare) else ""


def chain_in(text: str) -> Relation:
    """The relation that a marker between two traces tells: the error above it is that of the one below."""
    if _CONTEXT in text:
        return "context"
    return "cause" if _CAUSE in text else ""


def error_line(text: str) -> ErrorLine | None:
    """The error that a line without gutters names, if it has the form of one."""
    start = indent_of(text)
    while text[start : start + 1] in ("`", "*"):
        start += 1
    end = class_end(text, start)
    name = text[start:end]
    rest = text[end:]
    if not name or not (rest.strip("`* ") in ("", ":") or rest.startswith(": ")):
        return None
    sure = is_class_name(name)
    if not sure and (name in _LABELS or len(name) < 3 or not (name[0].isupper() or "." in name)):  # noqa: PLR2004
        return None
    return ErrorLine(name, min(end + 2, len(text)) if rest.startswith(":") else len(text), sure)


def is_preamble(text: str) -> bool:
    """Whether a line right above a header belongs to the trace: ``Exception in thread …:``, a rule, a test's name."""
    bare = text.strip()
    return bare.startswith(_PREAMBLES) or is_rule(bare) or (bare.startswith(("ERROR: ", "FAIL: ")) and bare[-1] == ")")


def raised_class(source: str) -> str:
    """The class that a ``raise`` statement makes, as far as it can be seen."""
    place = source.rfind("raise ")
    if place < 0 or source[:place].rpartition("\n")[2].strip(" \t>|"):
        return ""
    start = place + len("raise ")
    end = class_end(source, start)
    name = source[start:end]
    return name if name.rpartition(".")[2][:1].isupper() else ""
