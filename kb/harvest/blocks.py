"""Statements within statements: the blocks of a compound statement, and whether a block always leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = [
    "FunctionNode",
    "branches",
    "calls_within",
    "child_blocks",
    "is_docstring",
    "last_name",
    "leaves",
    "may_return",
]

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_OTHER_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LEAVING: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_NEVER_RETURN: Final = frozenset({"exit", "_exit", "abort", "fail", "assert_never", "parser.error"})
_OWN_EXPRESSIONS: Final = {  # the expressions of compound statements; all others are walked whole
    ast.If: ("test",),
    ast.While: ("test",),
    ast.For: ("target", "iter"),
    ast.AsyncFor: ("target", "iter"),
    ast.With: ("items",),
    ast.AsyncWith: ("items",),
    ast.Match: ("subject",),
    ast.Try: (),
    ast.TryStar: (),
    ast.FunctionDef: ("decorator_list", "args"),
    ast.AsyncFunctionDef: ("decorator_list", "args"),
    ast.ClassDef: ("decorator_list", "bases", "keywords"),
}

_NO_EXPRESSIONS: Final = frozenset({"ctx", "op", "ops", "attr", "id", "arg", "conversion", "is_async", "kind"})


def _child_fields() -> Iterator[tuple[type[ast.AST], tuple[str, ...]]]:
    """The fields of each kind of expression that hold expressions; kinds without any are left out."""
    kinds: list[type[ast.AST]] = [*ast.expr.__subclasses__(), ast.keyword, ast.comprehension, ast.withitem]
    kinds.append(ast.arguments)
    for kind in kinds:
        fields = tuple(field for field in kind._fields if field not in _NO_EXPRESSIONS)
        if fields and kind is not ast.Constant:
            yield kind, fields


_CHILDREN: Final[dict[type, tuple[str, ...]]] = dict(_child_fields())


def child_blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly within a compound statement, in the order of the source."""
    if type(node) not in _OWN_EXPRESSIONS:
        return
    yield from _named_blocks(node, "body")
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body
    yield from _named_blocks(node, "orelse")
    yield from _named_blocks(node, "finalbody")


def _named_blocks(node: ast.stmt, name: str) -> Iterator[list[ast.stmt]]:
    block = getattr(node, name, None)
    if block:
        yield block


def calls_within(node: ast.stmt) -> list[ast.Call | ast.NamedExpr]:
    """The calls in the expressions that a statement itself holds, not in statements within it.

    Assignments by ``:=`` come along. This sees every expression of a package, so it looks at no more than it must.
    """
    found: list[ast.Call | ast.NamedExpr] = []
    fields = _OWN_EXPRESSIONS.get(type(node), type(node)._fields)
    stack: list[object] = [getattr(node, field) for field in fields]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(current)
            continue
        children = _CHILDREN.get(type(current))
        if children is None:
            continue
        if isinstance(current, ast.Call | ast.NamedExpr):
            found.append(current)
        stack.extend([getattr(current, field) for field in children])
    return found


def branches(node: ast.If) -> tuple[list[ast.If], list[ast.stmt]]:
    """The ``if`` with all its ``elif`` in order, and the block of the last ``else``, perhaps empty."""
    chain = [node]
    while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
        chain.append(chain[-1].orelse[0])
    return chain, chain[-1].orelse


def is_docstring(node: ast.stmt) -> bool:
    """Whether the statement is nothing but a text."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether what follows the block is never reached through it; False when that is not plain."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, _LEAVING):
        return True
    if isinstance(last, ast.If):
        chain, rest = branches(last)
        return leaves(rest) and all(leaves(branch.body) for branch in chain)
    if isinstance(last, ast.With | ast.AsyncWith):
        return leaves(last.body)
    if isinstance(last, ast.Try):
        return leaves(last.finalbody) or (
            (leaves(last.body) or leaves(last.orelse)) and all(leaves(handler.body) for handler in last.handlers)
        )
    return isinstance(last, ast.Expr) and _never_returns(last.value)


def may_return(statement: ast.stmt) -> bool:
    """Whether a way through the statement returns from the function."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(node, _OTHER_SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _never_returns(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr in _NEVER_RETURN or f"{last_name(function.value)}.{function.attr}" in _NEVER_RETURN
    return last_name(function) in _NEVER_RETURN


def last_name(node: ast.expr) -> str:
    """``error`` of ``error`` and of ``self.error``; empty for what is neither a name nor an attribute."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
