"""The functions of a module and whom they call."""

from __future__ import annotations

import ast
from typing import Final

from kb.harvest.blocks import FunctionNode
from kb.harvest.facts import FunctionFacts
from kb.harvest.names import Names, dotted
from kb.harvest.scopes import Scope

__all__ = ["Calls", "is_public", "parameters_of", "read_functions"]

_MOST_CALLS: Final = 200
_PUBLIC: Final = frozenset({"__init__", "__call__", "__enter__", "__aenter__", "__new__", "__iter__", "__getitem__"})


class Calls:
    """Whom each function calls, collected on a walk; keyed by the function's name qualified in the module."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._found: dict[str, dict[str, None]] = {}

    def add(self, call: ast.Call, scope: Scope) -> None:
        """Take note of one call; what is called through a value of unknown kind is noted as ``.name``."""
        if not scope.function:
            return
        found = self._found.setdefault(scope.function, {})
        if len(found) < _MOST_CALLS and (called := self._called(call.func, scope)):
            found[called] = None

    def of(self, function: str) -> tuple[str, ...]:
        """The names that a function calls."""
        return tuple(self._found.get(function, ()))

    def _called(self, node: ast.expr, scope: Scope) -> str:
        names = self._names
        if isinstance(node, ast.Name):
            resolved = names.resolve(node, scope.function)
            return resolved if "." in resolved or names.is_own(node.id) else ""
        if not isinstance(node, ast.Attribute):
            return ""
        first = dotted(node).partition(".")[0]
        if first in {"self", "cls"} and scope.cls and isinstance(node.value, ast.Name):
            return f"{names.qualify(scope.cls)}.{node.attr}"
        if first and first not in scope.values and (first in names.imports or names.is_own(first)):
            return names.resolve(node, scope.function)
        return f".{node.attr}"


def is_public(qualified: str) -> bool:
    """Whether no part of a dotted name is private; some special methods count as public."""
    return all(not part.startswith("_") or part in _PUBLIC for part in qualified.split("."))


def parameters_of(node: FunctionNode) -> tuple[str, ...]:
    """The names of a function's parameters in order, without ``self`` and ``cls``."""
    arguments = node.args
    found = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(found[1:] if found[:1] in (["self"], ["cls"]) else found)


def read_functions(names: Names, calls: Calls) -> tuple[FunctionFacts, ...]:
    """The facts about each function and method, in the order of the source."""
    found = [
        FunctionFacts(
            name=name,
            qualified=names.qualify(name),
            parameters=parameters_of(node),
            calls=calls.of(name),
            public=is_public(names.qualify(name)),
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
        )
        for name, node in names.functions.items()
    ]
    return tuple(sorted(found, key=lambda function: function.line))
