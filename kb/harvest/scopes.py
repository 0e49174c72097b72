"""What is known at a place of a module: texts of constants, of class attributes, and values of local variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kb.harvest.blocks import FunctionNode, returns_within
from kb.harvest.names import Names

__all__ = ["MOST_TEXTS", "UNKNOWN", "ClassScope", "ModuleScope", "Scope", "Table", "Value", "merge"]

MOST_TEXTS: Final = 64
"""How many texts one expression can stand for; tables of codes are that long."""

_MOST_BASES: Final = 20
Table = dict[str, tuple[str, ...]]
"""Texts by key; the key as Python source."""


class Value(NamedTuple):
    """What a variable can hold: texts, exceptions built by a call, other names; ``complete`` when nothing else."""

    texts: tuple[str, ...] = ()
    built: tuple[ast.Call, ...] = ()
    others: tuple[ast.expr, ...] = ()
    complete: bool = True


UNKNOWN: Final = Value(complete=False)


def merge(first: dict[str, Value], second: dict[str, Value]) -> dict[str, Value]:
    """The variables after two ways that meet."""
    if first is second:
        return first
    merged = {**second, **first}
    for name, one in first.items():
        other = second.get(name)
        if other is None or other is one or other == one:
            continue
        texts = tuple(dict.fromkeys(one.texts + other.texts))[:MOST_TEXTS]
        built = tuple(dict.fromkeys(one.built + other.built))
        others = tuple(dict.fromkeys(one.others + other.others))
        merged[name] = Value(texts, built, others, one.complete and other.complete)
    return merged


@dataclass
class ClassScope:
    """The attributes of a class: texts, tables of texts, and names that stand for other names."""

    bases: tuple[str, ...] = ()
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    others: dict[str, ast.expr] = field(default_factory=dict)


@dataclass
class ModuleScope:
    """A module: its names, its lines, its constants and tables, and its classes by their names in it."""

    names: Names
    lines: list[str]
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    classes: dict[str, ClassScope] = field(default_factory=dict)
    _returns: dict[FunctionNode, list[ast.Return]] = field(default_factory=dict)

    def returns(self, function: FunctionNode) -> list[ast.Return]:
        """The ``return`` statements in a function and in those within it."""
        found = self._returns.get(function)
        if found is None:
            found = self._returns[function] = returns_within(function)
        return found

    def lineage(self, name: str) -> Iterator[ClassScope]:
        """The class of that name and its bases in this module, nearest first."""
        waiting, seen = [name], {name}
        prefix = f"{self.names.module}."
        while waiting and len(seen) < _MOST_BASES:
            scope = self.classes.get(waiting.pop(0))
            if scope is None:
                continue
            yield scope
            own = [base.removeprefix(prefix) for base in scope.bases]
            waiting.extend(base for base in own if base not in seen)
            seen.update(own)


@dataclass(frozen=True, slots=True)
class Scope:
    """A place: its module, the class and the function around (qualified in it, or empty), the local variables.

    ``depth`` counts the functions that were followed to get here from the place that was asked about.
    """

    module: ModuleScope
    cls: str = ""
    function: str = ""
    values: dict[str, Value] = field(default_factory=dict)
    depth: int = 0

    def called(self, node: ast.expr) -> FunctionNode | None:
        """The function of this module that a call with this callee goes to, if that is plain."""
        names = self.module.names
        if isinstance(node, ast.Attribute) and (owner := self.owner(node.value)):
            return names.functions.get(f"{owner}.{node.attr}")
        return names.functions.get(names.resolve(node, self.function).removeprefix(f"{names.module}."))

    def owner(self, node: ast.expr) -> str:
        """The class of this module whose attributes ``self``, ``cls`` or the class's own name give; or empty."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "super":
                return self.cls
            node = node.args[0] if node.func.id == "type" and len(node.args) == 1 else node
        if isinstance(node, ast.Name) and node.id in {"self", "cls", "mcs"}:
            return self.cls
        if isinstance(node, ast.Attribute) and node.attr == "__class__":
            return self.owner(node.value)
        if not isinstance(node, ast.Name | ast.Attribute):
            return ""
        names = self.module.names
        name = names.resolve(node, self.function).removeprefix(f"{names.module}.")
        return name if name in self.module.classes else ""
