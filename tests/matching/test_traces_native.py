"""C and C++: programs that end, reports of sanitizers, and the errors of compilers and linkers."""

from __future__ import annotations

import pytest

from kb.matching.shapes import Fault, Line
from kb.matching.traces.native import find
from tests.matching.test_trace_parsers import lines_of


def faults(text: str) -> list[Fault]:
    return find(lines_of(text))


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        ("terminate called after throwing an instance of 'a::Failed'\n  what():  said", "a::Failed", "said"),
        ("terminate called after throwing an instance of 'Failed'\n  what():  one\ntwo\nAborted (core dumped)",
         "Failed", "one\ntwo"),
        ("terminate called after throwing an instance of 'int'\nAborted", "int", ""),
        ("terminate called without an active exception", "", "terminate called without an active exception"),
        ("libc++abi: terminating due to uncaught exception of type a::Failed: said", "a::Failed", "said"),
        ("libc++abi.dylib: terminating with uncaught exception of type Failed: said", "Failed", "said"),
        ("==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1", "AddressSanitizer",
         "heap-use-after-free on address 0x1"),
        ("WARNING: ThreadSanitizer: data race (pid=1)", "ThreadSanitizer", "data race (pid=1)"),
        ("free(): double free detected in tcache 2\nAborted", "", "free(): double free detected in tcache 2"),
        ("*** stack smashing detected ***: terminated", "", "*** stack smashing detected ***: terminated"),
        ("*** Error in `./a': double free or corruption (top): 0x1", "", "double free or corruption (top): 0x1"),
        ("Segmentation fault (core dumped)", "", "Segmentation fault"),
        ("bash: line 1: 17395 Segmentation fault      ./a", "", "Segmentation fault"),
        ("./run.sh: line 3: 12 Illegal instruction     (core dumped) ./a", "", "Illegal instruction"),
        ("CMake Error at CMakeLists.txt:3 (find_package):\n  one\n  two\n\n  three\n\n-- done", "",
         "one\n  two\n\n  three"),
    ],
)  # fmt: skip
def test_class_and_message(text: str, cls: str, message: str) -> None:
    fault = only(text)
    assert (fault.cls, fault.message) == (cls, message)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a.cpp:3:5: error: no such thing", "no such thing", ("C++", "a.cpp", 3, "")),
        ("a.c:3: fatal error: x.h: No such file or directory", "x.h: No such file or directory", ("C", "a.c", 3, "")),
        ("C:\\a\\b.cpp:3:5: error: no such thing [-Werror=x]", "no such thing", ("C++", "C:\\a\\b.cpp", 3, "")),
        ("a.c: In function 'f':\na.c:3:5: error: said", "said", ("C", "a.c", 3, "f")),
        ("a.cpp(3,5): error C2065: 'x': undeclared [a.vcxproj]", "'x': undeclared", ("C++", "a.cpp", 3, "")),
        ("1>a.cpp(3): fatal error C1083: Cannot open", "Cannot open", ("C++", "a.cpp", 3, "")),
        ("a.cpp:3:5: runtime error: shift exponent 40 is too large", "shift exponent 40 is too large",
         ("C++", "a.cpp", 3, "")),
        ("tool: a.c:3: f: Assertion `x' failed.", "Assertion `x' failed.", ("C", "a.c", 3, "f")),
        ("tool: a.cpp:3: int n::f(int): Assertion `x' failed.", "Assertion `x' failed.",
         ("C++", "a.cpp", 3, "int n::f(int)")),
        ("Assertion failed: (x), function f, file a.c, line 3.", "Assertion failed: (x)", ("C", "a.c", 3, "f")),
        ("Assertion failed: x, file a.cpp, line 3", "Assertion failed: x", ("C++", "a.cpp", 3, "")),
        ("F0501 10:00:00.1 12 a.cc:3] Check failed: x == 2", "Check failed: x == 2", ("C++", "a.cc", 3, "")),
        ("a.cpp:3: undefined reference to `n::f(int)'", "undefined reference to `n::f(int)'", ("C++", "a.cpp", 3, "")),
        ("x.o: in function `main':\na.c:(.text+0xf): undefined reference to `f'", "undefined reference to `f'",
         ("C", "a.c", None, "main")),
    ],
)  # fmt: skip
def test_message_and_place(text: str, message: str, place: tuple[str, str, int | None, str]) -> None:
    fault = only(text)
    frame = fault.frames[0]
    assert (fault.message, (fault.language, frame.path, frame.line, frame.function)) == (message, place)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a.obj : error LNK2019: unresolved external symbol x", "LNK2019"),
        ("LINK : fatal error LNK1104: cannot open file 'z.lib'", "LNK1104"),
        ("a.cpp(3): error C2065: said", "C2065"),
    ],
)
def test_the_code_of_an_error(text: str, code: str) -> None:
    assert only(text).codes == (code,)


def test_a_place_taken_for_the_prefix_of_a_log_is_found_all_the_same() -> None:
    (fault,) = find([Line(text="Check failed: x", start=0, removed="F0501 10:00:00.1 12 a.cc:3] ")])
    assert (fault.message, fault.message_column, fault.frames[0].path) == ("Check failed: x", 0, "a.cc")


def test_a_report_ends_with_its_summary_and_has_the_frames_of_its_first_stack() -> None:
    fault = only(
        "=====\n==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nREAD of size 4\n"
        "    #0 0x1 in f(int const*, int) /a/b.c:2:3\n    #1 0x2 in main /a/b.c:5\n    #2 0x3 in _start (/a/b+0x1)\n\n"
        "allocated here:\n    #0 0x1 in malloc /x/compiler-rt/m.cc:9\n    #1 0x4 in g /a/b.c:7\n\n"
        "SUMMARY: AddressSanitizer: heap-buffer-overflow\nShadow bytes\n  00 00\n==1==ABORTING\nmake: said"
    )
    assert [(frame.line, frame.function) for frame in fault.frames] == [(2, "f(int const*, int)"), (5, "main")]
    assert (fault.language, fault.first, fault.last) == ("C", 0, 14)


def test_the_source_shown_below_an_error_is_quoted() -> None:
    listed = only(
        "a.c:3:5: error: said\n    3 |   f(x);\n      |   ^\na.c:3:5: note: more\n    3 |   f(x);\n      |   ^"
    )
    bare = only("a.c:3:5: error: said\n  f(x);\n  ^~")
    assert listed.quoted == bare.quoted == "f(x);"
    assert (listed.last, bare.last) == (5, 2)


def test_what_a_shell_adds_belongs_to_the_fault_above() -> None:
    assert only("a: a.c:3: f: Assertion `x' failed.\nAborted (core dumped)").last == 1
    assert only("==1==ERROR: LeakSanitizer: detected memory leaks\nSegmentation fault").last == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.rs:3:5: error: said",
        "A.java:3: error: cannot find symbol",
        "panic: runtime error: index out of range [5]",
        "Fatal Python error: Segmentation fault",
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1:\nSegmentation fault (core dumped)",
        "Program.cs(3,5): error CS0103: The name",
        "the Assertion `x' failed in prose",
        "a segmentation fault is a fault",
        "error: something",
    ],
)
def test_nothing_native(text: str) -> None:
    assert faults(text) == []
