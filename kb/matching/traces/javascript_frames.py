"""The frames of JavaScript stacks: V8 (``at f (x.js:1:2)``), Firefox and Safari (``f@http://x/y.js:1:2``)."""

from __future__ import annotations

from typing import Final

from kb.matching.shapes import Frame
from kb.matching.traces.drafts import MAX_FRAME_LINE, location

__all__ = ["frame_in"]

_FOREIGN: Final = (
    ".rs",
    ".go",
    ".py",
    ".rb",
    ".php",
    ".java",
    ".kt",
    ".scala",
    ".cs",
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".hpp",
    ".swift",
)
_OWN: Final = (".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".bundle")
_NO_FILE: Final = ("<anonymous>", "native", "native code", "unknown location", "unknown")
_LEADS: Final = ("async ", "address at ")


def frame_in(text: str, at: int) -> Frame | None:
    """The frame that line ``at`` with ``text`` is; None when it is none."""
    if len(text) > MAX_FRAME_LINE:
        return None
    bare = text.strip()
    if bare.startswith("at "):
        return _v8(_without_tail(bare)[3:].lstrip(), at)
    return _gecko(_without_tail(bare), at) if "@" in bare else None


def _without_tail(bare: str) -> str:
    """A frame without what an inspected object or list puts after it."""
    return bare.rstrip(" ,{]") if not bare.endswith("[native code]") else bare


def _v8(rest: str, at: int) -> Frame | None:
    rest = rest.removeprefix("async ")
    head, paren, inside = rest.partition(" (")
    if not paren or not rest.endswith(")"):
        return _bare(rest, at)
    return _located(head.partition(" [as ")[0].strip(), inside[:-1], at)


def _bare(rest: str, at: int) -> Frame | None:
    """A frame that is only a location."""
    if rest == "<anonymous>":
        return Frame(path=rest, line=None, function="", at=at)
    path, line, column = location(rest)
    if line is None or column is None or not path or path.endswith(_FOREIGN) or rest.endswith(")"):
        return None
    if " " in path and not path.startswith(("/", "file:", "http", ".")) and path[1:3] not in (":\\", ":/"):
        return None
    return Frame(path=path, line=line, function="", at=at)


def _located(function: str, place: str, at: int) -> Frame | None:
    """A frame with a function and, in parentheses, a location."""
    if place.startswith("eval at "):
        place = place.rpartition(", ")[2]
    for lead in _LEADS:
        place = place.removeprefix(lead)
    if place in _NO_FILE or place.startswith("index "):
        path = place if place == "<anonymous>" else ""
        return Frame(path=path, line=None, function=function, at=at)
    path, line, column = location(place)
    if line is None or not path or path.endswith(_FOREIGN):
        return None
    if column is None and not path.endswith(_OWN):
        return None
    return Frame(path=path, line=line, function=function, at=at)


def _gecko(bare: str, at: int) -> Frame | None:
    function, _, place = bare.partition("@")
    if place == "[native code]":
        return Frame(path="", line=None, function=function, at=at)
    if "://" not in place and not place.startswith(("/", "[", "debugger eval", "webpack")):
        return None
    path, line, column = location(place)
    if line is None or column is None or " " in function.replace(" code", "").replace("async ", ""):
        return None
    path = path.partition(" line ")[0]
    return Frame(path=path, line=line, function=function.rpartition("*")[2], at=at)
