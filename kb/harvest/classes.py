"""The classes of a module, and the messages that exception classes have by themselves."""

from __future__ import annotations

import ast
import inspect
from typing import Final

from kb.harvest.blocks import FunctionNode
from kb.harvest.exceptions import is_exception_class
from kb.harvest.facts import ClassFacts
from kb.harvest.functions import parameters_of
from kb.harvest.placeholders import literal_weight
from kb.harvest.places import is_readable
from kb.harvest.scopes import ModuleScope, Scope
from kb.harvest.statuses import status_of
from kb.harvest.texts import texts_of

__all__ = ["ClassMessages", "read_classes"]

_ATTRIBUTES: Final = (
    *("default_detail", "default_message", "message", "msg", "detail", "description", "default_msg"),
    *("error_message", "errmsg", "fmt", "template", "msg_template", "message_template", "msg_fmt"),
    *("_message", "_msg", "_fmt"),
)
_STATUSES: Final = ("status_code", "http_status", "status", "code")
_CODES: Final = ("default_code", "error_code", "code")
_LONGEST_SUMMARY: Final = 600


class ClassMessages:
    """Texts that ``__init__`` gives its base or keeps, and that ``__str__`` returns, collected on a walk."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def notice(self, node: ast.stmt, scope: Scope) -> None:
        """Look at a simple statement of a method."""
        if not scope.cls:
            return
        method = scope.function.removeprefix(f"{scope.cls}.")
        value: ast.expr | None = None
        if method == "__init__":
            value = _given(node)
        elif method in {"__str__", "message"} and isinstance(node, ast.Return):
            value = node.value
        if value is not None:
            texts = (text.replace("{self.", "{") for text in texts_of(value, scope))
            self._found.setdefault(scope.cls, []).extend(text for text in texts if is_readable(text))

    def of(self, name: str) -> str:
        """The text of a class that says most; empty when there is none."""
        return max(self._found.get(name, ()), key=literal_weight, default="")


def _given(node: ast.stmt) -> ast.expr | None:
    """What ``super().__init__(…)``, ``Base.__init__(self, …)``, ``self.message = …`` make the message."""
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        named = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
        if named and isinstance(target, ast.Attribute) and target.attr in _ATTRIBUTES:
            return node.value
        if named and isinstance(target, ast.Attribute) and target.attr == "args" and isinstance(node.value, ast.Tuple):
            return node.value.elts[0] if node.value.elts else None
        return None
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "__init__":
        return None
    arguments = list(call.args)
    if arguments and isinstance(arguments[0], ast.Name) and arguments[0].id == "self":
        arguments.pop(0)
    named_texts = [word.value for word in call.keywords if word.arg in _ATTRIBUTES]
    return next(iter([*arguments, *named_texts]), None)


def read_classes(module: ModuleScope, messages: ClassMessages) -> tuple[ClassFacts, ...]:
    """The facts about each class, in the order of the source."""
    found = [_facts(name, node, module, messages) for name, node in module.names.classes.items()]
    return tuple(sorted(found, key=lambda cls: cls.line))


def _facts(name: str, node: ast.ClassDef, module: ModuleScope, messages: ClassMessages) -> ClassFacts:
    qualified = module.names.qualify(name)
    exception = is_exception_class(qualified, Scope(module))
    maker = next((item for item in node.body if isinstance(item, FunctionNode) and item.name == "__init__"), None)
    attributes = module.classes[name].texts
    fixed = [text for attribute in _ATTRIBUTES for text in attributes.get(attribute, ()) if is_readable(text)]
    return ClassFacts(
        name=name,
        qualified=qualified,
        bases=module.classes[name].bases,
        summary=_summary(node),
        message=messages.of(name) or next(iter(fixed), ""),
        parameters=parameters_of(maker) if maker is not None else (),
        status=_status(node),
        code=next((texts[0] for key in _CODES if (texts := attributes.get(key))), None),
        exception=exception,
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
    )


def _summary(node: ast.ClassDef) -> str:
    text = inspect.cleandoc(ast.get_docstring(node, clean=False) or "").partition("\n\n")[0]
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SUMMARY else ""


def _status(node: ast.ClassDef) -> int | None:
    values = {
        item.targets[0].id: item.value
        for item in node.body
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
    }
    return next((status for key in _STATUSES if (status := status_of(values.get(key))) is not None), None)
