"""The walk through a module's statements that finds its sites, with the variables and guards of each place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from kb.harvest.blocks import FunctionNode, branches, calls_within, last_name, leaves
from kb.harvest.calls import REPORTING, call_sites
from kb.harvest.classes import ClassMessages
from kb.harvest.facts import Site
from kb.harvest.functions import Calls
from kb.harvest.guards import Step, passed_by
from kb.harvest.places import Here, is_readable, make_site
from kb.harvest.raising import deferred_sites, raised_calls, raised_sites
from kb.harvest.scopes import UNKNOWN, ModuleScope, Scope, Value, merge
from kb.harvest.texts import texts_of
from kb.harvest.variables import assign, bind_parameters, forget

__all__ = ["Walk"]

Values = dict[str, Value]
Visit = Callable[[Any, Here], None]
_ALWAYS: Final = (True, 1)
_SIMPLE: Final = (ast.Raise, ast.Assert)


class Walk:
    """One walk; afterwards ``sites`` are the sites in the order of the source, ``calls`` whom each function calls,
    ``messages`` what exception classes make their messages of.
    """

    def __init__(self, module: ModuleScope) -> None:
        self.calls = Calls(module.names)
        self.messages = ClassMessages()
        self._module = module
        self._sites: list[Site] = []
        self._built: list[tuple[ast.Call, list[Site]]] = []
        self._raised: set[ast.Call] = set()
        self._visits: Final[dict[type[ast.stmt], Visit]] = {
            ast.Raise: self._raise,
            ast.Assert: self._assert,
            ast.If: self._if,
            ast.For: self._loop,
            ast.AsyncFor: self._loop,
            ast.While: self._loop,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
        }

    def run(self, tree: ast.Module) -> None:
        """Walk through the module."""
        try:
            self._block(tree.body, Here(Scope(self._module), outermost=tree.body))
        finally:
            self._visits.clear()  # a circle that would keep the tree until the next collection

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites found, in the order of their lines, those that say the same of one statement once."""
        deferred = [site for call, sites in self._built if call not in self._raised for site in sites]
        return tuple(dict.fromkeys(sorted(self._sites + deferred, key=lambda site: (site.line, site.end_line))))

    # --- blocks -------------------------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], here: Here, **changes: Any) -> None:
        """Walk through a block; the variables of ``here`` are afterwards those at its end."""
        here = here._replace(block=body, **changes)
        step = here.step
        for statement in body:
            visit = self._visits.get(type(statement))
            calls = calls_within(statement) if visit is not None or self._may_call(statement) else []
            if calls or visit is not None:
                simple = visit is None or isinstance(statement, _SIMPLE)
                place = Here(here.scope, step, (*here.chain, statement), body, here.top and simple, here.outermost)
                self._calls_at(calls, place)
                if visit is not None:
                    visit(statement, place)
            if visit is None:
                self.messages.notice(statement, here.scope)
                assign(statement, here.scope)
            elif isinstance(statement, ast.If | ast.Try):
                step = passed_by(statement, step)

    def _may_call(self, statement: ast.stmt) -> bool:
        """Whether a simple statement can hold a call or an assignment by ``:=``; half of them show no sign of it."""
        if statement.lineno != statement.end_lineno:
            return True
        line = self._module.lines[statement.lineno - 1]
        return "(" in line or ":=" in line

    def _branch(self, body: Sequence[ast.stmt], here: Here, step: Step | None) -> Values:
        """Walk through a block with variables of its own; they come back."""
        values = here.scope.values.copy()
        scope = Scope(here.scope.module, here.scope.cls, here.scope.function, values)
        self._block(body, here._replace(scope=scope, step=step))
        return values

    @staticmethod
    def _meet(here: Here, ways: Sequence[Values]) -> None:
        """Set the variables to what is known where these ways meet."""
        if not ways:
            return
        merged = ways[0]
        for values in ways[1:]:
            merged = merge(merged, values)
        if merged is not here.scope.values:
            kept = dict(merged)
            here.scope.values.clear()
            here.scope.values.update(kept)

    def _calls_at(self, calls: Sequence[ast.Call | ast.NamedExpr], here: Here) -> None:
        """Look at the calls of a statement: what they report, what they build, whom the function calls."""
        for node in calls:
            if isinstance(node, ast.NamedExpr):
                here.scope.values[node.target.id] = Value(texts_of(node.value, here.scope), complete=False)
                continue
            self.calls.add(node, here.scope)
            name = last_name(node.func)
            if name in REPORTING:
                found = list(call_sites(node, here))
                self._sites.extend(found)
                if found:  # an exception among its arguments is part of it
                    self._raised.update(item for item in node.args if isinstance(item, ast.Call))
            raised = isinstance(here.statement, ast.Raise) and node is here.statement.exc
            if not raised and name.lstrip("_")[:1].isupper() and not isinstance(here.statement, ast.Assert):
                self._built.append((node, list(deferred_sites(node, here))))

    # --- statements ---------------------------------------------------------------------------------------------------

    def _raise(self, node: ast.Raise, here: Here) -> None:
        if node.exc is not None:
            self._raised.update(call for call in raised_calls(node.exc, here) if isinstance(call, ast.Call))
        self._sites.extend(raised_sites(node, here))

    def _assert(self, node: ast.Assert, here: Here) -> None:
        if node.msg is None:
            return
        step = Step("else", node, here.step, (node.test,))
        for message in filter(is_readable, texts_of(node.msg, here.scope)):
            place = here._replace(step=step)
            self._sites.append(make_site(place, "assert", cls="AssertionError", message=message, message_from="here"))

    def _if(self, node: ast.If, here: Here) -> None:
        chain, rest = branches(node)
        ways: list[Values] = []
        tests: tuple[ast.expr, ...] = ()
        for branch in chain:
            tests = (*tests, branch.test)
            if branch is not node:
                self._header(branch.test, here)
            place = here if branch is node else here._replace(chain=(*here.chain, branch))
            values = self._branch(branch.body, place, Step("if", branch, here.step, tests))
            if not leaves(branch.body):
                ways.append(values)
        if not rest:
            ways.append(here.scope.values)
        else:
            place = here if chain[-1] is node else here._replace(chain=(*here.chain, chain[-1]))
            values = self._branch(rest, place, Step("else", chain[-1], here.step, tests))
            if not leaves(rest):
                ways.append(values)
        self._meet(here, ways)

    def _header(self, test: ast.expr, here: Here) -> None:
        self._calls_at(calls_within(ast.Expr(test, lineno=test.lineno, end_lineno=test.end_lineno)), here)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, here: Here) -> None:
        before = here.scope.values.copy()
        if isinstance(node, ast.While):
            endless = isinstance(node.test, ast.Constant) and node.test.value in _ALWAYS
            step = here.step if endless else Step("while", node, here.step, (node.test,))
        else:
            forget(node.target, here.scope)
            step = Step("loop", node, here.step)
        after = self._branch(node.body, here, step)
        self._meet(here, [before, after])
        if node.orelse:
            self._block(node.orelse, here, step=Step("loop_else", node, here.step))

    def _try(self, node: ast.Try | ast.TryStar, here: Here) -> None:
        before = here.scope.values.copy()
        through = self._branch(node.body, here, here.step)
        broken = merge(through, before)
        ways = []
        for handler in node.handlers:
            scope = Scope(here.scope.module, here.scope.cls, here.scope.function, broken.copy())
            if handler.name:
                scope.values[handler.name] = UNKNOWN
            caught = Step("except", node, here.step, handlers=(handler,))
            values = self._branch(handler.body, here._replace(scope=scope), caught)
            if not leaves(handler.body):
                ways.append(values)
        self._meet(here, [through])
        if node.orelse:
            self._block(node.orelse, here, step=Step("try_else", node, here.step))
        if not leaves(node.orelse or node.body):
            ways.append(here.scope.values.copy())
        self._meet(here, ways)
        if node.finalbody:
            self._block(node.finalbody, here, step=Step("finally", node, here.step))

    def _with(self, node: ast.With | ast.AsyncWith, here: Here) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                forget(item.optional_vars, here.scope)
        self._block(node.body, here)

    def _match(self, node: ast.Match, here: Here) -> None:
        ways = [here.scope.values.copy()]
        for number, case in enumerate(node.cases):
            values = self._branch(case.body, here, Step("case", node, here.step, number=number))
            if not leaves(case.body):
                ways.append(values)
        self._meet(here, ways)

    # --- definitions --------------------------------------------------------------------------------------------------

    def _function(self, node: FunctionNode, here: Here) -> None:
        name = self._qualified(node.name, here)
        scope = Scope(here.scope.module, here.scope.cls, name, here.scope.values.copy() if here.scope.function else {})
        bind_parameters(node.args, scope)
        self._block(node.body, Here(scope, chain=(node,), top=True, outermost=[node]))

    def _class(self, node: ast.ClassDef, here: Here) -> None:
        name = self._qualified(node.name, here)
        self._block(node.body, Here(Scope(here.scope.module, name, name), chain=(), outermost=node.body))

    @staticmethod
    def _qualified(name: str, here: Here) -> str:
        return f"{here.scope.function}.{name}" if here.scope.function else name
