"""Conditions as expressions that can be looked into, and source as inline code of Markdown."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = [
    "LONGEST",
    "NONE",
    "OPPOSITE",
    "Condition",
    "class_names",
    "code_span",
    "listed",
    "parse_condition",
    "parts_of",
    "quoted",
    "source_of",
]

LONGEST: Final = 140
"""Characters of source that a sentence quotes at most; what is longer stays in the snippet."""

NONE: Final = "`None`"
_MOST_CLASSES: Final = 8

OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Condition(NamedTuple):
    """An expression and whether it must be true for the statement to be reached."""

    node: ast.expr
    wanted: bool


def code_span(source: str) -> str:
    """Source as inline code of Markdown, whatever back-quotes it holds."""
    if "`" not in source:
        return f"`{source}`"
    fence = "``" if "``" not in source else "```"
    return f"{fence} {source} {fence}"


def listed(parts: list[str], word: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return f" {word} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


@lru_cache(maxsize=1024)
def parse_condition(source: str, *, negated: bool = False) -> Condition | None:
    """The condition as an expression, outer ``not`` taken away; None when it is none, too long or too deep."""
    if not source or len(source) > 4 * LONGEST:
        return None
    try:
        tree = ast.parse(f"({source})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _plain(Condition(tree, not negated))


def _plain(condition: Condition) -> Condition:
    node, wanted = condition
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, wanted = node.operand, not wanted
    return Condition(node, wanted)


def source_of(node: ast.expr) -> str:
    """The source of an expression on one line."""
    return " ".join(ast.unparse(node).split("\n"))


def parts_of(condition: Condition) -> tuple[bool, list[Condition]]:
    """Whether all of the parts must hold, and the parts: of ``a and b``, and of ``not (a or b)``."""
    node, wanted = condition
    if not isinstance(node, ast.BoolOp):
        return True, [condition]
    return isinstance(node.op, ast.And) == wanted, [_plain(Condition(value, wanted)) for value in node.values]


def class_names(node: ast.expr) -> list[str]:
    """The classes of ``isinstance``'s second argument as inline code, ``None`` for its type."""
    if isinstance(node, ast.Tuple):
        names = [quoted(element) for element in node.elts]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        names = [*class_names(node.left), *class_names(node.right)]
    else:
        names = [quoted(node)]
    names = [NONE if name in {"`NoneType`", "`type(None)`", "`types.NoneType`"} else name for name in names]
    return names if all(names) and names != [NONE] and len(names) <= _MOST_CLASSES else []


def quoted(node: ast.expr) -> str:
    """An expression as inline code; empty when it is too long to be quoted."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    source = source_of(node)
    return code_span(source) if len(source) <= LONGEST else ""
