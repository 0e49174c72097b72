"""Sites of ``raise`` statements, and of exceptions that are built without one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from kb.harvest.exceptions import Built, built_by, class_of, is_exception_class, looks_like_class
from kb.harvest.facts import Site, SiteKind
from kb.harvest.guards import caught_by
from kb.harvest.places import Here, is_readable, make_site
from kb.harvest.scopes import Value
from kb.harvest.texts import source_of

__all__ = ["deferred_sites", "given_message", "raised_calls", "raised_sites"]

_SAME: frozenset[str] = frozenset({"with_traceback", "with_context", "copy"})
"""Methods of an exception that give it back."""


def raised_calls(node: ast.expr, here: Here) -> Iterator[ast.expr]:
    """The calls, or names of classes, that a raised expression can stand for."""
    if isinstance(node, ast.IfExp):
        yield from raised_calls(node.body, here)
        yield from raised_calls(node.orelse, here)
    elif isinstance(node, ast.Await | ast.NamedExpr):
        yield from raised_calls(node.value, here)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
            yield from raised_calls(node.func.value, here)
        else:
            yield node
    elif isinstance(node, ast.Name) and (value := here.scope.values.get(node.id)) is not None:
        yield from value.built
        yield from value.others
    elif isinstance(node, ast.Name | ast.Attribute):
        yield node


def raised_sites(node: ast.Raise, here: Here) -> Iterator[Site]:
    """The sites of a ``raise``: one for each message that it can have, one without if it shows none."""
    if node.exc is None or isinstance(node.exc, ast.Name):
        yield from _raised_again(node, here)
    if node.exc is None:
        return
    found: list[Built] = []
    for target in raised_calls(node.exc, here):
        if isinstance(target, ast.Call):
            found.append(built_by(target, here.scope, _caught_class(here)))
        else:
            cls = class_of(target, here.scope, _caught_class(here))
            if looks_like_class(cls):
                found.append(Built(cls))
    facts: dict[str, Any] = {"raised_from": source_of(node.cause)} if node.cause is not None else {}
    for built in found:
        yield from _sites(here, built, facts)


def _sites(here: Here, built: Built, facts: dict[str, Any]) -> Iterator[Site]:
    kind: SiteKind = "exit" if built.cls == "SystemExit" and built.messages else "raise"
    if facts.get("deferred") and built.cls.endswith("Warning"):
        kind = "warning"  # what is made and not raised goes to something that warns
    facts = {**facts, "cls": built.cls, "status": built.status, "code": built.code, "arguments": built.arguments}
    for message in built.messages:
        yield make_site(here, kind, message=message, message_from="here", **facts)
    if not built.messages and (built.cls or built.wanted):
        yield make_site(here, kind, wanted=built.wanted, **facts)


def _caught_class(here: Here) -> str:
    return caught_by(here.step, here.scope.module.names, here.scope.function)


def given_message(name: str) -> str:
    """The name under which a walk keeps the message that a caught exception was given before it is raised again."""
    return f"{name}.args"


def _raised_again(node: ast.Raise, here: Here) -> Iterator[Site]:
    """A caught exception that got another message, or a note, and is raised again."""
    values = here.scope.values
    names = (
        [node.exc.id] if isinstance(node.exc, ast.Name) else [name[:-5] for name in values if name.endswith(".args")]
    )
    for name in names:
        for message in values.get(given_message(name), Value()).texts:
            if is_readable(message):
                yield make_site(here, "raise", cls=_caught_class(here), message=message, message_from="here")


def deferred_sites(call: ast.Call, here: Here) -> Iterator[Site]:
    """The sites of an exception with a message that is built here and raised elsewhere: returned, stored, given on."""
    cls = class_of(call.func, here.scope)
    if not cls or not is_exception_class(cls, here.scope):
        return
    built = built_by(call, here.scope)
    if built.messages:
        yield from _sites(here, built, {"deferred": True})
