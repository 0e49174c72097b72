"""What assignments make of the variables of a function."""

from __future__ import annotations

import ast
from typing import Final

from kb.harvest.exceptions import looks_like_class
from kb.harvest.names import dotted
from kb.harvest.raising import given_message
from kb.harvest.scopes import MOST_TEXTS, UNKNOWN, Scope, Value
from kb.harvest.texts import piece_of, texts_of

__all__ = ["assign", "bind_parameters", "forget"]

_MOST_VARIABLES: Final = 2_000


def assign(node: ast.stmt, scope: Scope) -> None:
    """Take an assignment, or what else a simple statement binds, into the variables of the scope."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            _bind(target, node.value, scope)
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            _bind(node.target, node.value, scope)
    elif isinstance(node, ast.AugAssign):
        _add(node, scope)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        _note(node.value, scope)


def bind_parameters(arguments: ast.arguments, scope: Scope) -> None:
    """Make the parameters of a function unknown variables."""
    single = [node for node in (arguments.vararg, arguments.kwarg) if node is not None]
    for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *single):
        scope.values[node.arg] = UNKNOWN


def forget(target: ast.expr, scope: Scope) -> None:
    """Make all names that a target binds unknown."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            scope.values[node.id] = UNKNOWN


def _bind(target: ast.expr, value: ast.expr, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        if len(scope.values) < _MOST_VARIABLES:
            scope.values[target.id] = _value_of(value, scope)
    elif isinstance(target, ast.Tuple | ast.List):
        forget(target, scope)
    elif isinstance(target, ast.Attribute) and target.attr == "args" and isinstance(target.value, ast.Name):
        while isinstance(value, ast.BinOp) and isinstance(value.left, ast.Tuple | ast.BinOp):
            value = value.left  # ("message",) + error.args[1:]
        if isinstance(value, ast.Tuple) and value.elts:
            scope.values[given_message(target.value.id)] = Value(texts_of(value.elts[0], scope))


def _value_of(node: ast.expr, scope: Scope) -> Value:
    if isinstance(node, ast.IfExp):
        one, other = _value_of(node.body, scope), _value_of(node.orelse, scope)
        return Value(
            tuple(dict.fromkeys(one.texts + other.texts)),
            one.built + other.built,
            one.others + other.others,
            one.complete and other.complete,
        )
    if isinstance(node, ast.Name) and node.id in scope.values:
        return scope.values[node.id]
    if texts := texts_of(node, scope):
        return Value(texts, complete=not isinstance(node, ast.BoolOp))
    if isinstance(node, ast.Call):
        name = dotted(node.func)
        return Value(built=(node,)) if name and looks_like_class(name) else UNKNOWN
    if isinstance(node, ast.Name | ast.Attribute):
        return Value(others=(node,), complete=False)
    return UNKNOWN


def _add(node: ast.AugAssign, scope: Scope) -> None:
    if not isinstance(node.target, ast.Name):
        return
    before = scope.values.get(node.target.id, UNKNOWN)
    if not isinstance(node.op, ast.Add) or not before.texts:
        scope.values[node.target.id] = UNKNOWN
        return
    added = texts_of(node.value, scope) or (piece_of(node.value),)
    texts = tuple(one + other for one in before.texts for other in added)[:MOST_TEXTS]
    scope.values[node.target.id] = Value(texts, complete=before.complete)


def _note(call: ast.Call, scope: Scope) -> None:
    """``error.add_note("…")``."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "add_note" and isinstance(function.value, ast.Name):
        texts = texts_of(call.args[0], scope) if call.args else ()
        scope.values[given_message(function.value.id)] = Value(texts)
