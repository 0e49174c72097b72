"""What holds for the parsers of JavaScript, the JVM, Go and .NET alike: fixtures, offsets, foreign texts, cost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.matching.shapes import Fault, Line
from kb.matching.traces import dotnet, go, javascript, jvm

Finder = Callable[[Sequence[Line]], list[Fault]]

FINDERS: dict[str, Finder] = {
    "javascript": javascript.find,
    "java": jvm.find,
    "kotlin": jvm.find,
    "scala": jvm.find,
    "go": go.find,
    "csharp": dotnet.find,
}
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
OWN = sorted(path for language in FINDERS for path in (TRACES / language).glob("*.txt"))
OTHERS = sorted(
    path
    for folder in TRACES.iterdir()
    if folder.is_dir() and folder.name not in FINDERS
    for path in folder.glob("*.txt")
)
FRAGMENTS = [
    "Error: a b",
    "TypeError [ERR_X]: first: second",
    "    at f (/app/x.js:1:2)",
    "    at /app/x.js:1:2 {",
    "  code: 'ENOENT',",
    "  [cause]: RangeError: inner",
    "  [errors]: [",
    "}",
    "f@http://localhost/x.js:1:2",
    "Uncaught (in promise) Error: a",
    'Exception in thread "main" org.example.ToolException: a',
    "Caused by: java.io.IOException: b; nested exception is java.io.EOFException: c",
    "\tSuppressed: java.lang.Exception",
    "Wrapped by: org.example.OuterException: d",
    "\tat org.example.Tool.run(Tool.java:7)",
    "\t... 3 more",
    "panic: a b: c d: e f",
    "\tpanic: again [recovered]",
    "goroutine 1 [running]:",
    "main.run(0x1)",
    "panic({0x1})",
    "\t/app/main.go:7 +0x1",
    "./main.go:7:1: x y: z w",
    "2009/11/10 23:00:00 could not: do it",
    "exit status 1",
    "System.InvalidOperationException: outer ---> System.FormatException: inner",
    " ---> (Inner Exception #1) System.Exception: member",
    "   at Example.Tool.Run(String a) in /app/Tool.cs:line 7<---",
    "   --- End of inner exception stack trace ---",
    "Tool.cs(3,4): error CS0103: no such name [tool.csproj]",
    "x.ts(3,4): error TS2345: no such type",
    "just a line",
    "",
    "  indented: line",
]


def lines_of(text: str) -> list[Line]:
    lines, start = [], 0
    for text_line in text.split("\n"):
        lines.append(Line(text=text_line, start=start))
        start += len(text_line) + 1
    return lines


def as_written(fault: Fault) -> dict[str, object]:
    return {
        "class": fault.cls,
        "message": fault.message,
        "language": fault.language,
        "relation": fault.relation,
        "parent": fault.parent,
        "frames": [[frame.path, frame.line, frame.function] for frame in fault.frames],
    }


def check(lines: Sequence[Line], faults: Sequence[Fault]) -> None:
    """What every caller may rely on."""
    for place, fault in enumerate(faults):
        assert 0 <= fault.first <= fault.last < len(lines)
        if fault.parent is not None:
            assert 0 <= fault.parent < len(faults)
            assert fault.parent != place
            assert fault.relation
        assert all(0 <= frame.at < len(lines) for frame in fault.frames)
        assert (fault.message_line == -1) == (fault.message == "")
        for offset, part in enumerate(fault.message.split("\n") if fault.message else []):
            text = lines[fault.message_line + offset].text
            assert text[fault.message_column if not offset else 0 :].startswith(part)
        assert fault.message_last == fault.message_line + fault.message.count("\n")


@pytest.mark.parametrize("path", OWN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trace_is_read_as_its_fixture_says(path: Path) -> None:
    lines = lines_of(path.read_text("utf-8"))
    faults = FINDERS[path.parent.name](lines)
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))["faults"]
    assert expected
    assert [as_written(fault) for fault in faults] == expected
    check(lines, faults)


@pytest.mark.parametrize("language", FINDERS)
def test_every_language_has_five_traces(language: str) -> None:
    assert len([path for path in OWN if path.parent.name == language]) >= 5


@pytest.mark.parametrize("path", [*OWN, *OTHERS], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_parser_leaves_other_languages_alone(path: Path) -> None:
    lines = lines_of(path.read_text("utf-8"))
    own = FINDERS.get(path.parent.name)
    for finder in {find for find in FINDERS.values() if find is not own}:
        assert finder(lines) == []


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_order_of_lines_gives_sound_faults(texts: list[str]) -> None:
    lines = lines_of("\n".join(texts))
    for finder in set(FINDERS.values()):
        check(lines, finder(lines))


@given(st.lists(st.text(alphabet="aE:(){}[]@ .>-\t/1Ωx\x00\ud800", max_size=60), max_size=20))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_sound_faults(texts: list[str]) -> None:
    lines = [Line(text=text, start=0) for text in texts]
    for finder in set(FINDERS.values()):
        check(lines, finder(lines))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 65_536,
        "at " * 20_000,
        "[" * 65_536,
        ": " * 30_000,
        "---> aException  b" * 4_000,
        "nested exception is a.BException: " * 2_000,
        "Error: x" + " at f (a.js:1:2)" * 4_000,
        "Error: a\n at f (a.js:1:2) {\n [cause]: Error: b\n" * 1_500,
        "\tSuppressed: a.BException: c\n\t\tat a.b(C.java:1)\n" * 1_500,
        "panic: a\n" * 6_000,
        "panic: x\n\ngoroutine 1 [running]:\n" + "panic()\n\t/a/b.go:1 +0x1\n" * 3_000,
        "System.AException: b\n ---> C.DException: x\n" * 1_500,
    ],
    ids=lambda text: text[:20],
)
def test_hostile_text_costs_little(text: str) -> None:
    lines = lines_of(text)
    began = time.process_time()
    for finder in set(FINDERS.values()):
        finder(lines)
    assert time.process_time() - began < 2
