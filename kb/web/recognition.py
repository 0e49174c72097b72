"""What a text shows of itself before it is looked up: the error that matters in it. Asks neither index nor catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kb.matching.reading.document import read
from kb.matching.reading.secrets import mask
from kb.matching.shapes import Fault
from kb.matching.traces.parse import parse_last
from kb.matching.tuning import MAX_FAULTS
from kb.records.text import one_line

__all__ = ["Recognized", "recognized"]

_LONGEST_MESSAGE: Final = 240  # characters: more than any screen has room for beside the box
_LONGEST_NAME: Final = 80
_CHAINED: Final = frozenset(("cause", "context", "wrapped", "previous"))


@dataclass(frozen=True, kw_only=True)
class Recognized:
    """The cause at the root of the last error of a text, without secrets.

    ``errors`` counts those of the text that are told as errors, ``chained`` those from the outermost of its chain to
    it; with no error at all ``message`` is the last line that could be a message. ``frames`` are those of the chain.
    """

    errors: int
    chained: int
    frames: int
    language: str
    cls: str
    code: str
    message: str
    cut: bool


def recognized(text: str) -> Recognized | None:
    """What ``text`` shows of itself; ``None`` when it is empty. Never raises; linear in the text."""
    faults = parse_last(read(text).lines, MAX_FAULTS)
    told = [number for number, fault in enumerate(faults) if fault.kind != "line"]
    candidates = told or list(range(len(faults)))
    if not candidates:
        return None
    chain = _chain(faults, _outermost(faults, candidates[-1]))
    root = faults[chain[-1]]
    return Recognized(
        errors=len(told),
        chained=len(chain),
        frames=sum(len(faults[number].frames) for number in chain),
        language=next((faults[number].language for number in reversed(chain) if faults[number].language), ""),
        cls=_shown(root.cls, _LONGEST_NAME),
        code=_shown(root.codes[0], _LONGEST_NAME) if root.codes else "",
        message=_shown(root.message, _LONGEST_MESSAGE),
        cut=root.kind == "cut",
    )


def _outermost(faults: Sequence[Fault], number: int) -> int:
    """The fault that wraps all others of the chain that ``number`` is in."""
    for _ in faults:
        parent = faults[number].parent
        if parent is None:
            break
        number = parent
    return number


def _chain(faults: Sequence[Fault], number: int) -> list[int]:
    """From an error to the cause at its root."""
    chain = [number]
    for _ in faults:
        causes = [
            child for child, fault in enumerate(faults) if fault.parent == chain[-1] and fault.relation in _CHAINED
        ]
        if not causes:
            break
        chain.append(causes[0])
    return chain


def _shown(text: str, limit: int) -> str:
    return one_line(mask(text).text, limit)
