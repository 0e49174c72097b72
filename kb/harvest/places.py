"""The place of a statement, and the site that is made of it and of what was found there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from kb.harvest.blocks import is_docstring
from kb.harvest.facts import Site, SiteKind
from kb.harvest.guards import Place, Step, guard_of
from kb.harvest.placeholders import literal_weight
from kb.harvest.scopes import Scope
from kb.harvest.snippets import snippet_around

__all__ = ["LEAST_WEIGHT", "Here", "is_readable", "make_site"]

LEAST_WEIGHT = 3
"""Letters and digits of literal text that make a message readable; with fewer its pattern would match anything."""


class Here(NamedTuple):
    """Where the walk is: the scope, the last step inward, the statements around, the block and whether it is a
    function's own.
    """

    scope: Scope
    step: Step | None = None
    chain: tuple[ast.stmt, ...] = ()
    block: Sequence[ast.stmt] = ()
    top: bool = False
    outermost: Sequence[ast.stmt] = ()

    @property
    def statement(self) -> ast.stmt:
        """The statement itself."""
        return self.chain[-1]

    @property
    def ending(self) -> Place:
        """``only`` or ``end`` for the last statement of a function."""
        if not self.top or self.block[-1] is not self.statement:
            return ""
        return "only" if sum(not is_docstring(node) for node in self.block) == 1 else "end"


def is_readable(template: str) -> bool:
    """Whether a template says enough to be told from others."""
    return literal_weight(template) >= LEAST_WEIGHT


def make_site(here: Here, kind: SiteKind, **found: Any) -> Site:
    """A site of the statement at this place."""
    module, node = here.scope.module, here.statement
    start, snippet = snippet_around(here.chain, here.outermost, module.lines)
    return Site(
        kind=kind,
        function=here.scope.function,
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        guard=guard_of(here.step, module.names, here.scope.function, here.ending),
        snippet_start=start,
        snippet=snippet,
        **found,
    )
