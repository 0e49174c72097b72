"""What holds for the parsers of Rust, Ruby, PHP, C and C++ alike: fixtures, offsets, foreign texts, cost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.matching.reading.document import read
from kb.matching.shapes import Fault, Line
from kb.matching.traces import native, php, ruby, rust
from kb.matching.traces.parse import parse
from tests.matching.test_trace_parsers import TRACES, as_written, check, lines_of

FINDERS: dict[str, Callable[[Sequence[Line]], list[Fault]]] = {
    "rust": rust.find,
    "ruby": ruby.find,
    "php": php.find,
    "cpp": native.find,
    "c": native.find,
}
OWN = sorted(path for language in FINDERS for path in (TRACES / language).glob("*.txt"))
ALL = sorted(TRACES.glob("*/*.txt"))
PLAIN = sorted((TRACES / "other").glob("*.txt"))
FRAGMENTS = [
    "thread 'main' panicked at 'first",
    "second', src/main.rs:3:4",
    "thread 'main' panicked at src/main.rs:3:4:",
    "stack backtrace:",
    "   0: core::panicking::panic",
    "             at ./src/main.rs:3:4",
    "note: run with `RUST_BACKTRACE=1`",
    'called `Result::unwrap()` on an `Err` value: Os { code: 2, message: "no file" }',
    "Error: outer",
    "Error: ",
    "Caused by:",
    "    0: inner",
    "    deeper",
    "Location:",
    "error[E0382]: moved",
    "  --> src/main.rs:3:4",
    "3 |     let a = b;",
    "  |             ^",
    "a.rb:1:in `f': said (ToolError)",
    "a.rb:2:in 'Tool#g': (ToolError)",
    "\tfrom a.rb:3:in `h'",
    "\t1: from a.rb:4:in `i'",
    "a.rb:5:in `j'",
    "ToolError (said):",
    "WARN: ToolError: said",
    "a.rb:6: syntax error, unexpected end",
    "Did you mean?  f",
    "#<Thread:0x1 run> terminated with exception:",
    "PHP Fatal error:  Uncaught Tool\\Failed: said in /a/b.php:3",
    "Stack trace:",
    "#0 /a/c.php(4): f()",
    "#1 {main}",
    "Next Failed: again in /a/b.php:5",
    "  thrown in /a/b.php on line 5",
    "PHP Warning:  said in /a/b.php on line 6",
    "In Reader.php line 7:",
    "  [Tool\\Failed]",
    "/a/b.php:8",
    "  at a/b.php:9",
    "[stacktrace]",
    '{"exception":"[object] (Failed(code: 0): said at /a/b.php:1)',
    "terminate called after throwing an instance of 'Failed'",
    "  what():  said",
    "==1==ERROR: AddressSanitizer: overflow",
    "    #0 0x1 in f(int) /a/b.cpp:3",
    "SUMMARY: AddressSanitizer: overflow",
    "==1==ABORTING",
    "b.c:3:4: runtime error: said",
    "b.c: In function 'f':",
    "b.c:3:4: error: said [-Werror=x]",
    "b.c:3:4: note: said",
    "b.cpp(3,4): error C2065: said [b.vcxproj]",
    "/usr/bin/ld: b.o: in function `f':",
    "b.c:(.text+0x1): undefined reference to `f'",
    "a: b.c:3: f: Assertion `x' failed.",
    "Assertion failed: (x), function f, file b.c, line 3.",
    "CMake Error at CMakeLists.txt:3 (f):",
    "  said",
    "Segmentation fault (core dumped)",
    "free(): invalid pointer",
    "just a line",
    "",
]


@pytest.mark.parametrize("path", OWN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trace_is_read_as_its_fixture_says(path: Path) -> None:
    lines = lines_of(path.read_text("utf-8"))
    faults = FINDERS[path.parent.name](lines)
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))["faults"]
    assert expected
    assert [as_written(fault) for fault in faults] == expected
    check(lines, faults)


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_text_of_no_language_is_read_as_its_fixture_says(path: Path) -> None:
    faults = parse(read(path.read_text("utf-8")).lines)
    assert [as_written(fault) for fault in faults] == json.loads(path.with_suffix(".json").read_text("utf-8"))["faults"]


@pytest.mark.parametrize("language", [*FINDERS, "other"])
def test_every_language_has_five_traces(language: str) -> None:
    assert len(list((TRACES / language).glob("*.txt"))) >= 5


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_parser_leaves_other_languages_alone(path: Path) -> None:
    lines = lines_of(path.read_text("utf-8"))
    own = FINDERS.get(path.parent.name)
    for finder in {find for find in FINDERS.values() if find is not own}:
        assert finder(lines) == []


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30))
@settings(max_examples=400, deadline=None)
def test_any_order_of_lines_gives_sound_faults(texts: list[str]) -> None:
    lines = lines_of("\n".join(texts))
    for finder in set(FINDERS.values()):
        check(lines, finder(lines))


@given(st.lists(st.text(alphabet="aE:(){}[]#>.'`-\t/1Ωx\x00\ud800", max_size=60), max_size=20))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_sound_faults(texts: list[str]) -> None:
    lines = [Line(text=text, start=0) for text in texts]
    for finder in set(FINDERS.values()):
        check(lines, finder(lines))


@pytest.mark.parametrize("fragment", [*FRAGMENTS, "panicked at ':in `'.php: on line : error: Sanitizer: (core"])
def test_a_line_many_times_costs_little(fragment: str) -> None:
    cost(f"{fragment}\n" * (131_072 // (len(fragment) + 1)))


@pytest.mark.parametrize("fragment", [*FRAGMENTS, "a", ":", "(", " in ", "Next ", ": error: ", ".php:1 ", ":in `a"])
def test_a_line_without_end_costs_little(fragment: str) -> None:
    cost(fragment * (131_072 // (len(fragment) + 1)))


def cost(text: str) -> None:
    lines = lines_of(text)
    began = time.process_time()
    for finder in set(FINDERS.values()):
        finder(lines)
    assert time.process_time() - began < 1
