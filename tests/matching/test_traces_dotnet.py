"""Exceptions of .NET and Mono: frames in several languages, inner exceptions, groups, the compiler."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault, Line
from kb.matching.traces.dotnet import find
from kb.matching.traces.dotnet_lines import frame_in

FRAME = "   at Example.Tool.Run(String a) in /app/Tool.cs:line 7"
END = "   --- End of inner exception stack trace ---"


def faults(text: str) -> list[Fault]:
    return find([Line(text=line, start=0) for line in text.split("\n")])


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    ("text", "path", "line", "function"),
    [
        (FRAME, "/app/Tool.cs", 7, "Example.Tool.Run"),
        (r"   at Example.Tool.Run() in C:\my app\Tool.cs:line 7", r"C:\my app\Tool.cs", 7, "Example.Tool.Run"),
        ("   at Example.Tool.Run(String a, Int32 b)", "", None, "Example.Tool.Run"),
        ("   at Example.Tool.Run()", "", None, "Example.Tool.Run"),
        ("at Example.Tool.Run()", "", None, "Example.Tool.Run"),
        ("   at Example.Tool.Run[T](T a)", "", None, "Example.Tool.Run[T]"),
        ("   at Example.Tool.<>c.<Main>b__0_1() in /a.cs:line 7", "/a.cs", 7, "Example.Tool.<>c.<Main>b__0_1"),
        ("   at Example.Tool.<RunAsync>d__4.MoveNext() in /a.cs:line 7", "/a.cs", 7, "Example.Tool.RunAsync"),
        ("   at lambda_method3(Closure , Object )", "", None, "lambda_method3"),
        ("   at Example.Tool.Run()<---", "", None, "Example.Tool.Run"),
        ("  at Example.Tool.Run (System.String a) [0x00003] in /app/Tool.cs:7 ", "/app/Tool.cs", 7, "Example.Tool.Run"),
        ("  at Example.Tool.Run () [0x00003] in <12b418>:0 ", "", None, "Example.Tool.Run"),
        ("Example.Tool.Run () (at Assets/Tool.cs:7)", "Assets/Tool.cs", 7, "Example.Tool.Run"),
        (r"   bei Example.Tool.Run(String a) in C:\a.cs:Zeile 7.", r"C:\a.cs", 7, "Example.Tool.Run"),
        (r"   à Example.Tool.Run(String a) dans C:\a.cs:ligne 7", r"C:\a.cs", 7, "Example.Tool.Run"),
        (r"   在 Example.Tool.Run(String a) 位置 C:\a.cs:行号 7", r"C:\a.cs", 7, "Example.Tool.Run"),
    ],
)
def test_a_frame(text: str, path: str, line: int | None, function: str) -> None:
    frame = frame_in(text, 3)
    assert frame is not None
    assert (frame.path, frame.line, frame.function, frame.at) == (path, line, function, 3)


@pytest.mark.parametrize(
    "text",
    [
        "\tat org.example.Tool.run(Tool.java:7)",
        "\tat org.example.Tool.run(Unknown Source)",
        "\tat org.example.Tool.run(Native Method)",
        "    at Object.run (/app/x.js:1:2)",
        "    at run (/app/x.js:1:2)",
        "at noon (or later)",
        "at last()",
        "at Example.Tool.Run(a tool:7)",
        "in the end (see x.cs)",
    ],
)
def test_what_is_no_frame(text: str) -> None:
    assert frame_in(text, 0) is None


@pytest.mark.parametrize(
    ("head", "cls", "message", "codes"),
    [
        ("System.FormatException: a: b", "System.FormatException", "a: b", ()),
        ("Unhandled exception. System.FormatException: a", "System.FormatException", "a", ()),
        ("Unhandled Exception: System.FormatException: a", "System.FormatException", "a", ()),
        ("Exception Info: System.FormatException: a", "System.FormatException", "a", ()),
        ("ToolException: a", "ToolException", "a", ()),
        ("Example.Tool+InnerException: a", "Example.Tool+InnerException", "a", ()),
        ("Example.ToolException`1[System.Int32]: a", "", "Example.ToolException`1[System.Int32]: a", ()),
        ("Example.SqlException (0x80131904): a", "Example.SqlException", "a", ("0x80131904",)),
        ("System.Net.Sockets.SocketException (111): a", "System.Net.Sockets.SocketException", "a", ("111",)),
        ("System.Exception", "System.Exception", "", ()),
        ("[ERR] job failed System.FormatException: a", "System.FormatException", "a", ()),
        ("it broke", "", "it broke", ()),
    ],
)
def test_a_head_above_a_stack(head: str, cls: str, message: str, codes: tuple[str, ...]) -> None:
    fault = only(f"{head}\n{FRAME}\n{FRAME}")
    assert (fault.cls, fault.message, fault.codes, len(fault.frames)) == (cls, message, codes, 2)


@pytest.mark.parametrize("arrow", ["\n ---> ", " ---> "])
def test_the_frames_behind_the_end_of_an_inner_exception_are_its_wrappers(arrow: str) -> None:
    inner_frame = FRAME.replace("7", "1")
    heads = f"A.OuterException: a{arrow}B.MiddleException: b{arrow}C.InnerException: c"
    text = f"{heads}\n{inner_frame}\n{END}\n{FRAME}\n{END}\n{FRAME}"
    outer, middle, inner = faults(text)
    assert [(fault.cls, fault.message) for fault in (outer, middle, inner)] == [
        ("A.OuterException", "a"),
        ("B.MiddleException", "b"),
        ("C.InnerException", "c"),
    ]
    assert (middle.parent, middle.relation, inner.parent, inner.relation) == (0, "cause", 1, "cause")
    assert [fault.frames[0].line for fault in (outer, middle, inner)] == [7, 7, 1]
    assert outer.last == text.count("\n")


def test_the_members_of_a_group_name_it() -> None:
    text = (
        f"System.AggregateException: two (b) (c)\n ---> B.BException: b\n{FRAME}\n{END}\n{FRAME}\n"
        f" ---> (Inner Exception #0) B.BException: b\n{FRAME}<---\n\n"
        f" ---> (Inner Exception #1) C.CException: c\n{FRAME}<---\n"
    )
    group, first, second = faults(text)
    assert [(fault.cls, fault.parent, fault.relation) for fault in (group, first, second)] == [
        ("System.AggregateException", None, ""),
        ("B.BException", 0, "cause"),
        ("C.CException", 0, "member"),
    ]


@pytest.mark.parametrize("close", ["<---", ""])
def test_a_group_without_marks_at_the_end_of_its_members_still_owns_them(close: str) -> None:
    found = faults(
        f"System.AggregateException: two\n{FRAME}\n ---> (Inner Exception #0) B.BException: b\n{FRAME}{close}\n"
        f" ---> (Inner Exception #1) C.CException: c\n{FRAME}{close}"
    )
    assert [(fault.parent, fault.relation) for fault in found] == [(None, ""), (0, "member"), (0, "member")]


def test_a_group_in_a_group_ends_with_its_mark() -> None:
    found = faults(
        f"System.AggregateException: outer\n{FRAME}\n"
        f" ---> (Inner Exception #0) System.AggregateException: inner\n{FRAME}\n"
        f" ---> (Inner Exception #0) B.BException: b\n{FRAME}<---\n<---\n"
        f" ---> (Inner Exception #1) C.CException: c\n{FRAME}<---"
    )
    assert [fault.parent for fault in found] == [None, 0, 1, 0]


def test_a_message_may_have_more_lines() -> None:
    fault = only(f"System.FormatException: one\n  two\n\nthree\n{FRAME}")
    assert fault.message == "one\n  two\n\nthree"
    assert (fault.message_line, fault.message_column, fault.message_last) == (0, 24, 3)


def test_an_async_boundary_does_not_end_a_stack() -> None:
    fault = only(f"A.AException: a\n{FRAME}\n--- End of stack trace from previous location ---\n{FRAME}")
    assert len(fault.frames) == 2


def test_a_report_that_mono_prints_twice_counts_once() -> None:
    fault = only(
        f"Unhandled Exception:\nA.AException: a\n{FRAME}\n[ERROR] FATAL UNHANDLED EXCEPTION: A.AException: a\n{FRAME}"
    )
    assert (fault.cls, fault.first, fault.last) == ("A.AException", 1, 4)


def test_a_cut_top_leaves_inner_exception_and_frames() -> None:
    inner, outer = faults(f"{FRAME}\n{END}\n{FRAME}")
    assert (inner.kind, inner.parent, inner.relation, len(inner.frames)) == ("cut", 1, "cause", 1)
    assert (outer.kind, outer.parent, len(outer.frames)) == ("cut", None, 1)


def test_well_known_heads_need_no_stack() -> None:
    assert only("System.IO.IOException: disk full\nmore").message == "disk full"
    assert only("Unhandled exception. Example.ToolException: a").cls == "Example.ToolException"


@pytest.mark.parametrize(
    "text",
    [
        "ToolException: a",
        "org.example.ToolException: a",
        "TypeError: a",
        "a ---> b",
        "x.ts(3,4): error TS2345: a",
        ": error X",
    ],
)
def test_a_line_that_other_languages_print_too_is_left(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "code", "message", "path", "line"),
    [
        ("Tool.cs(3,4): error CS0103: no such name [/app/tool.csproj]", "CS0103", "no such name", "Tool.cs", 3),
        ("/app/tool.csproj : error NU1101: no such package", "NU1101", "no such package", "/app/tool.csproj", None),
        ("MSBUILD : error MSB1009: no such project [x]", "MSB1009", "no such project [x]", None, None),
    ],
)
def test_errors_of_the_compiler(text: str, code: str, message: str, path: str | None, line: int | None) -> None:
    fault = only(text)
    assert (fault.codes, fault.message) == ((code,), message)
    assert [(frame.path, frame.line) for frame in fault.frames] == ([(path, line)] if path else [])
