"""A ``messagePattern`` as what finding needs: literal segments with gaps between them, or an expression for RE2.

Patterns are untrusted. The usual kind, literal text with ``(.+?)`` gaps, never meets a regular expression engine.
Anything else runs in RE2, which is linear in the text; what RE2 refuses is looked for as literal text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

import re2

from kb.matching.reading.folding import fold
from kb.records.patterns import literal_parts

__all__ = [
    "FEWEST_LITERALS",
    "Compiled",
    "Kind",
    "Literals",
    "Segment",
    "compile_pattern",
    "literals_of_all",
    "required_literals",
]

Kind = Literal["usual", "expression", "refused"]
"""``usual``: literals with gaps; ``expression``: for RE2; ``refused``: RE2 does not take it, so it is a literal."""

FEWEST_LITERALS: Final = 6
"""A pattern with fewer literal characters never matches by its pattern: it would match nearly anything."""

_BETWEEN: Final = "\x02"
_MAX_EXPRESSION: Final = 2_000  # characters; what is longer is no message pattern
_MAX_PROGRAM: Final = 20_000  # instructions of RE2
_MAX_MEMORY: Final = 8 << 20


class Segment(NamedTuple):
    """A literal in comparison form; ``before`` and ``after`` tell that white space belongs to its edge, ``part`` is its
    place among the parts of the pattern.
    """

    text: str
    part: int
    before: bool
    after: bool

    @property
    def padded(self) -> str:
        """The text with a blank for the white space at its edges."""
        return f"{' ' if self.before else ''}{self.text}{' ' if self.after else ''}"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A pattern ready to be tried.

    ``parts`` are the literals as written, between the gaps (empty ones where gaps meet or stand at an end).
    ``segments`` are those with any text, folded. ``literals`` counts the folded literal characters. ``expression`` is
    set for kind ``expression`` only, whose ``segments`` are literals that every match holds, in any order.
    """

    kind: Kind
    parts: tuple[str, ...]
    segments: tuple[Segment, ...]
    literals: int
    is_small: bool
    expression: Any = None


def compile_pattern(pattern: str) -> Compiled:
    """The pattern, ready to be tried."""
    kind, parts, expression = _parsed(pattern)
    return _compiled(kind, parts, _folded(parts), expression)


class Literals(NamedTuple):
    """Of a compiled pattern what it is filed by: its kind, the texts of its segments, and whether it is too small."""

    kind: Kind
    texts: list[str]
    is_small: bool


def literals_of_all(patterns: Sequence[str]) -> list[Literals]:
    """What :func:`compile_pattern` says of many patterns, at a fraction of the time for each."""
    parsed = [_parsed(pattern) for pattern in patterns]
    folded = iter(_folded([part for _, parts, _ in parsed for part in parts]))
    return [
        Literals(
            kind,
            [text for edged in islice(folded, len(parts)) if (text := edged.strip(" "))],
            _is_small(parts, expression),
        )
        for kind, parts, expression in parsed
    ]


def _parsed(pattern: str) -> tuple[Kind, tuple[str, ...], Any]:
    """The kind of a pattern, its literals, and the expression if it is one."""
    parts = literal_parts(pattern)
    if parts is not None:
        return "usual", parts, None
    expression = _expression(pattern)
    if expression is None:
        return "refused", (pattern,), None
    return "expression", required_literals(pattern), expression


def _compiled(kind: Kind, parts: tuple[str, ...], folded: Sequence[str], expression: Any) -> Compiled:
    segments, literals = [], 0
    for place, edged in enumerate(folded):
        text = edged.strip(" ")
        if text:
            segments.append(Segment(text, place, edged[0] == " ", edged[-1] == " "))
            literals += len(text)
    small = _is_small(parts, expression)
    if expression is not None:
        return Compiled(kind, (), tuple(segments), literals, small, expression)
    return Compiled(kind, parts, tuple(segments), literals, small)


def _is_small(parts: Sequence[str], expression: Any) -> bool:
    """Whether a pattern has too few literals to be looked for."""
    few = sum(map(len, parts)) < FEWEST_LITERALS
    return few and (expression is None or _matches_anything(expression))


def _matches_anything(expression: Any) -> bool:
    """Whether an expression finds something in texts that have nothing in common."""
    return all(expression.search(text) for text in ("zq vx", "0731", "~ \u00a4 ~"))


def _folded(parts: Sequence[str]) -> list[str]:
    """The comparison forms of texts, each with a blank where white space stands at its edge.

    They are folded in one piece: folding leaves a character that is neither white space nor a quote alone.
    """
    joined = _BETWEEN.join(parts)
    if joined.count(_BETWEEN) == len(parts) - 1:
        return fold(f"x{joined}x")[1:-1].split(_BETWEEN)
    return [fold(f"x{part}x")[1:-1] for part in parts]


def _expression(pattern: str) -> Any:
    """The pattern compiled by RE2; None when it refuses or would need too much."""
    if len(pattern) > _MAX_EXPRESSION:
        return None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # thousands of groups otherwise cost a minute
    options.max_mem = _MAX_MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except re2.error:
        return None
    return compiled if compiled.programsize <= _MAX_PROGRAM else None


def required_literals(pattern: str) -> tuple[str, ...]:
    """Literals that stand at the top level of an expression, so that every match holds them.

    In doubt none: then the pattern is tried on every text.
    """
    runs: list[str] = [""]
    position = 0
    while position < len(pattern):
        end = _after(pattern, position)
        past = None if end is None else _after_quantifiers(pattern, end)
        if end is None or past is None:
            return ()
        literal = _literal_at(pattern, position, end)
        optional = end < past and pattern[end] != "+"
        if literal and not optional:
            runs[-1] += literal
        if not literal or end < past:
            runs.append("")
        position = past
    return tuple(text for text in runs if text)


def _literal_at(pattern: str, start: int, end: int) -> str:
    """The character that an item stands for, empty when it can be more than one."""
    character = pattern[start]
    if character == "\\":
        return pattern[start + 1 : end]
    return character if end == start + 1 and character not in "^$." else ""


def _after(pattern: str, start: int) -> int | None:
    """Where the item at ``start`` ends; None when that cannot be told for sure."""
    character = pattern[start]
    if character == "\\":
        following = pattern[start + 1 : start + 2]
        return start + 2 if following and following.isascii() and not following.isalnum() else None
    if character == "[":
        return _after_class(pattern, start)
    if character == "(":
        return _after_group(pattern, start)
    return None if character in ")*+?{|" else start + 1


def _after_class(pattern: str, start: int) -> int | None:
    position = start + 1
    if pattern[position : position + 1] == "^":
        position += 1
    if pattern[position : position + 1] == "]":
        position += 1
    while position < len(pattern):
        character = pattern[position]
        if character == "]":
            return position + 1
        if character == "[":
            return None  # perhaps [:alpha:]
        position += 2 if character == "\\" else 1
    return None


def _after_group(pattern: str, start: int) -> int | None:
    """Where a group ends. One that sets flags gives None: they hold for what follows."""
    depth, position = 0, start
    while position < len(pattern):
        character = pattern[position]
        if character == "(":
            if pattern[position + 1 : position + 2] == "?" and pattern[position + 2 : position + 3] not in {":", "P"}:
                return None
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return position + 1
        elif character == "[":
            end = _after_class(pattern, position)
            if end is None:
                return None
            position = end
            continue
        elif character == "\\":
            if pattern[position + 1 : position + 2] == "Q":
                return None
            position += 1
        position += 1
    return None


def _after_quantifiers(pattern: str, position: int) -> int | None:
    """Past ``*``, ``+``, ``?`` and ``{2,3}``, lazy or not; None for braces that are something else."""
    while position < len(pattern) and pattern[position] in "*+?{":
        if pattern[position] == "{":
            close = pattern.find("}", position)
            if close < 0 or not set(pattern[position + 1 : close]) <= set("0123456789,"):
                return None
            position = close
        position += 1
    return position
