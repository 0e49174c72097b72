"""What a package's names stand for: re-exported names, an exception class's ancestors, what a program can import."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Final

from kb.harvest.facts import ClassFacts, ModuleFacts
from kb.harvest.packages import PackageFacts

__all__ = ["Lineage", "builtin_class", "is_public"]

_ROOTS: Final = ("object", "Exception", "BaseException")
_MOST_STEPS: Final = 8  # of names that stand for names
_ELSEWHERE: Final = frozenset({
    "_overlapped", "_scproxy", "_winapi", "_wmi", "asyncio.windows_events", "asyncio.windows_utils", "java", "msvcrt",
    "nt", "org", "pywintypes", "win32api", "win32con", "winreg", "winsound",
})  # fmt: skip
"""Modules that exist on another system or interpreter only."""
_NEED_A_PROJECT: Final = frozenset({"models", "admin", "migrations"})
"""Modules of Django applications that cannot be imported before a project is set up."""
_NOT_FIRST: Final = frozenset({"mypy.suggestions"})
"""Modules in a circle of imports that breaks when it is entered here."""


def builtin_class(name: str) -> type[BaseException] | None:
    """The built-in exception class of that name."""
    found = getattr(builtins, name, None) if name.isidentifier() else None
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


class Lineage:
    """Look-ups over all modules of one package.

    ``available`` are the top-level names that can be imported besides the standard library and the package itself.
    """

    def __init__(self, package: PackageFacts, available: Collection[str] = ()) -> None:
        self.modules: dict[str, ModuleFacts] = {}
        self.classes: dict[str, ClassFacts] = {}
        self._module_of: dict[str, ModuleFacts] = {}
        self._aliases: dict[str, str] = {}
        self._loading: dict[str, bool] = {}
        self._resolved: dict[str, str] = {}
        self._ancestors: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}
        self._stars: dict[str, list[str]] = {}
        self._available = {*sys.stdlib_module_names, *package.origin.names, *available}
        for module in package.modules:
            if not module.problem:
                self._take(module)
        for alias in self._aliases:
            self._note_name(alias, self.resolve(alias))
        for module in self.modules.values():
            for base in self._stars.get(module.module, ()):
                for name in self._offered_by(base):
                    self._note_name(f"{module.module}.{name}", self.resolve(f"{base}.{name}"))

    def _take(self, module: ModuleFacts) -> None:
        self.modules.setdefault(module.module, module)
        for function in module.functions:
            self._module_of.setdefault(function.qualified, module)
        for found in module.classes:
            self._module_of.setdefault(found.qualified, module)
            self.classes.setdefault(found.qualified, found)
        for local, target in module.imports:
            if local == "*":
                self._stars.setdefault(module.module, []).append(target)
            elif target != (alias := f"{module.module}.{local}"):
                self._aliases.setdefault(alias, target)

    def _offered_by(self, module: str) -> Iterator[str]:
        """What ``from module import *`` brings."""
        known = self.modules.get(module)
        if known is None:
            return
        own = [facts.name for facts in known.classes] + [facts.name for facts in known.functions]
        yield from known.exports or (name for name in own if "." not in name and not name.startswith("_"))

    def _note_name(self, alias: str, target: str) -> None:
        """Take note of a name under which something is meant to be used: one that a package around its module gives
        it, or that a public module gives to what a private one defines.
        """
        home = self._module_of.get(target)
        owner = alias.rpartition(".")[0]
        if (
            home is None
            or not is_public(alias)
            or alias == target
            or alias.rpartition(".")[2] != target.rpartition(".")[2]
        ):
            return
        around = home.module.startswith(f"{owner}.")
        shown = not is_public(target) and alias.rpartition(".")[2] in self.modules[owner].exports
        if around or shown:
            self._names.setdefault(target, []).append(alias)

    def resolve(self, name: str) -> str:
        """The name under which something is defined, for one under which it is re-exported; others as they are."""
        if name in self._module_of:
            return name
        found = self._resolved.get(name)
        if found is None:
            found = self._resolved[name] = self._follow(name)
        return found

    def _follow(self, name: str) -> str:
        for _ in range(_MOST_STEPS):
            if name in self._module_of:
                return name
            target = self._aliases.get(name)
            if target is None:
                target = self._through(*name.rpartition(".")[::2])
            if target is None or target == name:
                return name
            name = target
        return name

    def _through(self, owner: str, last: str) -> str | None:
        """The name of a member of something re-exported, or of what a module has by ``import *``."""
        if found := self._aliases.get(owner):
            return f"{found}.{last}"
        return next((f"{base}.{last}" for base in self._stars.get(owner, ()) if self._has(base, last)), None)

    def _has(self, module: str, name: str) -> bool:
        qualified = f"{module}.{name}"
        return qualified in self._module_of or qualified in self._aliases or bool(self._stars.get(module))

    def shortest(self, name: str) -> str:
        """The shortest public name by which something of the package, or a member of it, can be imported."""
        best = min(self._names.get(name, ()), key=lambda alias: (alias.count("."), len(alias), alias), default="")
        if best and (not is_public(name) or best.count(".") < name.count(".")):
            return best
        owner, _, member = name.rpartition(".")
        if owner in self.classes:
            return f"{self.shortest(owner)}.{member}"
        return name

    def ancestors(self, name: str) -> list[str]:
        """The classes that an ``except`` can name in place of this one, nearest first, less the most general ones."""
        if name not in self._ancestors:
            self._ancestors[name] = self._find_ancestors(name)
        return self._ancestors[name]

    def _find_ancestors(self, name: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = [self.resolve(name)]
        while waiting and len(found) < _MOST_STEPS * 4:
            for base in self._bases(waiting.pop(0)):
                if base not in found and base not in _ROOTS:
                    found[base] = None
                    waiting.append(base)
        return [base for base in found if base in self.classes or builtin_class(base)]

    def _bases(self, name: str) -> Iterator[str]:
        if name in self.classes:
            yield from (self.resolve(base) for base in self.classes[name].bases)
        elif known := builtin_class(name):
            yield from (base.__name__ for base in known.__mro__[1:])

    def is_exception(self, name: str) -> bool:
        """Whether a class is certainly an exception, as far as the package and the built-ins tell."""
        name = self.resolve(name)
        if known := self.classes.get(name):
            return known.exception or any(builtin_class(base) for base in self.ancestors(name))
        return builtin_class(name) is not None

    def importable(self, name: str) -> tuple[str, str] | None:
        """The module to import and the name in it, for an exception class of the package; None if that is uncertain.

        A class defined in a function, one behind a module that may be missing, and one that only some systems have
        cannot be imported for certain.
        """
        name = self.resolve(name)
        home = self._module_of.get(name)
        if home is None or name not in self.classes or not self.is_exception(name) or not self._loads(home):
            return None
        parts = self.classes[name].name.split(".")
        if any(".".join(parts[:count]) not in self._own_classes(home) for count in range(1, len(parts))):
            return None
        public = self.shortest(name)
        module = public.rpartition(".")[0]
        if public != name and module in self.modules and self._loads(self.modules[module]):
            return module, public.rpartition(".")[2]
        return home.module, self.classes[name].name

    def _own_classes(self, module: ModuleFacts) -> set[str]:
        return {found.name for found in module.classes}

    def _loads(self, module: ModuleFacts) -> bool:
        """Whether a module can be imported for certain."""
        if module.module not in self._loading:
            self._loading[module.module] = self._is_safe(module)
        return self._loading[module.module]

    def _is_safe(self, module: ModuleFacts) -> bool:
        names = module.module.split(".")
        if not all(name.isidentifier() for name in names) or names[-1] == "__main__" or module.module in _NOT_FIRST:
            return False
        targets = {module.module, *(target for _, target in module.imports)}
        if any(self._needs_a_project(target) for target in targets):
            return False
        if any(target.partition(".")[0] in _ELSEWHERE or target in _ELSEWHERE for target in targets):
            return False
        if not all(target.partition(".")[0] in self._available for target in targets):
            return False
        if any(site.kind == "raise" and not site.function for site in module.sites):
            return False
        return not _asks_for_configuration(module) and self._unready.isdisjoint(self._loaded_by(module))

    def _needs_a_project(self, name: str) -> bool:
        """Whether an imported name is in a part of a Django application that loads only when the project is set up."""
        parts = name.split(".")
        for place, part in enumerate(parts, 1):
            found = self.modules.get(".".join(parts[:place])) if part in _NEED_A_PROJECT else None
            if found is not None and any(target.startswith("django.") for _, target in found.imports):
                return True
        return False

    @cached_property
    def _unready(self) -> set[str]:
        """The modules of the package that load one which asks for configuration."""
        found = {name for name, module in self.modules.items() if _asks_for_configuration(module)}
        if not found:
            return found
        loaded_for: dict[str, list[str]] = {}
        for name, module in self.modules.items():
            for loaded in self._loaded_by(module):
                loaded_for.setdefault(loaded, []).append(name)
        waiting = list(found)
        while waiting:
            new = [name for name in loaded_for.get(waiting.pop(), ()) if name not in found]
            found.update(new)
            waiting += new
        return found

    def _loaded_by(self, module: ModuleFacts) -> set[str]:
        """The names of the package's modules that are loaded by this one's import statements, and those around it."""
        found: set[str] = set()
        for name in (module.module, *(target for _, target in module.imports)):
            while name and name not in found:
                if name in self.modules:
                    found.add(name)
                name = name.rpartition(".")[0]  # noqa: PLW2901  one package further out
        return found


def _asks_for_configuration(module: ModuleFacts) -> bool:
    """Whether a module refuses to be imported while something is not configured, such as a library's place."""
    return any(
        site.kind == "raise" and not site.function and site.cls.endswith("ImproperlyConfigured")
        for site in module.sites
    )


def is_public(name: str) -> bool:
    """Whether no part of a dotted name begins with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))
