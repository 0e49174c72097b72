"""A condition of the source in words: ``timeout < 0`` gives "`timeout` is negative".

Only what the condition says is said. What no rule knows is quoted: "`a ^ b` is truthy".
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final

from kb.harvest.expressions import (
    LONGEST,
    NONE,
    OPPOSITE,
    Condition,
    class_names,
    code_span,
    listed,
    parse_condition,
    parts_of,
    quoted,
    source_of,
)

__all__ = ["condition_in_words"]

_MOST_PARTS: Final = 4


_COMPARED: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "equals",
    ast.NotEq: "differs from",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Gt: "is greater than",
    ast.GtE: "is at least",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "is in",
    ast.NotIn: "is not in",
}
_TO_ZERO: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "is negative",
    ast.LtE: "is zero or negative",
    ast.Gt: "is positive",
    ast.GtE: "is not negative",
}
_ITEMS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "has exactly",
    ast.NotEq: "does not have exactly",
    ast.Lt: "has fewer than",
    ast.LtE: "has at most",
    ast.Gt: "has more than",
    ast.GtE: "has at least",
}
_QUESTIONS: Final[dict[str, tuple[str, str]]] = {
    "os.path.exists": ("exists", "does not exist"),
    "os.path.isfile": ("is a file", "is not a file"),
    "os.path.isdir": ("is a directory", "is not a directory"),
    "os.path.isabs": ("is an absolute path", "is not an absolute path"),
    "callable": ("is callable", "is not callable"),
    "isclass": ("is a class", "is not a class"),
    "inspect.isclass": ("is a class", "is not a class"),
}
_METHODS: Final[dict[str, tuple[str, str]]] = {
    "exists": ("exists", "does not exist"),
    "is_file": ("is a file", "is not a file"),
    "is_dir": ("is a directory", "is not a directory"),
    "is_absolute": ("is an absolute path", "is not an absolute path"),
}
_AFFIXES: Final = {
    "startswith": ("starts with", "does not start with"),
    "endswith": ("ends with", "does not end with"),
}
_PAIR: Final = 2


@lru_cache(maxsize=4_096)  # one guard is told in several sentences, and one condition guards several sites
def condition_in_words(source: str, *, negated: bool = False) -> str:
    """A clause without "when" that says the condition, or that it is false; empty when it would be too long."""
    found = parse_condition(source, negated=negated)
    if found is None:
        return ""
    try:
        words = _clause(found)
    except RecursionError:
        return ""
    return words if len(words) <= 2 * LONGEST else ""


def _clause(condition: Condition) -> str:
    node, wanted = condition
    words = "" if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.BoolOp):
        words = _joined(condition)
    elif isinstance(node, ast.Compare):
        words = _comparison(node, wanted=wanted)
    elif isinstance(node, ast.Call):
        words = _question(node, wanted=wanted)
    elif isinstance(node, ast.NamedExpr) and (result := quoted(node.value)):
        words = f"{code_span(node.target.id)}, the value of {result}, {_truth(wanted=wanted)}"
    if words is not None:
        return words
    source = quoted(node)
    if isinstance(node, ast.BoolOp | ast.Compare):
        return source and f"the condition {source} {'holds' if wanted else 'does not hold'}"
    return source and f"{source} {_truth(wanted=wanted)}"


def _truth(*, wanted: bool) -> str:
    return "is truthy" if wanted else "is falsy"


def _joined(condition: Condition) -> str | None:
    together, parts = parts_of(condition)
    if len(parts) > _MOST_PARTS or any(isinstance(part, ast.BoolOp) for part, _ in parts):
        return None
    if len(parts) == _PAIR and all(isinstance(part, ast.Name | ast.Attribute) for part, _ in parts):
        alike = {wanted for _, wanted in parts}
        names = [quoted(part) for part, _ in parts]
        if len(alike) == 1 and all(names) and together:
            truth = "are truthy" if alike == {True} else "are falsy"
            return f"both {names[0]} and {names[1]} {truth}"
    clauses = [_clause(part) for part in parts]
    return listed(clauses, "and" if together else "or") if all(clauses) else None


def _comparison(node: ast.Compare, *, wanted: bool) -> str | None:
    if len(node.ops) != 1:
        return _between(node, wanted=wanted)
    operator, left, right = type(node.ops[0]), node.left, node.comparators[0]
    if not wanted:
        operator = OPPOSITE[operator]
    if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        mirrored = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}.get(operator)
        if mirrored or operator in {ast.Eq, ast.NotEq}:
            operator, left, right = mirrored or operator, right, left
    if sized := _sized(left):
        counted = _count(operator, right)
        subject = quoted(sized)
        return f"{subject} {counted}" if counted and subject else ""
    subject = quoted(left)
    if isinstance(right, ast.Constant) and right.value == 0 and right.value is not False and operator in _TO_ZERO:
        return subject and f"{subject} {_TO_ZERO[operator]}"
    if operator in {ast.In, ast.NotIn} and (choices := _choices(right)):
        return subject and f"{subject} {_among(choices, inside=operator is ast.In)}"
    other = quoted(right)
    verb = "is not" if operator is ast.NotEq and isinstance(right, ast.Constant) else _COMPARED[operator]
    return subject and other and f"{subject} {verb} {other}"


def _among(choices: list[str], *, inside: bool) -> str:
    if len(choices) == _PAIR:
        return f"is {choices[0]} or {choices[1]}" if inside else f"is neither {choices[0]} nor {choices[1]}"
    return f"is {'one' if inside else 'none'} of {listed(choices)}"


def _choices(node: ast.expr) -> list[str]:
    """The members of a literal collection, two to eight of them."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set) and _PAIR <= len(node.elts) <= _PAIR * 4:
        sources = [quoted(element) for element in node.elts if not isinstance(element, ast.Starred)]
        return sources if len(sources) == len(node.elts) and all(sources) else []
    return []


def _sized(node: ast.expr) -> ast.expr | None:
    """What ``len()`` is asked of."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return node.args[0]
    return None


def _count(operator: type[ast.cmpop], right: ast.expr) -> str:
    if isinstance(right, ast.Constant) and right.value == 0 and operator in {ast.Eq, ast.LtE, ast.NotEq, ast.Gt}:
        return "is empty" if operator in {ast.Eq, ast.LtE} else "is not empty"
    form, bound = _ITEMS.get(operator), quoted(right)
    one = isinstance(right, ast.Constant) and right.value == 1
    return f"{form} {bound} {'item' if one else 'items'}" if form and bound else ""


def _between(node: ast.Compare, *, wanted: bool) -> str | None:
    """``low <= value <= high``."""
    if len(node.ops) != _PAIR or not all(isinstance(operator, ast.Lt | ast.LtE) for operator in node.ops):
        return None
    subject, low, high = quoted(node.comparators[0]), quoted(node.left), quoted(node.comparators[1])
    if not (subject and low and high) or isinstance(node.comparators[0], ast.Constant):
        return None
    if any(isinstance(operator, ast.Lt) for operator in node.ops):
        return None
    return f"{subject} is {'' if wanted else 'not '}between {low} and {high}"


def _question(node: ast.Call, *, wanted: bool) -> str | None:
    """Calls whose names say what they ask."""
    name, arguments = source_of(node.func), node.args
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in arguments):
        return None
    if len(arguments) == _PAIR and name in {"isinstance", "issubclass"}:
        return _instance(name, arguments, wanted=wanted)
    if len(arguments) == _PAIR and name == "hasattr" and isinstance(arguments[1], ast.Constant):
        subject, attribute = quoted(arguments[0]), code_span(str(arguments[1].value))
        return subject and f"{subject} has {'an' if wanted else 'no'} attribute {attribute}"
    if len(arguments) == 1 and name in _QUESTIONS:
        return _asked(arguments[0], _QUESTIONS[name], wanted=wanted)
    return _asked_by_method(node, wanted=wanted)


def _asked_by_method(node: ast.Call, *, wanted: bool) -> str | None:
    if not isinstance(node.func, ast.Attribute):
        return None
    subject, method = node.func.value, node.func.attr
    if method in _METHODS and not node.args:
        return _asked(subject, _METHODS[method], wanted=wanted)
    if method in _AFFIXES and len(node.args) == 1 and (affix := quoted(node.args[0])):
        words = _asked(subject, _AFFIXES[method], wanted=wanted)
        return words and f"{words} {affix}"
    return None


def _asked(subject: ast.expr, answers: tuple[str, str], *, wanted: bool) -> str | None:
    source = quoted(subject)
    return f"{source} {answers[0 if wanted else 1]}" if source else None


def _instance(name: str, arguments: list[ast.expr], *, wanted: bool) -> str | None:
    subject = quoted(arguments[0])
    classes = class_names(arguments[1])
    if not subject or not classes:
        return None
    what = "an instance" if name == "isinstance" else "a subclass"
    if NONE in classes:
        rest = listed([cls for cls in classes if cls != NONE], "or")
        return f"{subject} is {'' if wanted else 'neither '}`None` {'or' if wanted else 'nor'} {what} of {rest}"
    return f"{subject} is {'' if wanted else 'not '}{what} of {listed(classes, 'or')}"
