"""The constants of a module: texts, tables of texts, and the attributes of its classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Final

from kb.harvest.blocks import child_blocks
from kb.harvest.names import Names
from kb.harvest.scopes import ClassScope, ModuleScope, Scope, Table
from kb.harvest.texts import source_of, texts_of

__all__ = ["read_constants"]

_MOST_ENTRIES: Final = 300  # of a table; longer ones are data, not messages


def read_constants(tree: ast.Module, names: Names, lines: list[str]) -> ModuleScope:
    """The scope of a module, with what its statements assign outside of functions; the first assignment counts."""
    module = ModuleScope(names, lines)
    for name, node in names.classes.items():
        bases = tuple(base for base in (names.resolve(base, name) for base in node.bases) if base)
        module.classes[name] = ClassScope(bases)
    scope = Scope(module)
    for target, value in _assignments(tree.body):
        if target in module.texts or target in module.tables:
            continue
        if isinstance(value, ast.Dict):
            module.tables[target] = _table(value, scope)
        elif texts := texts_of(value, scope):
            module.texts[target] = texts
    for name, node in names.classes.items():
        _read_class(node, Scope(module, name), module.classes[name])
    return module


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    waiting = list(reversed(body))
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value
        elif isinstance(statement, ast.AnnAssign):
            if isinstance(statement.target, ast.Name) and statement.value is not None:
                yield statement.target.id, statement.value
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for block in reversed(list(child_blocks(statement))):
                waiting.extend(reversed(block))


def _table(node: ast.Dict, scope: Scope) -> Table:
    table: Table = {}
    for key, value in islice(zip(node.keys, node.values, strict=True), _MOST_ENTRIES):
        if key is not None and (texts := texts_of(value, scope) or _of_tuple(value, scope)):
            table[source_of(key)] = texts
    return table


def _of_tuple(node: ast.expr, scope: Scope) -> tuple[str, ...]:
    """The message in a tuple such as ``("E01", "message in words")``."""
    if not isinstance(node, ast.Tuple):
        return ()
    texts = [text for item in node.elts for text in texts_of(item, scope)]
    return tuple(text for text in texts if " " in text)[:1]


def _read_class(node: ast.ClassDef, scope: Scope, found: ClassScope) -> None:
    own: dict[str, ast.expr] = {}
    for target, value in _assignments(node.body):
        own.setdefault(target, value)
    for target, value in own.items():
        if isinstance(value, ast.Dict):
            found.tables[target] = _table(value, scope)
        elif isinstance(value, ast.Name) and value.id in own and value.id != target:
            found.texts[target] = found.texts.get(value.id, ())
        elif texts := texts_of(value, scope) or _of_tuple(value, scope):
            found.texts[target] = texts
        elif isinstance(value, ast.Name | ast.Attribute):
            found.others[target] = value
