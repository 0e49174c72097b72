"""Where a statement stands: the blocks around it as a chain of steps, and the guard that they make."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from typing import Final, Literal, NamedTuple

import msgspec

from kb.harvest.blocks import child_blocks, is_docstring, leaves, may_return
from kb.harvest.facts import NO_GUARD, GuardFacts
from kb.harvest.names import Names
from kb.harvest.texts import source_of

__all__ = ["Place", "Step", "caught_by", "guard_of", "passed_by"]

_LONGEST: Final = 300  # characters of a condition worth keeping
_MOST_OTHERS: Final = 12
Place = Literal["", "loop", "loop_else", "try_else", "finally", "case", "default", "only", "end"]


class Step(NamedTuple):
    """One step inward. ``tests`` of kind ``if`` and ``else`` are the conditions of the branches up to this one.

    Kinds: ``if`` (the last of the tests holds), ``else`` (none holds), ``passed`` (an ``if`` before the statement in
    its block, all of whose branches leave), ``loop``, ``while``, ``loop_else``, ``try``, ``except``, ``swallowed`` (a
    ``try`` before the statement which leaves unless something was caught), ``unclear`` (a statement before it in its
    block that returns under circumstances which are not plain, so that what stands before that says little),
    ``try_else``, ``finally``, ``case``.
    """

    kind: str
    node: ast.AST
    outer: Step | None
    tests: tuple[ast.expr, ...] = ()
    handlers: tuple[ast.ExceptHandler, ...] = ()
    number: int = 0


def passed_by(statement: ast.stmt, outer: Step | None) -> Step | None:
    """The step that a statement adds for those after it in its block: what must not have happened in it."""
    if isinstance(statement, ast.If):
        tests = []
        node: ast.stmt = statement
        while isinstance(node, ast.If):
            if not leaves(node.body):
                break
            tests.append(node.test)
            node = node.orelse[0] if len(node.orelse) == 1 else ast.Pass() if not node.orelse else ast.Continue()
        if isinstance(node, ast.Pass):
            return Step("passed", statement, outer, tuple(tests))
    if isinstance(statement, ast.Try) and (leaves(statement.body) or leaves(statement.orelse)):
        through = tuple(handler for handler in statement.handlers if not leaves(handler.body))
        if through:
            return Step("swallowed", statement, outer, handlers=through)
    return Step("unclear", statement, outer) if may_return(statement) else outer


def guard_of(step: Step | None, names: Names, inside: str, ending: Place) -> GuardFacts:
    """The guard of a statement with these steps around it, in a function that ends with it as ``ending`` says."""
    found: dict[str, object] = {"place": ending} if ending else {}
    first = True
    for current in _outward(step):
        if current.handlers:
            if "caught" not in found:
                found.update(_caught(current, names, inside))
        elif current.tests:
            if "condition" not in found and "caught" not in found:
                found.update(_condition(current))
            elif current.kind != "passed":
                found["outer"] = _outer(current)
                break
        elif first and (place := _PLACES.get(current.kind)):
            found.update(place(current))
        first = False
    return msgspec.convert(found, GuardFacts) if found else NO_GUARD


def _outward(step: Step | None) -> Iterator[Step]:
    while step is not None:
        unclear = step.kind == "unclear"
        if not unclear:
            yield step
        step = step.outer
        while unclear and step is not None and step.kind in {"unclear", "passed", "swallowed"}:
            step = step.outer


def _short(node: ast.AST) -> str:
    text = source_of(node)
    return text if len(text) <= _LONGEST else ""


def _condition(step: Step) -> dict[str, object]:
    last = step.tests[-1]
    earlier = [_short(test) for test in step.tests[:-1][-_MOST_OTHERS:]]
    found: dict[str, object] = {"condition": _short(last), "negated": step.kind in {"else", "passed"}}
    if step.kind == "passed":
        outer = step.outer
        while outer is not None and outer.kind == "passed" and len(earlier) < _MOST_OTHERS:
            earlier[:0] = [_short(test) for test in outer.tests]
            outer = outer.outer
    elif step.kind == "else":
        found["place"] = "default"
    return {**found, "others": tuple(text for text in earlier[-_MOST_OTHERS:] if text)}


def _outer(step: Step) -> tuple[str, bool] | None:
    text = _short(step.tests[-1])
    return (text, step.kind == "else") if text else None


def caught_by(step: Step | None, names: Names, inside: str) -> str:
    """The first of the classes that the guard of such a statement says to be caught; empty if it says none."""
    decided = False
    for current in _outward(step):
        if current.handlers:
            return _caught_types(current, names, inside)[0]
        if current.tests:
            if decided and current.kind != "passed":
                break
            decided = True
    return ""


def _caught_types(step: Step, names: Names, inside: str) -> tuple[str, ...]:
    types: list[str] = []
    for handler in step.handlers:
        kind = handler.type
        nodes = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind is not None else []
        types.extend(names.resolve(node, inside) or source_of(node) for node in nodes)
    return tuple(types) or ("BaseException",)


def _caught(step: Step, names: Names, inside: str) -> dict[str, object]:
    body = [node for node in getattr(step.node, "body", ()) if not is_docstring(node)]
    name = step.handlers[0].name or ""
    return {
        "caught": _caught_types(step, names, inside),
        "caught_as": name if step.kind == "except" else "",
        "tried": _first_line(body[0]) if body else "",
    }


def _first_line(node: ast.stmt) -> str:
    if child_blocks(node):  # what stands within it need not be written
        empty: dict[str, list[ast.stmt]] = {name: [] for name in ("orelse", "finalbody") if hasattr(node, name)}
        node = copy(node)
        vars(node).update(empty, body=[ast.Pass()])
    try:
        text = ast.unparse(node).partition("\n")[0]
    except (RecursionError, ValueError):
        return ""
    return text if len(text) <= _LONGEST else ""


def _case(step: Step) -> dict[str, object]:
    match = step.node
    assert isinstance(match, ast.Match)
    case = match.cases[step.number]
    nearest = match.cases[: step.number][-_MOST_OTHERS:]
    earlier = tuple(_short(other.pattern) for other in nearest)
    found: dict[str, object] = {"subject": _short(match.subject), "others": earlier}
    if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None:
        return {**found, "place": "default"}
    guard = f" if {source_of(case.guard)}" if case.guard is not None else ""
    return {**found, "place": "case", "condition": _short(case.pattern) + guard}


def _loop(step: Step) -> dict[str, object]:
    over = step.node.iter if isinstance(step.node, ast.For | ast.AsyncFor) else None
    subject = _short(over) if over is not None else ""
    return {"place": "loop_else" if step.kind == "loop_else" else "loop", "subject": subject}


_PLACES: Final[dict[str, Callable[[Step], dict[str, object]]]] = {
    "loop": _loop,
    "loop_else": _loop,
    "try_else": lambda _: {"place": "try_else"},
    "finally": lambda _: {"place": "finally"},
    "case": _case,
}
