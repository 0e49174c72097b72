"""The texts that an expression can give, as templates with placeholders."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Final, cast

from kb.harvest.blocks import FunctionNode, last_name
from kb.harvest.placeholders import from_dollars, from_format, from_percent, placeholder
from kb.harvest.scopes import MOST_TEXTS, Scope

__all__ = ["piece_of", "source_of", "texts_of"]

_MOST_WAYS: Final = 6  # combinations of the texts of two operands
_LONGEST: Final = 8_000  # characters of a template; longer ones are data
_LONGEST_SOURCE: Final = 400
_DEEPEST: Final = 2  # functions that are followed
_LONGEST_FUNCTION: Final = 30  # lines of one that is

# Functions that give their text back, as it is or in another language; the positions of their texts.
_PLAIN_WRAPPERS: Final = ("gettext", "gettext_lazy", "gettext_noop", "ugettext", "ugettext_lazy", "ugettext_noop")
_WRAPPERS: Final = {
    **dict.fromkeys((*_PLAIN_WRAPPERS, "_", "__", "N_", "lazy_gettext", "tr", "translate"), (0,)),
    **dict.fromkeys(("str", "force_str", "force_text", "smart_str", "mark_safe", "escape", "Markup", "ERROR"), (0,)),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ungettext", "ungettext_lazy"), (0, 1)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), (1,)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), (1, 2)),
}
_SHAPING: Final[dict[str, Callable[[str], str]]] = {"dedent": textwrap.dedent, "cleandoc": inspect.cleandoc}
_METHODS: Final[dict[str, Callable[[str], str]]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "encode": str,
    "capitalize": lambda text: text[:1].upper() + text[1:],
    "expandtabs": str,
}
_CONVERSIONS: Final = {ord("r"): "!r", ord("s"): "!s", ord("a"): "!a"}
_INNER: Final = frozenset({"value", "message", "msg", "text", "label", "description"})  # of members of an Enum


def source_of(node: ast.AST) -> str:
    """The expression as source on one line; empty when it is nested too deeply to be written or holds a huge number."""
    try:
        return " ".join(ast.unparse(node).split("\n"))
    except (RecursionError, ValueError):
        return ""


def texts_of(node: ast.expr, scope: Scope) -> tuple[str, ...]:
    """The templates of all texts that the expression can give, as far as the place shows; empty when none is known."""
    form = _FORMS.get(type(node))
    if form is None:
        return ()
    texts = (text for text in form(node, scope) if len(text) <= _LONGEST)
    return tuple(dict.fromkeys(islice(texts, MOST_TEXTS)))


def piece_of(node: ast.expr, conversion: str = "", form: str = "") -> str:
    """An expression within a text, as a placeholder."""
    return placeholder(source_of(node)[:_LONGEST_SOURCE], conversion, form)


def _constant(node: ast.Constant, _: Scope) -> Iterable[str]:
    if isinstance(node.value, str):
        yield node.value
    elif isinstance(node.value, bytes) and node.value.isascii():
        yield node.value.decode()


def _joined(node: ast.JoinedStr, scope: Scope) -> Iterable[str]:
    parts = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            form = "".join(_joined(value.format_spec, scope)) if isinstance(value.format_spec, ast.JoinedStr) else ""
            parts.append(piece_of(value.value, _CONVERSIONS.get(value.conversion, ""), form))
        else:
            parts.extend(_constant(cast("ast.Constant", value), scope))
    yield "".join(parts)


def _operation(node: ast.BinOp, scope: Scope) -> Iterable[str]:
    if isinstance(node.op, ast.Mod):
        yield from map(from_percent, texts_of(node.left, scope))
    elif isinstance(node.op, ast.Add):
        yield from _sum(node, scope)


def _sum(node: ast.BinOp, scope: Scope) -> Iterable[str]:
    """A chain of additions, its operands taken from the left without recursion."""
    operands = [node.right]
    left = node.left
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        operands.append(left.right)
        left = left.left
    operands.append(left)
    choices = [texts_of(operand, scope) or None for operand in reversed(operands)]
    if not any(choices):
        return
    filled = [
        (piece_of(operand),) if choice is None else choice
        for operand, choice in zip(reversed(operands), choices, strict=True)
    ]
    for parts in islice(product(*filled), _MOST_WAYS):
        yield "".join(parts)


def _either(node: ast.IfExp, scope: Scope) -> Iterable[str]:
    yield from texts_of(node.body, scope)
    yield from texts_of(node.orelse, scope)


def _any(node: ast.BoolOp, scope: Scope) -> Iterable[str]:
    for value in node.values:
        yield from texts_of(value, scope)


def _walrus(node: ast.NamedExpr, scope: Scope) -> Iterable[str]:
    return texts_of(node.value, scope)


def _name(node: ast.Name, scope: Scope) -> Iterable[str]:
    value = scope.values.get(node.id)
    return scope.module.texts.get(node.id, ()) if value is None else value.texts


def _attribute(node: ast.Attribute, scope: Scope) -> Iterable[str]:
    owner = scope.owner(node.value)
    if owner:
        for cls in scope.module.lineage(owner):
            if node.attr in cls.texts:
                return cls.texts[node.attr]
    if node.attr in _INNER and isinstance(node.value, ast.Attribute | ast.Subscript):
        return texts_of(node.value, scope)
    return ()


def _item(node: ast.Subscript, scope: Scope) -> Iterable[str]:
    return _from_table(node.value, node.slice, scope)


def _from_table(base: ast.expr, key: ast.expr, scope: Scope) -> Iterable[str]:
    """The entry of a table, or all of them when the key is not fixed."""
    tables = []
    if isinstance(base, ast.Name) and base.id not in scope.values and base.id in scope.module.tables:
        tables = [scope.module.tables[base.id]]
    elif isinstance(base, ast.Attribute) and (owner := scope.owner(base.value)):
        names = (base.attr, f"default_{base.attr}")
        tables = [cls.tables[name] for cls in scope.module.lineage(owner) for name in names if name in cls.tables]
    if not tables:
        return ()
    source = source_of(key)
    for table in tables:
        if source in table:
            return table[source]
    if isinstance(key, ast.Constant):
        return ()
    return [text for table in tables for texts in table.values() for text in texts]


def _call(node: ast.Call, scope: Scope) -> Iterable[str]:
    name = last_name(node.func)
    if positions := _WRAPPERS.get(name):
        for position in positions:
            if position < len(node.args):
                yield from texts_of(node.args[position], scope)
    elif name in _SHAPING and node.args:
        yield from (_SHAPING[name](text) for text in texts_of(node.args[0], scope))
    elif name in {"format_lazy", "format_html"} and node.args:
        yield from map(from_format, texts_of(node.args[0], scope))
    elif scope.depth < _DEEPEST and (function := scope.called(node.func)) is not None:
        yield from _returned(function, scope)
    elif isinstance(node.func, ast.Attribute):
        yield from _method(node, node.func, scope)


def _returned(function: FunctionNode, scope: Scope) -> Iterable[str]:
    """The texts that a short function of the module returns."""
    if (function.end_lineno or function.lineno) - function.lineno > _LONGEST_FUNCTION:
        return
    inside = Scope(scope.module, scope.cls, scope.function, depth=scope.depth + 1)
    for node in scope.module.returns(function):
        if node.value is not None:
            yield from texts_of(node.value, inside)


def _method(node: ast.Call, function: ast.Attribute, scope: Scope) -> Iterable[str]:
    name, base = function.attr, function.value
    if name == "format":
        yield from map(from_format, texts_of(base, scope))
    elif name == "join" and len(node.args) == 1:
        yield from _join(base, node.args[0], scope)
    elif name in {"substitute", "safe_substitute"}:
        if isinstance(base, ast.Call) and last_name(base.func) == "Template" and base.args:
            base = base.args[0]
        yield from (from_dollars(text) for text in texts_of(base, scope))
    elif name in _METHODS:
        yield from (_METHODS[name](text) for text in texts_of(base, scope))
    elif name == "get" and node.args:
        yield from _from_table(base, node.args[0], scope)
        for default in node.args[1:2]:
            yield from texts_of(default, scope)


def _join(separator: ast.expr, parts: ast.expr, scope: Scope) -> Iterable[str]:
    if not isinstance(parts, ast.List | ast.Tuple) or any(isinstance(part, ast.Starred) for part in parts.elts):
        return
    between = texts_of(separator, scope)
    known = [texts_of(part, scope) for part in parts.elts]
    if between and any(known):
        yield between[0].join(
            texts[0] if texts else piece_of(part) for part, texts in zip(parts.elts, known, strict=True)
        )


_FORMS: Final[dict[type[ast.expr], Callable[..., Iterable[str]]]] = {
    ast.Constant: _constant,
    ast.JoinedStr: _joined,
    ast.BinOp: _operation,
    ast.IfExp: _either,
    ast.BoolOp: _any,
    ast.NamedExpr: _walrus,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _item,
    ast.Call: _call,
}
