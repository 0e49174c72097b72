"""The lines of Go's panics, stacks and logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.traces.drafts import MAX_FRAME_LINE, indent_of, number

__all__ = [
    "Place",
    "after_date",
    "function_in",
    "is_dated",
    "is_goroutine",
    "place_in",
    "placed_message",
    "wrapped_starts",
]

_SOURCES: Final = (".go", ".s")
_DATE: Final = "0000/00/00 00:00:00"
_KLOG: Final = "EFW"
_WHOLE: Final = ("runtime error", "rpc error")
"""What does not stand for a wrapping: the two parts are one message."""

_MAX_PARTS: Final = 8
_MAX_PATH: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a source file."""

    path: str
    line: int


def is_goroutine(text: str) -> bool:
    """Whether ``text`` heads the stack of a goroutine: ``goroutine 1 [running]:``."""
    bare = text.strip()
    return bare.startswith("goroutine ") and bare.endswith("]:") and " [" in bare


def place_in(text: str) -> Place | None:
    """The place that a stack's line names: ``/app/main.go:12 +0x1d``, ``/app/main.go:12 (0x7dd5b8)``."""
    if len(text) > MAX_FRAME_LINE or ":" not in text:
        return None
    bare = text.strip().partition(" +0x")[0].partition(" (0x")[0]
    path, _, tail = bare.rpartition(":")
    line = number(tail)
    if line is None or not path.endswith(_SOURCES) or ": " in path:
        return None
    return Place(path=path, line=line)


def function_in(text: str) -> tuple[str, bool]:
    """The function that the line above a place names, and whether it stands with arguments; empty when none does."""
    bare = text.strip()
    if not bare or len(bare) > MAX_FRAME_LINE or bare.startswith("created by "):
        return "", False
    called = bare.endswith(")") and "(" in bare[1:]
    name = bare[: bare.rfind("(")] if called else bare
    if " " in name or ("." not in name and name != "panic") or name.endswith((":", ".")):
        return "", called
    return name, called


def after_date(text: str) -> int:
    """The column behind the date and time that Go's logger prints; 0 when there is none."""
    start = indent_of(text)
    stamp = text[start : start + len(_DATE)]
    shape = "".join("0" if "0" <= character <= "9" else character for character in stamp)
    if shape != _DATE:
        return 0
    end = text.find(" ", start + len(_DATE))
    return end + 1 if end >= 0 else 0


def is_dated(prefix: str) -> bool:
    """Whether a prefix that was taken off a line holds a date and a time of Go's logger, colours in it or not."""
    return prefix.count("/") >= _DATE.count("/") and prefix.count(":") >= _DATE.count(":")


def placed_message(text: str) -> tuple[Place, int] | None:
    """The place and the column of the message of ``main.go:5:2: message``, with a date before it or not, and of
    ``E0102 03:04:05.000006 7 file.go:8] message``.
    """
    stop = text.find(".go:", 0, _MAX_PATH)
    if stop < 0:
        return None
    start = after_date(text) or indent_of(text)
    close = text.find("] ", stop, stop + 12)
    if close >= 0 and text[start : start + 1] in _KLOG and text[start + 1 : start + 5].isdigit():
        path = text[start:stop].rpartition(" ")[2]
        logged = number(text[stop + 4 : close])
        return (Place(path=f"{path}.go", line=logged), close + 2) if logged is not None else None
    colon = text.find(": ", stop, stop + 24)
    path = text[start:stop].removeprefix("vet: ")
    line, _, column = text[stop + 4 : colon].partition(":")
    if colon < 0 or " " in path or number(line) is None or (column and number(column) is None):
        return None
    return Place(path=f"{path}.go", line=int(line)), colon + 2


def wrapped_starts(message: str) -> list[int]:
    """Where the parts of ``a: b: c`` behind the first begin. A colon in double quotes divides nothing, and a single
    word is no part: it says too little.
    """
    first = message.partition("\n")[0]
    starts: list[int] = []
    quoted = False
    divided = 0
    for at, character in enumerate(first):
        if character == '"':
            quoted = not quoted
        elif character == ":" and not quoted and first[at + 1 : at + 2] == " ":
            part, divided = first[divided:at], at + 2
            if part not in _WHOLE and " " in first[divided : divided + _MAX_PATH].strip():
                starts.append(divided)
        elif character == "=" and first.endswith(" desc ", divided, at) and first.startswith("code = ", divided):
            starts.append(at + 2)
            divided = at + 2
    return starts[-_MAX_PARTS:]
