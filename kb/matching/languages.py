"""Which records' languages a trace in some language can lead into; pure."""

from __future__ import annotations

from typing import Final

__all__ = ["is_foreign"]

# Languages that run together print each other's errors: the first names what a trace shows, see LANGUAGES in shapes.
_NATIVE: Final = frozenset(("C", "C++", "Objective-C", "Objective-C++", "Cuda", "Assembly", "Fortran", "Rust", "Zig"))
_JVM: Final = frozenset(("Java", "Kotlin", "Scala", "Groovy", "Clojure"))
_TOGETHER: Final[dict[str, frozenset[str]]] = {
    "Python": _NATIVE | {"Cython", "Jupyter Notebook"},
    "JavaScript": _NATIVE | {"TypeScript", "CoffeeScript", "Vue", "Svelte", "Astro", "HTML"},
    "Ruby": _NATIVE,
    "PHP": _NATIVE | {"Hack", "Blade"},
    "Java": _JVM,
    "Kotlin": _JVM,
    "Scala": _JVM,
    "C#": frozenset(("F#", "Visual Basic", "Visual Basic .NET", "PowerShell", "C++")),
    "C++": _NATIVE,
    "C": _NATIVE,
    "Go": frozenset(("C", "Assembly")),
    "Rust": frozenset(("C", "C++", "Assembly")),
}


def is_foreign(trace: str, record: str) -> bool:
    """Whether a record's language cannot be where a trace in another language came from."""
    return bool(trace and record) and trace != record and record not in _TOGETHER.get(trace, frozenset())
