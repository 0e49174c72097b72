"""Stack traces of the JVM: frames, heads, chains, and the language that raised."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault, Line
from kb.matching.traces.jvm import find
from kb.matching.traces.jvm_lines import frame_in

FRAME = "\tat org.example.Tool.run(Tool.java:7)"


def faults(text: str) -> list[Fault]:
    return find([Line(text=line, start=0) for line in text.split("\n")])


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    ("text", "path", "line", "function"),
    [
        (FRAME, "org/example/Tool.java", 7, "org.example.Tool.run"),
        ("at org.example.Tool.run(Tool.java:7)", "org/example/Tool.java", 7, "org.example.Tool.run"),
        ("\tat Tool.run(Tool.java:7)", "Tool.java", 7, "Tool.run"),
        ("\tat org.example.Tool.run(Tool.java)", "org/example/Tool.java", None, "org.example.Tool.run"),
        ("\tat org.example.Tool.run(Native Method)", "", None, "org.example.Tool.run"),
        ("\tat org.example.Tool.run(Unknown Source:12)", "", None, "org.example.Tool.run"),
        ("\tat java.base/java.lang.Thread.run(Thread.java:840)", "java/lang/Thread.java", 840, "java.lang.Thread.run"),
        (
            "\tat java.base@17.0.1/java.lang.Thread.run(Thread.java:1)",
            "java/lang/Thread.java",
            1,
            "java.lang.Thread.run",
        ),
        ("\tat app//org.example.Tool.run(Tool.java:7)", "org/example/Tool.java", 7, "org.example.Tool.run"),
        ("\tat x.Tool.run(Tool.java:7) ~[tool-1.2.jar!/:1.2]", "x/Tool.java", 7, "x.Tool.run"),
        ("\tat x.Tool.run(Tool.java:7) [classes/:na]", "x/Tool.java", 7, "x.Tool.run"),
        ("\tat x.Tool$Inner$1.run(Tool.java:7)", "x/Tool.java", 7, "x.Tool$Inner$1.run"),
        ("\tat x.Tool.<init>(Tool.java:7)", "x/Tool.java", 7, "x.Tool.<init>"),
        (
            "\tat x.Tool$$Lambda$14/0x0000000800066840.run(Unknown Source)",
            "",
            None,
            "x.Tool$$Lambda$14/0x0000000800066840.run",
        ),
        ("\tat x.ToolKt.main(Tool.kt:7)", "x/Tool.kt", 7, "x.ToolKt.main"),
        ("\tat x.Tool$.main(Tool.scala:7)", "x/Tool.scala", 7, "x.Tool$.main"),
        ("\tat clojure.core$eval.invoke(core.clj:7)", "clojure/core.clj", 7, "clojure.core$eval.invoke"),
    ],
)
def test_a_frame(text: str, path: str, line: int | None, function: str) -> None:
    frame = frame_in(text, 3)
    assert frame is not None
    assert (frame.path, frame.line, frame.function, frame.at) == (path, line, function, 3)


@pytest.mark.parametrize(
    "text",
    [
        "    at Object.run (/app/tool.java:7:1)",
        "   at Example.Tool.Run(String a)",
        "   at Example.Tool.Run(String a) in /app/Tool.cs:line 12",
        "at noon (about 12:30)",
        "\tat ",
        "\tat run(Tool.java:7)",
    ],
)
def test_what_is_no_frame(text: str) -> None:
    assert frame_in(text, 0) is None


@pytest.mark.parametrize(
    ("head", "cls", "message"),
    [
        ("java.lang.IllegalStateException: a: b", "java.lang.IllegalStateException", "a: b"),
        ("java.lang.NullPointerException", "java.lang.NullPointerException", ""),
        ("java.lang.NullPointerException: ", "java.lang.NullPointerException", ""),
        ('Exception in thread "main" java.lang.Error: a', "java.lang.Error", "a"),
        ('Exception in thread "pool 1 thread 2" x.ToolException: a', "x.ToolException", "a"),
        ("ToolException: a", "ToolException", "a"),
        ("org.example.Outer$ToolException: a", "org.example.Outer$ToolException", "a"),
        ("ERROR o.e.Tool - job failed: java.io.IOException: a", "java.io.IOException", "a"),
        ("something went wrong", "", "something went wrong"),
    ],
)
def test_a_head_above_a_stack(head: str, cls: str, message: str) -> None:
    fault = only(f"{head}\n{FRAME}\n{FRAME}")
    assert (fault.cls, fault.message, len(fault.frames), fault.last) == (cls, message, 2, 2)


def test_a_suppressed_exception_and_its_cause_belong_to_the_outer_one() -> None:
    text = (
        f"a.AException: a\n{FRAME}\n\tSuppressed: b.BException: b\n\t{FRAME}\n\tCaused by: c.CException: c\n\t{FRAME}\n"
        f"\t\t... 1 more\n\tSuppressed: d.DException\n\t{FRAME}\nCaused by: e.EException: e\n{FRAME}\n\t... 2 more"
    )
    found = faults(text)
    assert [(fault.cls[0], fault.parent, fault.relation) for fault in found] == [
        ("a", None, ""),
        ("b", 0, "suppressed"),
        ("c", 1, "cause"),
        ("d", 0, "suppressed"),
        ("e", 0, "cause"),
    ]
    assert [(fault.first, fault.last) for fault in found] == [(0, 1), (2, 3), (4, 6), (7, 8), (9, 11)]


def test_a_chain_is_kept_when_indentation_is_lost() -> None:
    frame = FRAME.strip()
    found = faults(f"a.AException: a\n{frame}\nCaused by: b.BException: b\n{frame}\nCaused by: c.CException\n{frame}")
    assert [(fault.parent, fault.relation) for fault in found] == [(None, ""), (0, "cause"), (1, "cause")]


def test_a_chain_may_be_told_from_its_root() -> None:
    root, wrapper = faults(f"a.AException: a\n{FRAME}\nWrapped by: b.BException: b\n{FRAME}")
    assert (root.parent, root.relation, wrapper.parent, wrapper.relation) == (1, "cause", None, "")


def test_a_cause_without_its_wrapper_stands_for_itself() -> None:
    fault = only(f"\t... 3 more\nCaused by: a.AException: a\n{FRAME}")
    assert (fault.cls, fault.parent, fault.relation) == ("a.AException", None, "")


def test_causes_quoted_in_the_message_are_faults_too() -> None:
    text = f"a.AException: a; nested exception is b.BException: b; nested exception is c.CException: c\n{FRAME}"
    outer, middle, inner = faults(text)
    assert outer.message.startswith("a; nested")
    assert (middle.cls, middle.parent, middle.relation) == ("b.BException", 0, "wrapped")
    assert (inner.cls, inner.message, inner.parent) == ("c.CException", "c", 1)
    assert text[inner.message_column :].startswith("c\n")


def test_a_quoted_cause_that_is_told_again_counts_once() -> None:
    outer, cause = faults(f"a.AException: b.BException: b\n{FRAME}\nCaused by: b.BException: b\n{FRAME}")
    assert (cause.parent, cause.relation, cause.first) == (0, "cause", 2)
    assert outer.message == "b.BException: b"


def test_a_message_may_have_blank_and_indented_lines() -> None:
    fault = only(f"a.AException: one\n  two\n  c.CException: quoted\n\nthree\n{FRAME}")
    assert fault.message == "one\n  two\n  c.CException: quoted\n\nthree"
    assert (fault.message_line, fault.message_column, fault.message_last) == (0, 14, 4)


def test_the_nearest_head_owns_the_stack() -> None:
    found = faults(f"java.io.IOException: first\nINFO o.e.Tool: retry\njava.io.EOFException: second\n{FRAME}")
    assert [(fault.message, len(fault.frames)) for fault in found] == [("first", 0), ("second", 1)]


def test_marked_and_well_known_heads_need_no_stack() -> None:
    assert only("java.lang.OutOfMemoryError: Java heap space").message == "Java heap space"
    assert only("Caused by: org.example.ToolException: a").cls == "org.example.ToolException"


def test_a_stack_on_one_line_is_read() -> None:
    fault = only("a.AException: look at this at x.Tool.run(Tool.java:7) at x.Main.main(Main.java:3)")
    assert fault.message == "look at this"
    assert [frame.path for frame in fault.frames] == ["x/Tool.java", "x/Main.java"]


def test_a_cut_top_leaves_the_frames() -> None:
    fault = only(f"{FRAME}\n{FRAME}\n\t... 2 more")
    assert (fault.kind, fault.cls, len(fault.frames), fault.last) == ("cut", "", 2, 2)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (f"a.AException: a\n{FRAME}", "Java"),
        ("a.AException: a\n\tat x.Tool.run(Tool.kt:7)", "Kotlin"),
        ("a.AException: a\n\tat java.lang.Integer.parse(Integer.java:1)\n\tat x.Tool.run(Tool.scala:7)", "Scala"),
        (f"a.AException: a\n{FRAME}\n\tat x.Tool.run(Tool.kt:7)", "Java"),
        ("scala.MatchError: a\n\tat x.Tool.run(Unknown Source)", "Scala"),
        ("kotlin.KotlinNullPointerException", "Kotlin"),
        ("it broke\n\tat x.Tool.run(Tool.kt:7)", "Kotlin"),
    ],
)
def test_the_language_is_that_of_the_code_that_raised(text: str, language: str) -> None:
    assert only(text).language == language


@pytest.mark.parametrize(
    "text",
    [
        "requests.exceptions.ConnectionError: a",
        "TypeError: a",
        "o.e.Tool: started",
        "Caused by:\n    0: a",
        "ToolException: a",
    ],
)
def test_a_line_that_other_languages_print_too_is_left(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "language", "path", "line", "message"),
    [
        ("src/org/example/Tool.java:12: error: cannot find symbol", "Java", "src/org/example/Tool.java", 12, None),
        ("[ERROR] /app/src/Tool.java:[12,5] cannot find symbol", "Java", "/app/src/Tool.java", 12, None),
        ("/app/src/Tool.java:[12,5] cannot find symbol", "Java", "/app/src/Tool.java", 12, None),
        ("e: file:///app/Tool.kt:12:5 cannot find symbol", "Kotlin", "/app/Tool.kt", 12, None),
        ("e: /app/Tool.kt: (12, 5): cannot find symbol", "Kotlin", "/app/Tool.kt", 12, None),
        ("[error] /app/Tool.scala:12:5: cannot find symbol", "Scala", "/app/Tool.scala", 12, None),
        ("[error] Tool.scala:12: error: a: b", "Scala", "Tool.scala", 12, "a: b"),
    ],
)
def test_errors_of_compilers(text: str, language: str, path: str, line: int, message: str | None) -> None:
    fault = only(text)
    assert (fault.language, fault.frames[0].path, fault.frames[0].line) == (language, path, line)
    assert fault.message == (message or "cannot find symbol")


@pytest.mark.parametrize(
    "text",
    [
        "Tool.java:12: warning: unused",
        "[ERROR] Tool.java:[12,5] warning: x",
        "see Tool.java:12",
        "Tool.java:x: error: a",
        "e: a.kt:",
    ],
)
def test_what_is_no_compiler_error(text: str) -> None:
    assert faults(text) == []
