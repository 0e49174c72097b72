"""A message template as the pattern that finds it when it is printed, and what fills its placeholders."""

from __future__ import annotations

import ast
import re
from typing import Final

from kb.harvest.expressions import parse_condition, quoted
from kb.harvest.facts import Site
from kb.records.messages import split_message
from kb.records.patterns import GAP, MAX_PATTERN

__all__ = ["is_readable", "pattern_of", "values_of"]

_FEWEST_LITERALS: Final = 3
_UNNAMED: Final = re.compile(r"%[-+ #0-9.]*[a-zA-Z]|\{[0-9]*(?:![rsa])?(?::[^{}]*)?\}")
_SPECIAL: Final = re.compile(r"[.*+?^${}()|\[\]\\]")


def is_readable(message: str) -> bool:
    """Whether a template says something besides its placeholders."""
    literals = "".join(segment.text for segment in split_message(message) if segment.kind == "text")
    return sum(map(len, literals.split())) >= _FEWEST_LITERALS


def values_of(site: Site) -> list[str]:
    """What fills the placeholders of a message that does not name it (``%s``, ``{}``), as inline code in that order.

    Empty when the source does not show it.
    """
    if not any(_UNNAMED.fullmatch(segment.text) for segment in split_message(site.message)):
        return []
    for source in site.arguments[:2]:
        found = parse_condition(source)
        values = _filled(found.node) if found is not None else []
        if values:
            return list(dict.fromkeys(map(quoted, values)))
    return []


def _filled(node: ast.expr) -> list[ast.expr]:
    """The values of ``text % values`` and of ``text.format(values)``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        values = node.args
    else:
        return []
    return values if not any(isinstance(value, ast.Starred | ast.Dict) for value in values) else []


def pattern_of(message: str) -> str:
    """Literal text escaped, a gap for each placeholder, no anchors; at most 500 characters, cut where one part ends.

    ``%%`` and doubled braces are taken as they stand: templates come with them undone.
    """
    pattern = ""
    for segment in split_message(message):
        if segment.kind == "text":
            pattern += _fitting(segment.text, MAX_PATTERN - len(pattern))
        elif not pattern.endswith(GAP):
            pattern += GAP
        if len(pattern) >= MAX_PATTERN - len(GAP):
            break
    return pattern


def _fitting(text: str, room: int) -> str:
    """The escaped text, or as much of its beginning as there is room for."""
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    if len(escaped) <= room:
        return escaped
    parts: list[str] = []
    for character in text:
        part = _SPECIAL.sub(r"\\\g<0>", character)
        if room < len(part):
            break
        parts.append(part)
        room -= len(part)
    return "".join(parts)
