"""The pieces that native programs and their tools share: source files, places and stacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Frame, Line
from kb.matching.traces.codes import codes_in
from kb.matching.traces.drafts import MAX_FRAME_LINE, Draft, location

__all__ = ["add", "is_source", "joined", "language_of", "source_place", "stack"]

_SUFFIXES: Final = frozenset(
    (
        "c",
        "cc",
        "cpp",
        "cxx",
        "c++",
        "h",
        "hh",
        "hpp",
        "hxx",
        "h++",
        "cu",
        "cuh",
        "inl",
        "ipp",
        "tpp",
        "txx",
        "m",
        "mm",
        "s",
    )
)
_FRAME: Final = re.compile(r"[ \t]{0,20}#[0-9]{1,5} {1,4}(?:0x[0-9a-fA-F]{1,20} )?(?:in )?(\S.{0,1500})")
_MODULE: Final = re.compile(r" \((?:[^()]{0,300}\+0x[0-9a-fA-F]{1,20}|BuildId: [0-9a-f]{1,64})\)")
_OF_THE_TOOL: Final = ("libsanitizer/", "compiler-rt/", "/sysdeps/", "../csu/")


def is_source(path: str) -> bool:
    """Whether a path is that of a source file of C, C++ or their kin."""
    return path.rpartition(".")[2].casefold() in _SUFFIXES


def language_of(path: str) -> str:
    """The language of a source file: C only when its name says so."""
    return "C" if path.endswith((".c", ".C.c")) else "C++"


def source_place(text: str) -> tuple[str, int] | None:
    """``path:line`` or ``path:line:column`` of a source file, as path and line."""
    if len(text) > MAX_FRAME_LINE:
        return None
    path, line, _ = location(text.strip())
    return (path, line) if line is not None and is_source(path) else None


def stack(lines: Sequence[Line], at: int) -> tuple[list[Frame], int]:
    """The frames ``#0 0x… in name path:line`` in the lines from ``at`` on that name a file, and the line after them."""
    frames: list[Frame] = []
    while at < len(lines) and len(lines[at].text) <= MAX_FRAME_LINE:
        matched = _FRAME.match(lines[at].text)
        if matched is None:
            break
        function, _, placed = _MODULE.sub("", matched[1]).rstrip().rpartition(" ")
        path, line, _ = location(placed)
        if line is not None and not any(part in path for part in _OF_THE_TOOL):
            if function.endswith(" at"):  # a debugger's frame: name (arguments) at path:line
                function = function.removesuffix(" at").split(" (", 1)[0]
            frames.append(Frame(path=path, line=line, function=function, at=at))
        at += 1
    return frames, at


def joined(raised: Frame, frames: list[Frame]) -> list[Frame]:
    """The place of an error and the frames of its stack, the place only once."""
    if frames and frames[0].line == raised.line and frames[0].path.endswith(raised.path.removeprefix("./")):
        return frames
    return [raised, *frames]


def add(draft: Draft, drafts: list[Draft], after: int) -> int:
    """Put a finished draft into ``drafts`` with the codes of its message; ``after`` again."""
    draft.codes.extend(codes_in(draft.message))
    drafts.append(draft)
    return after
