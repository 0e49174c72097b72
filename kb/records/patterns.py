"""What a ``messagePattern`` is worth: whether it compiles, matches its own message, or matches nearly everything.

Patterns are untrusted. The usual kind, literal text with ``(.+?)`` gaps, is checked by substring search; anything else
runs in RE2 with bounded memory on a bounded text, so that the worst pattern costs a fraction of a second.
"""

from __future__ import annotations

import re
from typing import Final

import re2

from kb.records.messages import fill_message, split_message

__all__ = ["GAP", "MAX_PATTERN", "literal_parts", "matching_pattern", "pattern_faults"]

GAP: Final = "(.+?)"
MAX_PATTERN: Final = 500
"""Characters that the contract means a pattern to have at most."""

_MAX_SPLIT: Final = 50_000  # characters of a pattern that is looked at in any way
_MAX_COMPILED: Final = 2_000  # characters of a pattern that RE2 gets to see
_MAX_PROGRAM: Final = 5_000  # instructions; real patterns of 500 characters need about 1,000
_MAX_TEXT: Final = 4_000  # characters of a message that RE2 gets to see
_FEWEST_LITERALS: Final = 3
_FEWEST_IN_TEMPLATE: Final = 6
_UNRELATED: Final = ("zq vx", "0731", "~ ¤ ~")  # a pattern that matches all of these matches anything

_LITERAL: Final = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]++|\\[^\w\x80-\U0010ffff])*+")
_SPECIAL: Final = re.compile(r"[.*+?^${}()|\[\]\\]")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_NOT_LITERAL: Final = re.compile(
    r"\\[pP](?:\{[^}]*\}|.)|\\[A-Za-z0-9]|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:()]*[:)]?|\{[0-9]+(?:,[0-9]*)?\}|[().*+?^$|\s]"
)


def literal_parts(pattern: str) -> tuple[str, ...] | None:
    """The unescaped texts between the gaps of a pattern of the usual kind; None for any other regular expression."""
    parts = pattern.split(GAP)
    if not all(_LITERAL.fullmatch(part) for part in parts):
        return None
    return tuple(_unescaped(part) if "\\" in part else part for part in parts)


def _unescaped(part: str) -> str:
    return _ESCAPED.sub(r"\1", part) if "\\\\" in part else part.replace("\\", "")


def matching_pattern(pattern: str, message: str) -> str:
    """The pattern that finds a record by its printed message.

    That is the record's own, unless the pattern is the template word for word, placeholders and all, as publishers
    write it where the real one would be too long: such a text is never printed, so the gaps are put where the
    placeholders stand.
    """
    if GAP in pattern or (pattern != message and "\\" not in pattern):
        return pattern  # nearly all, told at a glance
    if literal_parts(pattern) != (message,):
        return pattern
    segments = split_message(message)
    literals = "".join(segment.text for segment in segments if segment.kind == "text")
    if len(segments) <= 1 or _count_literals(literals) < _FEWEST_IN_TEMPLATE:
        return pattern
    return "".join(GAP if segment.kind == "placeholder" else _escape(segment.text) for segment in segments)


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def pattern_faults(pattern: str, message: str) -> tuple[str, ...]:
    """Codes of findings about the pattern of a record with this message."""
    faults = ["pattern_too_long"] if len(pattern) > MAX_PATTERN else []
    if len(pattern) > _MAX_SPLIT:
        return tuple(faults)
    parts = literal_parts(pattern)
    if parts is not None:
        if _count_literals("".join(parts)) < _FEWEST_LITERALS:
            faults.append("pattern_matches_everything")
        if _occur_in_order(parts, message) or _occur_in_order(parts, fill_message(message)):
            return tuple(faults)
    if len(pattern) > _MAX_COMPILED:
        return (*faults, "pattern_misses_message") if parts is not None else tuple(faults)
    return (*faults, *_faults_by_re2(pattern, message, plain=parts is not None))


def _faults_by_re2(pattern: str, message: str, *, plain: bool) -> tuple[str, ...]:
    try:
        compiled = re2.compile(pattern, _options())
    except re2.error:
        return ("pattern_invalid",)
    small = compiled.programsize <= _MAX_PROGRAM
    few = _count_literals(_NOT_LITERAL.sub("", pattern)) < _FEWEST_LITERALS
    faults = []
    if not plain and (few or (small and all(compiled.search(text) for text in _UNRELATED))):
        faults.append("pattern_matches_everything")
    if small and len(message) <= _MAX_TEXT:
        filled = fill_message(message)[:_MAX_TEXT]
        if not (compiled.search(message) or compiled.search(filled)):
            faults.append("pattern_misses_message")
    return tuple(faults)


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # thousands of groups otherwise cost a minute
    options.max_mem = 1 << 18
    return options


def _count_literals(text: str) -> int:
    return sum(map(len, text.split()))


def _occur_in_order(parts: tuple[str, ...], text: str) -> bool:
    """Whether the parts occur one after the other, with something on one line between each two.

    Takes the earliest place of each: a False can be wrong when a gap then holds a line break, a True cannot.
    """
    position = 0
    for index, part in enumerate(parts):
        gap = 1 if index else 0
        found = text.find(part, position + gap)
        if found < 0 or (gap and "\n" in text[position:found]):
            return False
        position = found + len(part)
    return True
