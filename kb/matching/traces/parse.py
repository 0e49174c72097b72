"""All faults of a text: every language is asked, overlaps are settled, and what nobody claims is read as plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from kb.matching.shapes import Fault, Line
from kb.matching.traces import (
    dotnet,
    go,
    javascript,
    jvm,
    native,
    php,
    plain,
    python,
    python_layouts,
    ruby,
    rust,
)

__all__ = ["parse"]

Finder = Callable[[Sequence[Line]], list[Fault]]

_FINDERS: Final[tuple[Finder, ...]] = (
    python.find,
    python_layouts.find,
    javascript.find,
    jvm.find,
    go.find,
    rust.find,
    dotnet.find,
    ruby.find,
    php.find,
    native.find,
)


def parse(lines: Sequence[Line]) -> tuple[Fault, ...]:
    """The faults of ``lines`` in text order; ``parent`` is a position in the result."""
    claimed = [False] * len(lines)
    groups: list[list[Fault]] = []
    for group in _ranked([group for finder in _FINDERS for group in _groups(finder(lines))]):
        spans = [(fault.first, fault.last) for fault in group]
        if any(claimed[at] for first, last in spans for at in range(first, last + 1)):
            continue
        for first, last in spans:
            claimed[first : last + 1] = [True] * (last + 1 - first)
        groups.append(group)
    groups.extend(_groups(plain.find(lines)) if not groups else ())
    return _in_order(groups)


def _groups(faults: list[Fault]) -> list[list[Fault]]:
    """The faults split into those that hang together; ``parent`` counts from the group's first."""
    root: list[int] = []
    for at, fault in enumerate(faults):
        root.append(root[fault.parent] if fault.parent is not None and fault.parent < at else at)
    groups: dict[int, list[int]] = {}
    for at, top in enumerate(root):
        groups.setdefault(top, []).append(at)
    return [
        [
            fault if (parent := fault.parent) is None else replace(fault, parent=places.index(parent))
            for fault in (faults[at] for at in places)
        ]
        for places in groups.values()
    ]


def _ranked(groups: list[list[Fault]]) -> list[list[Fault]]:
    """Those that explain more lines with frames first."""
    return sorted(groups, key=lambda group: -sum(len(fault.frames) for fault in group))


def _in_order(groups: list[list[Fault]]) -> tuple[Fault, ...]:
    result: list[Fault] = []
    for group in sorted(groups, key=lambda group: min(fault.first for fault in group)):
        base = len(result)
        result.extend(fault if fault.parent is None else replace(fault, parent=fault.parent + base) for fault in group)
    return tuple(result)
