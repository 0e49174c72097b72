"""What a guard asks, in one word: by it records are tagged, and ways to handle them chosen."""

from __future__ import annotations

import ast
from typing import Final

from kb.harvest.expressions import OPPOSITE, Condition, parse_condition, parts_of, source_of
from kb.harvest.facts import GuardFacts

__all__ = ["GuardKind", "guard_kind"]

GuardKind = str
"""``type``, ``range``, ``choice``, ``missing``, ``size``, ``path``, ``other`` or empty."""

_BOUNDS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_KINDS: Final[dict[str, GuardKind]] = {
    "isinstance": "type",
    "issubclass": "type",
    "callable": "type",
    "hasattr": "type",
    "os.path.exists": "path",
    "os.path.isfile": "path",
    "os.path.isdir": "path",
}


def guard_kind(guard: GuardFacts) -> GuardKind:
    """What a guard asks, in one word; empty when there is no condition."""
    found = parse_condition(guard.condition, negated=guard.negated)
    if found is None:
        return ""
    _, parts = parts_of(found)
    kinds = [_kind(part) for part in parts]
    return next((kind for kind in kinds if kind != "other"), "other")


def _kind(part: Condition) -> GuardKind:
    node, wanted = part
    if isinstance(node, ast.Call):
        asked = _KINDS.get(source_of(node.func))
        return asked if asked and (not wanted or asked == "type") else "other"
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return "range" if isinstance(node, ast.Compare) else "other"
    operator = type(node.ops[0]) if wanted else OPPOSITE[type(node.ops[0])]
    if isinstance(node.left, ast.Call) and source_of(node.left.func) == "len":
        return "size"
    if operator in _BOUNDS:
        return "range"
    if operator is ast.NotIn:
        return "choice"
    missing = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None
    return "missing" if missing and operator in {ast.Is, ast.Eq} else "other"
