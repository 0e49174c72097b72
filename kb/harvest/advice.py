"""What to do about an error, where its guard says so: the guard's negation as an instruction.

``if timeout < 0: raise`` gives "Pass a non-negative `timeout`." There is advice only about what a caller controls: the
parameters of a public function and public attributes of its object.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final

from kb.harvest.expressions import (
    LONGEST,
    OPPOSITE,
    Condition,
    class_names,
    code_span,
    listed,
    parse_condition,
    parts_of,
    source_of,
)
from kb.harvest.facts import FunctionFacts, GuardFacts

__all__ = ["advice"]

_MOST: Final = 3
_GIVEN: Final = frozenset({
    "args", "cls", "connection", "context", "environ", "event", "exc_type", "frame", "instance", "kwargs", "node",
    "parser", "request", "schema_editor", "self", "sender", "token",
})  # fmt: skip
"""Parameters that a framework fills in, not the reader."""
_PAIR: Final = 2
_BUILTINS: Final = frozenset(vars(builtins))
# By the comparison that raises: what to pass instead.
_BOUNDS: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "Pass at least {bound} as {subject}.",
    ast.LtE: "Pass more than {bound} as {subject}.",
    ast.Gt: "Pass at most {bound} as {subject}.",
    ast.GtE: "Pass less than {bound} as {subject}.",
}
_ZERO: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "Pass a non-negative {subject}.",
    ast.LtE: "Pass a positive {subject}.",
    ast.Gt: "Pass zero or a negative number as {subject}.",
    ast.GtE: "Pass a negative {subject}.",
}
_SIZES: Final[dict[type[ast.cmpop], str]] = {
    ast.NotEq: "Pass exactly {bound} {items} in {subject}.",
    ast.Lt: "Pass at least {bound} {items} in {subject}.",
    ast.LtE: "Pass more than {bound} {items} in {subject}.",
    ast.Gt: "Pass at most {bound} {items} in {subject}.",
    ast.GtE: "Pass fewer than {bound} {items} in {subject}.",
}
_PATHS: Final = {
    "os.path.exists": "exists",
    "os.path.isfile": "is a file",
    "os.path.isdir": "is a directory",
    "os.path.isabs": "is absolute",
}


class _Subjects:
    """What a caller controls: the parameters, and public attributes of the object whose method it is."""

    def __init__(self, function: FunctionFacts, *, attributes: bool) -> None:
        parameters = {name.lstrip("*") for name in function.parameters if not name.startswith("*")}
        self._parameters = parameters - _GIVEN
        self._making = function.name.endswith("__init__")
        self._attributes = attributes and not self._making

    def name(self, node: ast.expr) -> str:
        """The expression as inline code when it is a parameter or an attribute of one; else empty."""
        root = node
        while isinstance(root, ast.Attribute):
            if root.attr.startswith("_"):
                return ""
            root = root.value
        if not isinstance(root, ast.Name):
            return ""
        if self._making and isinstance(node, ast.Attribute) and root is node.value and root.id == "self":
            return code_span(node.attr) if node.attr in self._parameters else ""
        source = source_of(node)
        return code_span(source) if root.id in self._parameters and len(source) <= LONGEST else ""

    def knows(self, node: ast.expr) -> bool:
        """Whether a reader can tell what an expression stands for: no local variable and no call is in it."""
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return all(self.knows(element) for element in node.elts)
        if isinstance(node, ast.BinOp):
            return self.knows(node.left) and self.knows(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.knows(node.operand)
        if isinstance(node, ast.Call):
            return source_of(node) == "type(None)"
        while isinstance(node, ast.Attribute):
            node = node.value
        if isinstance(node, ast.Name):
            return node.id in self._parameters or node.id in _BUILTINS or node.id[:1].isupper() or node.id == "self"
        return isinstance(node, ast.Constant)

    def attribute(self, node: ast.expr) -> str:
        """``self.name`` as inline code when a subclass or the caller can set it."""
        if not self._attributes or not isinstance(node, ast.Attribute) or node.attr.startswith("_"):
            return ""
        owner = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
        return code_span(source_of(node)) if owner else ""


def advice(guard: GuardFacts, function: FunctionFacts, *, attributes: bool = False) -> list[str]:
    """Instructions that keep the guard from holding, at most three; each alone is enough.

    ``function`` is the public function around; with ``attributes`` the reader sets those of its object, too.
    """
    found = parse_condition(guard.condition, negated=guard.negated)
    more = guard.caught or (guard.negated and guard.others)  # than this condition led there
    if found is None or guard.place == "case" or more:
        return []
    subjects = _Subjects(function, attributes=attributes)
    together, parts = parts_of(found)
    if together:
        if (pair := _conflict(parts, subjects)) is not None:
            return pair
        return _any_of(parts, subjects)
    sentences = [_instruction(part, subjects) for part in parts]
    return [" ".join(dict.fromkeys(sentences))] if all(sentences) and len(sentences) <= _MOST else []


def _any_of(parts: list[Condition], subjects: _Subjects) -> list[str]:
    """One instruction for each part that must hold; a part that only asks whether there is a value asks for none."""
    asked = [(part, _instruction(part, subjects)) for part in parts]
    if len(parts) > 1:
        asked = [(part, words) for part, words in asked if not (_asks_for_presence(part) or _asks_for_one(part))]
    return list(dict.fromkeys(words for _, words in asked if words))[:_MOST]


def _asks_for_one(part: Condition) -> bool:
    """Whether any other value would do, which is not what is wrong when something else must hold, too."""
    node, wanted = part
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return isinstance(node.ops[0], ast.Eq if wanted else ast.NotEq)
    return isinstance(node, ast.Name | ast.Attribute)


def _asks_for_presence(part: Condition) -> bool:
    node, wanted = part
    if isinstance(node, ast.Name | ast.Attribute):
        return wanted
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.comparators[0], ast.Constant):
        return node.comparators[0].value is None and isinstance(node.ops[0], ast.IsNot) == wanted
    return False


def _conflict(parts: list[Condition], subjects: _Subjects) -> list[str] | None:
    """Two parameters that exclude each other, or of which one is needed."""
    if len(parts) != _PAIR:
        return None
    names = [subjects.name(_value(part)) for part in parts]
    if not all(names) or names[0] == names[1]:
        return None
    present = [_asks_for_presence(part) for part in parts]
    if all(present):
        return [f"Pass either {names[0]} or {names[1]}, not both."]
    if all(_asks_for_presence(Condition(part.node, not part.wanted)) for part in parts):
        return [f"Pass {names[0]} or {names[1]}."]
    return None


def _value(part: Condition) -> ast.expr:
    return part.node.left if isinstance(part.node, ast.Compare) else part.node


def _instruction(part: Condition, subjects: _Subjects) -> str:
    node, wanted = part
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _by_comparison(node, wanted=wanted, subjects=subjects)
    if isinstance(node, ast.Call):
        return _by_question(node, wanted=wanted, subjects=subjects)
    if wanted:
        return ""
    if attribute := subjects.attribute(node):
        return f"Give {attribute} a value; an empty or missing one is refused here."
    name = subjects.name(node)
    return f"Pass a value for {name}; an empty or missing one is refused here." if name and "." not in name else ""


def _by_comparison(node: ast.Compare, *, wanted: bool, subjects: _Subjects) -> str:
    operator, left, right = type(node.ops[0]), node.left, node.comparators[0]
    if not wanted:
        operator = OPPOSITE[operator]
    bound = source_of(right)
    if len(bound) > LONGEST or not subjects.knows(right):
        return ""
    if isinstance(left, ast.Call) and isinstance(left.func, ast.Name) and left.func.id == "len" and left.args:
        return _by_size(operator, left.args[0], right, subjects)
    subject = subjects.name(left)
    if not subject:
        missing = isinstance(right, ast.Constant) and right.value is None and operator in {ast.Is, ast.Eq}
        attribute = subjects.attribute(left) if missing else ""
        return f"Give {attribute} a value other than `None`." if attribute else ""
    if operator in _BOUNDS:
        zero = isinstance(right, ast.Constant) and right.value == 0
        return (_ZERO if zero else _BOUNDS)[operator].format(subject=subject, bound=code_span(bound))
    if operator is ast.NotIn:
        return _by_choice(right, subject)
    return _by_constant(operator, subject, right) if isinstance(right, ast.Constant) else ""


def _by_constant(operator: type[ast.cmpop], subject: str, right: ast.Constant) -> str:
    if right.value is None:
        return _by_none(operator, subject)
    if operator is ast.NotEq:
        return f"Pass {code_span(source_of(right))} as {subject}."
    return f"Pass another value than {code_span(source_of(right))} as {subject}." if operator is ast.Eq else ""


def _by_none(operator: type[ast.cmpop], subject: str) -> str:
    if operator in {ast.Is, ast.Eq}:
        return f"Pass {subject}; `None` is refused here."
    return f"Leave out {subject} or pass `None`."


def _a(subject: str) -> str:
    """The subject with its article."""
    return f"{'an' if subject.lstrip('`')[:1].lower() in set('aeiou') else 'a'} {subject}"


def _by_choice(right: ast.expr, subject: str) -> str:
    if isinstance(right, ast.Tuple | ast.List | ast.Set):
        choices = [code_span(source_of(element)) for element in right.elts]
        if _PAIR <= len(choices) <= 4 * _PAIR:
            return f"Pass {listed(choices, 'or')} as {subject}."
        return ""
    return f"Pass {_a(subject)} that is in {code_span(source_of(right))}."


def _by_size(operator: type[ast.cmpop], value: ast.expr, right: ast.expr, subjects: _Subjects) -> str:
    subject = subjects.name(value)
    if not subject:
        return ""
    if isinstance(right, ast.Constant) and right.value == 0 and operator in {ast.Eq, ast.LtE}:
        return f"Pass a non-empty {subject}."
    form = _SIZES.get(operator, "")
    items = "item" if isinstance(right, ast.Constant) and right.value == 1 else "items"
    return form.format(subject=subject, bound=code_span(source_of(right)), items=items)


def _by_question(node: ast.Call, *, wanted: bool, subjects: _Subjects) -> str:
    name = source_of(node.func)
    subject = subjects.name(node.args[0]) if node.args else ""
    if not subject or node.keywords:
        return _by_affix(node, wanted=wanted, subjects=subjects)
    if name in {"isinstance", "issubclass"} and len(node.args) == _PAIR:
        return _by_class(node, subject, wanted=wanted) if subjects.knows(node.args[1]) else ""
    if name == "hasattr" and not wanted and len(node.args) == _PAIR and isinstance(node.args[1], ast.Constant):
        return f"Pass an object with the attribute {code_span(str(node.args[1].value))} as {subject}."
    if name == "callable" and not wanted:
        return f"Pass a callable as {subject}."
    if name in _PATHS and not wanted:
        return f"Pass a path that {_PATHS[name]} as {subject}."
    return ""


def _by_class(node: ast.Call, subject: str, *, wanted: bool) -> str:
    classes = class_names(node.args[1])
    none = "`None`" in classes
    choice = listed([cls for cls in classes if cls != "`None`"], "or")
    if not choice or (none and wanted):
        return ""
    what = "an instance" if source_of(node.func) == "isinstance" else "a subclass"
    return f"{'Do not pass' if wanted else 'Pass'} {'`None` or ' if none else ''}{what} of {choice} as {subject}."


def _by_affix(node: ast.Call, *, wanted: bool, subjects: _Subjects) -> str:
    if not isinstance(node.func, ast.Attribute) or node.keywords or len(node.args) != 1:
        return ""
    subject = subjects.name(node.func.value)
    verb = {"startswith": "starts", "endswith": "ends"}.get(node.func.attr)
    affix = source_of(node.args[0])
    if not subject or not verb or len(affix) > LONGEST or not isinstance(node.args[0], ast.Constant):
        return ""
    relation = f"that {'does not ' if wanted else ''}{verb[:-1] if wanted else verb} with"
    return f"Pass {_a(subject)} {relation} {code_span(affix)}."
