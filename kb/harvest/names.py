"""What the names of a module stand for: its imports, its own classes and functions, built-ins."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import Final

from kb.harvest.blocks import FunctionNode, child_blocks

__all__ = ["BUILTIN_EXCEPTIONS", "Names", "dotted", "module_name", "read_names"]

BUILTIN_EXCEPTIONS: Final = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
_DEFINITIONS: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_ROOTS: Final = ("src/", "lib/")  # folders of a source tree that are no part of a module's name


class Names:
    """The names of one module; filled by :func:`read_names`, asked by everything after.

    ``classes`` and ``functions`` are keyed by their names qualified within the module.
    """

    def __init__(self, module: str, *, is_package: bool) -> None:
        self.module = module
        self._parent = module if is_package else module.rpartition(".")[0]
        self.imports: dict[str, str] = {}
        self.stars: list[str] = []
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, FunctionNode] = {}
        self.aliases: dict[str, str] = {}
        self.exports: list[str] = []

    def qualify(self, name: str) -> str:
        """A name of this module with the module before it."""
        return f"{self.module}.{name}" if self.module else name

    def resolve(self, node: ast.expr, inside: str = "") -> str:
        """The qualified name that an expression of names and dots stands for, seen from within a function.

        Empty when the expression is another one; ``self.x`` and names of unknown origin come as written.
        """
        written = dotted(node)
        if not written:
            return ""
        first, dot, rest = written.partition(".")
        return self._first(first, inside) + dot + rest

    def _first(self, name: str, inside: str) -> str:
        if inside and (nested := self._nested(name, inside)):
            return self.qualify(nested)
        if name in self.classes or name in self.functions:
            return self.qualify(name)
        if name in self.imports:
            return self.imports[name]
        if name in self.aliases:
            return self.aliases[name]
        return name

    def _nested(self, name: str, inside: str) -> str:
        """The class or function of that name which is defined in one of the functions around."""
        prefix = inside
        while prefix:
            candidate = f"{prefix}.{name}"
            if prefix not in self.classes and (candidate in self.classes or candidate in self.functions):
                return candidate
            prefix = prefix.rpartition(".")[0]
        return ""

    def from_import(self, node: ast.ImportFrom) -> None:
        """Take note of ``from … import …``, relative ones by the place of this module."""
        base = node.module or ""
        if node.level:
            parts = self._parent.split(".") if self._parent else []
            kept = parts[: len(parts) - node.level + 1] if node.level > 1 else parts
            base = ".".join([*kept, *([base] if base else [])])
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(base)
            else:
                target = f"{base}.{alias.name}" if base else alias.name
                self.imports.setdefault(alias.asname or alias.name, target)

    def plain_import(self, node: ast.Import) -> None:
        """Take note of ``import a.b`` (``a`` stands for itself) and ``import a.b as c``."""
        for alias in node.names:
            if alias.asname:
                self.imports.setdefault(alias.asname, alias.name)
            else:
                first = alias.name.partition(".")[0]
                self.imports.setdefault(first, first)

    def is_own(self, name: str) -> bool:
        """Whether the module defines a class or function of that bare name."""
        return name in self.classes or name in self.functions


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of such an expression; empty for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def module_name(relative: str) -> str:
    """The dotted name by which the file at this path of a distribution is imported."""
    for root in _ROOTS:
        relative = relative.removeprefix(root)
    stem = relative.removesuffix(".py").removesuffix(".pyw")
    return stem.removesuffix("/__init__").replace("/", ".")


def read_names(tree: ast.Module, module: str, *, is_package: bool) -> Names:
    """The names that a module defines or imports, in functions, too."""
    names = Names(module, is_package=is_package)
    for prefix, statement in _statements(tree.body):
        if isinstance(statement, ast.ImportFrom):
            names.from_import(statement)
        elif isinstance(statement, ast.Import):
            names.plain_import(statement)
        elif isinstance(statement, ast.ClassDef):
            names.classes.setdefault(prefix + statement.name, statement)
        elif isinstance(statement, FunctionNode):
            names.functions.setdefault(prefix + statement.name, statement)
        elif not prefix and isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            _assignment(names, statement)
    return names


def _statements(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """All statements below, those of the module itself first, each with the prefix of names defined by it."""
    stack = [("", body)]
    while stack:
        following: list[tuple[str, list[ast.stmt]]] = []
        for prefix, block in stack:
            for statement in block:
                yield prefix, statement
                blocks = child_blocks(statement)
                if blocks:
                    inner = f"{prefix}{statement.name}." if isinstance(statement, _DEFINITIONS) else prefix
                    following += [(inner, child) for child in blocks]
        stack = following


def _assignment(names: Names, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Name) or node.value is None:
        return
    if target.id == "__all__" and isinstance(node.value, ast.List | ast.Tuple):
        names.exports.extend(
            item.value for item in node.value.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)
        )
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Attribute):
        names.aliases.setdefault(target.id, names.resolve(node.value))
