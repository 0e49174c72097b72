"""A message template as it stands in the source, and as the pattern that finds it when it is printed."""

from __future__ import annotations

import ast
import re
from typing import Final

from kb.harvest.expressions import code_span, parse_condition
from kb.harvest.facts import Site
from kb.records.messages import split_message
from kb.records.patterns import GAP, MAX_PATTERN

__all__ = ["as_written", "is_readable", "pattern_of", "values_of"]

_FEWEST_LITERALS: Final = 3
_EXPRESSION: Final = re.compile(r"\{(?P<source>[^{}:!]+)(?:![rsa])?(?::[^{}]*)?\}")
_SPECIAL: Final = re.compile(r"[.*+?^${}()|\[\]\\]")


def is_readable(message: str) -> bool:
    """Whether a template says something besides its placeholders."""
    literals = "".join(segment.text for segment in split_message(message) if segment.kind == "text")
    return sum(map(len, literals.split())) >= _FEWEST_LITERALS


def as_written(site: Site) -> str:
    """The message of a site with ``%s`` and ``{}`` as the source has them.

    The facts name what fills them (``{path}``). Ids and messages are those of the source, as people write them who
    document the same place by hand; so the template is taken from there whenever it is the same but for the names.
    """
    if not site.arguments or "{" not in site.message:
        return site.message
    pattern = pattern_of(site.message)
    for source in site.arguments[:2]:
        found = parse_condition(source)
        written = _template(found.node) if found is not None else ""
        if written and written != site.message and pattern_of(written) == pattern:
            return written
    return site.message


def _template(node: ast.expr) -> str:
    """The text that is formatted: of ``text % values``, ``text.format(…)``, ``_(text) % values``, ``text``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        node = node.left
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        node = node.func.value
    if isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def values_of(message: str) -> list[str]:
    """The expressions in the placeholders of a template, as inline code."""
    placeholders = (segment.text for segment in split_message(message) if segment.kind == "placeholder")
    matches = (_EXPRESSION.fullmatch(text) for text in placeholders)
    return list(dict.fromkeys(code_span(match["source"]) for match in matches if match))


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
