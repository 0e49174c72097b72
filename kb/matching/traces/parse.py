"""All faults of a text: every language is asked, overlaps are settled, and what nobody claims is read as plain text."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from itertools import islice
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
from kb.matching.traces.class_names import last_part
from kb.matching.traces.codes import codes_in
from kb.matching.traces.statuses import status_in
from kb.matching.traces.wrapped import wrapped_in

__all__ = ["parse", "parse_last"]

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
"""Of two readings that explain as many lines, the one that stands first here wins."""


_TOLD: Final = frozenset(("raised", "cut"))
"""Kinds of faults that are told whatever else a text holds."""
_FEW_LINES: Final = 2_000
_MOST_LINES: Final = 10_000


def parse(lines: Sequence[Line]) -> tuple[Fault, ...]:
    """The faults of ``lines`` in text order; ``parent`` is a position in the result."""
    return tuple(_complete(_settled(lines), lines))


def parse_last(lines: Sequence[Line], most: int) -> tuple[Fault, ...]:
    """As :func:`parse`, but of many faults only the last ``most``, with the errors that their messages quote.

    Prose goes first. Of a long text no more lines are read than that takes, from its end, and never more than
    ``_MOST_LINES``: what stopped a program stands last.
    """
    part = lines[-_FEW_LINES:]
    faults = _settled(part)
    if len(part) < len(lines) and not _suffice(faults, part, most):
        part = lines[-_MOST_LINES:]
        faults = _settled(part)
    if len(faults) > most:
        told = [at for at, fault in enumerate(faults) if fault.kind != "line"] or list(range(len(faults)))
        faults = _moved(faults, told[-most:])
    above = len(lines) - len(part)
    return tuple(_lower(fault, above) if above else fault for fault in _complete(faults, part))


def _suffice(faults: Sequence[Fault], lines: Sequence[Line], most: int) -> bool:
    """Whether there are more than ``most`` faults that are told whatever else a text holds."""
    told = (
        fault for fault in faults if fault.kind in _TOLD or (fault.kind == "logged" and plain.is_loud(fault, lines))
    )
    return next(islice(told, most, None), None) is not None


def _lower(fault: Fault, above: int) -> Fault:
    """The fault in a text that has so many more lines above."""
    said = fault.message_line >= 0
    return replace(
        fault,
        first=fault.first + above,
        last=fault.last + above,
        message_line=fault.message_line + above if said else -1,
        message_last=fault.message_last + above if said else -1,
        frames=tuple(replace(frame, at=frame.at + above) for frame in fault.frames),
    )


def _settled(lines: Sequence[Line]) -> list[Fault]:
    """The faults as every language reads them, overlaps settled."""
    free = [True] * len(lines)
    groups: list[list[Fault]] = []
    told: set[tuple[str, int]] = set()
    for group in _ranked(_read(lines)):
        kept = _select(group, [_is_free(fault, free) and _message_of(fault) not in told for fault in group])
        for fault in kept:
            free[fault.first : fault.last + 1] = [False] * (fault.last + 1 - fault.first)
        told.update(_message_of(fault) for fault in kept if fault.message)
        groups.append(kept)
    groups.extend(_groups(plain.find(lines, free)))
    return _in_order(groups)


def _read(lines: Sequence[Line]) -> list[list[Fault]]:
    """What every language reads; the first that explains every line, with frames and short messages, is believed."""
    groups: list[list[Fault]] = []
    for finder in _FINDERS:
        faults = finder(lines)
        if not faults:
            continue
        groups.extend(_groups(faults))
        explained = {at for fault in faults for at in range(fault.first, fault.last + 1)}
        if all(fault.frames and fault.message_line == fault.message_last for fault in faults) and all(
            at in explained or not line.text for at, line in enumerate(lines)
        ):
            break
    return groups


def _groups(faults: list[Fault]) -> list[list[Fault]]:
    """The faults split into those that hang together, each in text order with ``parent`` counting from its first."""
    roots = list(range(len(faults)))
    for at, fault in enumerate(faults):
        if fault.parent is not None and 0 <= fault.parent < len(faults):
            one, other = sorted((_root(roots, at), _root(roots, fault.parent)))
            roots[other] = one
    groups: dict[int, list[int]] = {}
    for at in range(len(faults)):
        groups.setdefault(_root(roots, at), []).append(at)
    return [_moved(faults, places) for places in groups.values()]


def _root(roots: list[int], at: int) -> int:
    while roots[at] != at:
        roots[at] = roots[roots[at]]
        at = roots[at]
    return at


def _moved(faults: Sequence[Fault], places: Sequence[int]) -> list[Fault]:
    """The faults at ``places``, with ``parent`` as a position among them; a parent that is not there is none."""
    new = {place: at for at, place in enumerate(places)}
    moved = []
    for place in places:
        fault = faults[place]
        if fault.parent is None:
            moved.append(fault)
            continue
        parent = new.get(fault.parent)
        moved.append(replace(fault, parent=parent, relation=fault.relation if parent is not None else ""))
    return moved


def _select(group: list[Fault], kept: list[bool]) -> list[Fault]:
    return group if all(kept) else _moved(group, [at for at, keep in enumerate(kept) if keep])


def _is_free(fault: Fault, free: list[bool]) -> bool:
    """Whether nobody has claimed the lines of a fault; of one with a stack, the stack: the message that a process has
    from another one stands above the other's stack, too.
    """
    return all(free[fault.first : fault.last + 1]) or (
        bool(fault.frames)
        and fault.frames[0].at != fault.message_line
        and all(free[frame.at] for frame in fault.frames)
    )


def _message_of(fault: Fault) -> tuple[str, int]:
    """What two readings of one error have in common: its language and where its message stands."""
    return fault.language, fault.message_line


def _ranked(groups: list[list[Fault]]) -> list[list[Fault]]:
    """Those that explain more lines with frames first."""
    return sorted(groups, key=lambda group: -len({frame.at for fault in group for frame in fault.frames}))


def _in_order(groups: list[list[Fault]]) -> list[Fault]:
    """All groups together, by the faults' first lines, with ``parent`` as a position in the whole."""
    faults: list[Fault] = []
    for group in groups:
        base = len(faults)
        faults.extend(fault if fault.parent is None else replace(fault, parent=fault.parent + base) for fault in group)
    return _moved(faults, sorted(range(len(faults)), key=lambda at: faults[at].first))


def _complete(faults: list[Fault], lines: Sequence[Line]) -> list[Fault]:
    """The faults with their codes and statuses, each followed by the errors that its message quotes, without those that
    the text also tells for themselves.
    """
    wrapping = {fault.parent for fault in faults if fault.relation == "wrapped"}
    told = {_said(fault) for fault in faults}
    inner = [[] if at in wrapping else _untold(wrapped_in(fault, lines), told) for at, fault in enumerate(faults)]
    places = []
    total = 0
    for some in inner:
        places.append(total)
        total += 1 + len(some)
    result: list[Fault] = []
    for at, fault in enumerate(faults):
        parent = places[fault.parent] if fault.parent is not None else None
        result.append(_with_codes(fault if parent is None else replace(fault, parent=parent)))
        result.extend(_with_codes(replace(one, parent=places[at] + (one.parent or 0))) for one in inner[at])
    return result


def _said(fault: Fault) -> tuple[str, str]:
    """What an error and its quotation have in common."""
    return last_part(fault.cls), fault.message


def _untold(quoted: Sequence[Fault], told: Container[tuple[str, str]]) -> list[Fault]:
    """The quoted errors that are not ``told``; ``parent`` counts from the quoting error, as before."""
    places = [0]
    kept: list[Fault] = []
    for fault in quoted:
        parent = places[fault.parent or 0]
        if _said(fault) in told:
            places.append(parent)
            continue
        kept.append(replace(fault, parent=parent))
        places.append(len(kept))
    return kept


def _with_codes(fault: Fault) -> Fault:
    codes = tuple(dict.fromkeys((*fault.codes, *codes_in(fault.message))))
    status = status_in(f"{fault.cls} {fault.message}") if fault.status is None else fault.status
    if codes == fault.codes and status == fault.status:
        return fault
    return replace(fault, codes=codes, status=status)
