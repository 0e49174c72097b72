"""Which public functions of a package lead to a place: its call graph, read backwards, within bounds."""

from __future__ import annotations

from typing import Final

from kb.harvest.facts import FunctionFacts
from kb.harvest.lineage import Lineage
from kb.harvest.packages import PackageFacts

__all__ = ["Reach"]

_DEEPEST: Final = 6  # calls between a public function and the place
_MOST_VISITED: Final = 300
_MOST_NAMED: Final = 5
_MOST_CALLERS: Final = 40  # a function with more is called from everywhere, and says nothing


class Reach:
    """Asks for callers; answers are kept, since many sites share a function."""

    def __init__(self, package: PackageFacts, lineage: Lineage) -> None:
        self._lineage = lineage
        self._functions: dict[str, FunctionFacts] = {}
        self._by_last_name: dict[str, list[str]] = {}
        for module in package.modules:
            for function in module.functions:
                self._functions.setdefault(function.qualified, function)
        for qualified in self._functions:
            self._by_last_name.setdefault(qualified.rpartition(".")[2], []).append(qualified)
        self._callers: dict[str, list[str]] = {}
        for qualified, function in self._functions.items():
            self._note(qualified, function)
        self._answers: dict[str, tuple[str, ...]] = {}

    def _note(self, qualified: str, function: FunctionFacts) -> None:
        targets = {self._target(called) for called in function.calls}
        outer = qualified.rpartition(".")[0]
        if outer in self._functions:  # what is defined in a function runs on its behalf
            self._callers.setdefault(qualified, []).append(outer)
        for target in sorted(targets - {"", qualified}):
            self._callers.setdefault(target, []).append(qualified)

    def _target(self, called: str) -> str:
        """The function that a call runs, as far as its name tells; empty when it does not."""
        if called.startswith("."):
            named = self._by_last_name.get(called[1:], ())
            return named[0] if len(named) == 1 else ""
        name = self._lineage.resolve(called)
        if name in self._functions:
            return name
        if name in self._lineage.classes:
            return self._method(name, "__init__")
        owner, _, method = name.rpartition(".")
        return self._method(self._lineage.resolve(owner), method) if owner else ""

    def _method(self, owner: str, method: str) -> str:
        """A method where it is defined: in the class itself or the nearest base that has it."""
        if owner not in self._lineage.classes:
            return ""
        for name in (owner, *self._lineage.ancestors(owner), *self._all_bases(owner)):
            if f"{name}.{method}" in self._functions:
                return f"{name}.{method}"
        return ""

    def _all_bases(self, owner: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = [owner]
        while waiting and len(found) < _MOST_CALLERS:
            known = self._lineage.classes.get(waiting.pop(0))
            for base in known.bases if known else ():
                resolved = self._lineage.resolve(base)
                if resolved not in found:
                    found[resolved] = None
                    waiting.append(resolved)
        return list(found)

    def function(self, qualified: str) -> FunctionFacts | None:
        """The function of that name."""
        return self._functions.get(qualified)

    def is_public(self, qualified: str) -> bool:
        """Whether a program can call the function by its name: it is public and not defined in another function."""
        known = self._functions.get(qualified)
        return known is not None and known.public and qualified.rpartition(".")[0] not in self._functions

    def callers(self, qualified: str) -> tuple[str, ...]:
        """Public functions that lead to this one, the nearest first, at most five; without itself."""
        if qualified not in self._answers:
            self._answers[qualified] = self._search(qualified)
        return self._answers[qualified]

    def _search(self, qualified: str) -> tuple[str, ...]:
        seen, level = {qualified}, [qualified]
        found: list[str] = []
        for _ in range(_DEEPEST):
            following: list[str] = []
            for name in level:
                callers = self._callers.get(name, ())
                if len(callers) > _MOST_CALLERS:
                    continue
                following.extend(caller for caller in callers if caller not in seen)
                seen.update(following)
            level = sorted(set(following))
            found.extend(name for name in level if self.is_public(name))
            if not level or len(found) >= _MOST_NAMED or len(seen) > _MOST_VISITED:
                break
        return tuple(found[:_MOST_NAMED])

    def as_called(self, qualified: str) -> str:
        """How a program names a function: ``requests.get()``, and a class's name for its ``__init__``."""
        owner, _, last = qualified.rpartition(".")
        if last in {"__init__", "__new__", "__call__"} and owner:
            return f"{self._lineage.shortest(owner)}()"
        return f"{self._lineage.shortest(qualified)}()"
