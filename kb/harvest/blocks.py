"""Statements within statements: the blocks of a compound statement, and whether a block always leaves."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

__all__ = [
    "FunctionNode",
    "branches",
    "calls_within",
    "child_blocks",
    "is_docstring",
    "last_name",
    "leaves",
    "may_return",
    "returns_within",
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
_BLOCKS: Final[dict[type[ast.AST], tuple[str, ...]]] = {  # where statements, and what holds some, stand in the others
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While, ast.If), ("body", "orelse")),
    **dict.fromkeys((ast.Try, ast.TryStar), ("body", "handlers", "orelse", "finalbody")),
    **dict.fromkeys((ast.With, ast.AsyncWith, ast.ExceptHandler, ast.match_case), ("body",)),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), ("body",)),
    ast.Match: ("cases",),
}
_HOLDERS: Final = frozenset({"handlers", "cases"})  # of those fields that hold no statements themselves

_NO_EXPRESSIONS: Final = frozenset({"ctx", "op", "ops", "attr", "id", "arg", "conversion", "is_async", "kind"})


def _child_fields() -> Iterator[tuple[type[ast.AST], tuple[str, ...]]]:
    """The fields of each kind of expression that hold expressions; kinds without any are left out."""
    kinds: list[type[ast.AST]] = [*ast.expr.__subclasses__(), ast.keyword, ast.comprehension, ast.withitem]
    kinds.append(ast.arguments)
    for kind in kinds:
        fields = tuple(field for field in kind._fields if field not in _NO_EXPRESSIONS)
        if fields and kind is not ast.Constant:
            yield kind, fields


_CHILD: Final[dict[type, Callable[[Any], Any]]] = {
    kind: attrgetter(*fields) for kind, fields in _child_fields() if len(fields) == 1
}
_CHILDREN: Final[dict[type, Callable[[Any], Any]]] = {
    kind: attrgetter(*fields) for kind, fields in _child_fields() if len(fields) > 1
}


def child_blocks(node: ast.stmt) -> Sequence[list[ast.stmt]]:
    """The lists of statements directly within a compound statement, in the order of the source."""
    fields = _BLOCKS.get(type(node))
    if fields is None:
        return ()
    found: list[list[ast.stmt]] = []
    for field in fields:
        block = getattr(node, field)
        if field in _HOLDERS:
            found += [holder.body for holder in block]
        elif block:
            found.append(block)
    return found


def calls_within(node: ast.stmt) -> list[ast.Call | ast.NamedExpr]:
    """The calls in the expressions that a statement itself holds, not in statements within it.

    Assignments by ``:=`` come along. This sees every expression of a package, so it looks at no more than it must.
    """
    found: list[ast.Call | ast.NamedExpr] = []
    fields = _OWN_EXPRESSIONS.get(type(node), type(node)._fields)
    stack: list[Any] = [getattr(node, field) for field in fields]
    while stack:
        current = stack.pop()
        kind = type(current)
        if kind is list:
            stack += current
        elif (child := _CHILD.get(kind)) is not None:
            stack.append(child(current))
        elif (children := _CHILDREN.get(kind)) is not None:
            if kind is ast.Call or kind is ast.NamedExpr:
                found.append(current)
            stack += children(current)
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
        kind = type(node)
        if kind is ast.Return:
            return True
        if kind not in _OTHER_SCOPES:
            for field in _BLOCKS.get(kind, ()):
                waiting += getattr(node, field)
    return False


def returns_within(function: FunctionNode) -> list[ast.Return]:
    """The ``return`` statements in a function and in those within it, the outermost first."""
    found: list[ast.Return] = []
    level: list[ast.AST] = [function]
    while level:
        following: list[ast.AST] = []
        for node in level:
            if isinstance(node, ast.Return):
                found.append(node)
            else:
                for field in _BLOCKS.get(type(node), ()):
                    following += getattr(node, field)
        level = following
    return found


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
