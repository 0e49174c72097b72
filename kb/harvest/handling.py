"""How a program catches an error: a ``try`` that compiles and names a class that can be imported."""

from __future__ import annotations

from typing import Final

from kb.harvest.expressions import listed
from kb.harvest.facts import Site
from kb.harvest.lineage import Lineage, builtin_class, is_public

__all__ = ["catch_pattern", "caught_as", "strategy_of"]

_NOT_CAUGHT: Final = frozenset({
    "AssertionError", "BaseException", "Exception", "GeneratorExit", "KeyboardInterrupt", "NotImplementedError",
    "StopAsyncIteration", "StopIteration", "SystemExit",
})  # fmt: skip
"""Classes that a program should not catch, or that tell of a fault in its own code."""
_AGAIN: Final = frozenset({"timeout", "connection-lost", "connection-refused", "connection-failed", "rate-limited"})
_MOST_CALLS: Final = 2
_CHECKED: Final = frozenset({"range", "choice", "missing", "size", "path"})


def caught_as(name: str, lineage: Lineage) -> tuple[str, str]:
    """The import line (empty for a built-in) and the name for an ``except``; both empty when there is none for certain.

    When the class itself cannot be imported for certain, or only under a private name, that is its nearest ancestor
    which can.
    """
    candidates = [lineage.resolve(name), *lineage.ancestors(name)]
    candidates.sort(key=lambda candidate: not is_public(lineage.shortest(candidate)))
    for candidate in candidates:
        if candidate in _NOT_CAUGHT:
            continue
        if builtin_class(candidate):
            return "", candidate
        if found := lineage.importable(candidate):
            module, inner = found
            return f"from {module} import {inner.partition('.')[0]}", inner
    return "", ""


def catch_pattern(site: Site, lineage: Lineage, calls: tuple[str, ...]) -> str | None:
    """Code that catches what the site raises around one of the calls; None when it should not or cannot be caught."""
    if site.kind != "raise" or site.cls in _NOT_CAUGHT:
        return None
    line, name = caught_as(site.cls, lineage)
    if not name:
        return None
    called = listed(list(calls[:_MOST_CALLS]), "or") or "the code that raises it"
    body = f'try:\n    ...  # {called}\nexcept {name} as error:\n    print(f"{name.rpartition(".")[2]}: {{error}}")'
    return f"{line}\n\n{body}" if line else body


def strategy_of(family: str | None, guard: str, *, catchable: bool) -> str | None:
    """How callers should handle it, by its family and by what its guard asks."""
    if family in _AGAIN:
        return "retry"
    if family == "missing-dependency":
        return "fallback"
    if guard == "type":
        return "type-guard"
    if guard in _CHECKED:
        return "validation"
    return "try-catch" if catchable else None
