"""Every trace of ``fixtures/traces`` is read alike however it was pasted: coloured, prefixed, boxed, cut.

A trace's expected faults are those that its language tells. The whole reader adds log messages, other text and the
errors that a message quotes; these are the only additions allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kb.matching.reading.document import read
from kb.matching.shapes import Document, Fault
from kb.matching.traces.parse import parse

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
PATHS = sorted(TRACES.glob("*/*.txt"))
LANGUAGES = sorted({path.parent.name for path in PATHS})


def lines_of(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def coloured(text: str) -> str:
    return "\n".join(f"\x1b[1;31m{line[:9]}\x1b[0m{line[9:]}\x1b[K" for line in lines_of(text))


def docker(text: str) -> str:
    return "\n".join(f"worker-1  | {line}".rstrip() for line in lines_of(text))


def continuous_integration(text: str) -> str:
    times = (f"2024-05-01T10:00:{number % 60:02}.1234567Z" for number in range(100_000))
    return "\n".join(f"{time} {line}" for time, line in zip(times, lines_of(text), strict=False))


def syslog(text: str) -> str:
    return "\n".join(
        f"Nov 14 18:31:{number % 60:02} host shop[841]: {line}" for number, line in enumerate(lines_of(text))
    )


def boxed(text: str) -> str:
    lines = [line.expandtabs(4) for line in lines_of(text)]
    width = max(map(len, lines))
    middle = [f"│ {line.ljust(width)} │" for line in lines]
    return "\n".join([f"╭{'─' * (width + 2)}╮", *middle, f"╰{'─' * (width + 2)}╯"])


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in lines_of(text))


def fenced(text: str) -> str:
    return f"I get this error:\n\n```\n{text.rstrip()}\n```\n"


def crlf(text: str) -> str:
    return "\r\n".join(lines_of(text))


VARIANTS: dict[str, Callable[[str], str]] = {
    "clean": str,
    "coloured": coloured,
    "docker": docker,
    "continuous integration": continuous_integration,
    "syslog": syslog,
    "boxed": boxed,
    "quoted": quoted,
    "fenced": fenced,
    "crlf": crlf,
}


def frames_of(fault: Fault) -> list[list[Any]]:
    return [[frame.path, frame.line, frame.function] for frame in fault.frames]


def plain(message: str) -> str:
    """Padding at the ends of lines and tabs may be lost on the way."""
    return "\n".join(line.rstrip() for line in message.expandtabs(4).split("\n"))


def is_wanted(fault: Fault, expected: dict[str, Any]) -> bool:
    """A line without class or frames may lose its language with the prefix that told it."""
    bare = not fault.cls and not fault.frames and not fault.language
    return (
        fault.cls == expected["class"]
        and plain(fault.message) == plain(expected["message"])
        and (bare or fault.language == expected["language"])
        and frames_of(fault) == expected["frames"]
    )


def check_all(faults: Sequence[Fault], expected: Sequence[dict[str, Any]]) -> None:
    """The expected faults stand in order among the faults, with their relations; others are additions."""
    places: list[int] = []
    for wanted in expected:
        start = places[-1] + 1 if places else 0
        place = next((at for at in range(start, len(faults)) if is_wanted(faults[at], wanted)), None)
        assert place is not None, f"not read: {wanted}\nread: {faults}"
        places.append(place)
    for place, wanted in zip(places, expected, strict=True):
        parent = wanted["parent"]
        assert faults[place].relation == wanted["relation"]
        assert faults[place].parent == (None if parent is None else places[parent])
    for place, fault in enumerate(faults):
        assert place in places or fault.relation == "wrapped" or fault.kind in {"line", "logged"}, fault


def check_places(document: Document, faults: Sequence[Fault]) -> None:
    """The lines of the document hold what the faults say stands there."""
    for fault in faults:
        assert 0 <= fault.first <= fault.last < len(document.lines)
        for frame in fault.frames:
            assert fault.relation == "wrapped" or fault.first <= frame.at <= fault.last
        if not fault.message:
            assert fault.message_line == -1
            continue
        told = fault.message.split("\n")
        assert fault.message_last == fault.message_line + len(told) - 1
        assert document.lines[fault.message_line].text[fault.message_column :].startswith(told[0])
        for at, text in enumerate(told):
            assert text in document.lines[fault.message_line + at].text


def expected_of(path: Path) -> list[dict[str, Any]]:
    faults: list[dict[str, Any]] = json.loads(path.with_suffix(".json").read_text("utf-8"))["faults"]
    assert faults
    return faults


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_trace_is_read_alike_however_it_was_pasted(path: Path, variant: str) -> None:
    document = read(VARIANTS[variant](path.read_text("utf-8")))
    faults = parse(document.lines)
    check_places(document, faults)
    check_all(faults, expected_of(path))


def is_inside(fault: Fault, faults: Sequence[Fault], first: int, last: int) -> bool:
    """Whether all of a fault, and of those above it that it depends on, stands from ``first`` to before ``last``."""
    above = faults[fault.parent] if fault.parent is not None and fault.parent < faults.index(fault) else None
    whole = first <= fault.first and fault.last < last
    return whole and (above is None or is_inside(above, faults, first, last))


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_what_is_left_of_a_cut_trace_is_read(path: Path) -> None:
    """What was cut off may have told the language and the class, but a whole message is never lost."""
    lines = lines_of(path.read_text("utf-8"))
    whole = parse(read("\n".join(lines)).lines)
    step = max(1, len(lines) // 8)
    for cut in range(1, len(lines), step):
        for first, last in ((cut, len(lines)), (0, cut)):
            document = read("\n".join(lines[first:last]))
            faults = parse(document.lines)
            check_places(document, faults)
            told = [plain(fault.message) for fault in faults]
            for fault in whole:
                if fault.kind == "raised" and is_inside(fault, whole, first, last - 1):
                    assert any(plain(fault.message) in message for message in told), fault


@pytest.mark.parametrize("path", [path for path in PATHS if path.parent.name == "python"], ids=name)
def test_a_python_trace_without_its_top_keeps_its_error(path: Path) -> None:
    lines = lines_of(path.read_text("utf-8"))
    for wanted in [fault for fault in parse(read("\n".join(lines)).lines) if fault.kind == "raised"][-1:]:
        for first in range(1, wanted.message_line, 3):
            faults = parse(read("\n".join(lines[first:])).lines)
            assert any(fault.cls == wanted.cls and fault.message == wanted.message for fault in faults), first


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_five_traces(language: str) -> None:
    assert sum(path.parent.name == language for path in PATHS) >= 5
