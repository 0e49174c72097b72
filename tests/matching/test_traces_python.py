"""Python traces: layouts, chains, groups, messages of many lines, cut ends."""

from __future__ import annotations

import pytest

from kb.matching.reading.document import read
from kb.matching.shapes import Fault
from kb.matching.traces.parse import parse
from kb.matching.traces.python import find
from kb.matching.traces.python_frames import frame_in, gutter_of, is_bar
from kb.matching.traces.python_heads import error_line, raised_class

HEADER = "Traceback (most recent call last):\n"
FRAME = '  File "/srv/shop/stock.py", line 7, in take\n    raise OutOfStock(name)\n'


def faults(text: str) -> tuple[Fault, ...]:
    return parse(read(text).lines)


def only(text: str) -> Fault:
    (fault,) = faults(text)
    return fault


def of_python(text: str) -> list[Fault]:
    return [fault for fault in faults(text) if fault.language == "Python"]


@pytest.mark.parametrize(
    ("text", "path", "line", "function"),
    [
        ('  File "/a/b.py", line 3, in f', "/a/b.py", 3, "f"),
        ('File "/a/b.py", line 3, in <module>', "/a/b.py", 3, "<module>"),
        ('  File "<string>", line 1, in <listcomp>', "<string>", 1, "<listcomp>"),
        ('    File "/a/b.py", line 3', "/a/b.py", 3, ""),
        ('  File "/a/b.py", line 3 in f', "/a/b.py", 3, "f"),
        ('- File "/a/b.py", line 3, in f', "/a/b.py", 3, "f"),
        ('...site-packages/a/b.py", line 3, in f', "site-packages/a/b.py", 3, "f"),
        ('b\\Lib\\site-packages\\a\\b.py", line 3, in f', "b\\Lib\\site-packages\\a\\b.py", 3, "f"),
        ("File ~\\a\\b.py:3, in A.f(self, x)", "~\\a\\b.py", 3, "A.f"),
        ("File a/index.pyx:76, in a.Index.get()", "a/index.pyx", 76, "a.Index.get"),
        ("Cell In[3], line 5", "Cell In[3]", 5, ""),
        ("Cell In[3], line 5, in f(x)", "Cell In[3]", 5, "f"),
        ("Input In [3], in <cell line: 1>()", "Input In [3]", None, "<cell line: 1>"),
        ("<ipython-input-2-0a> in <module>", "<ipython-input-2-0a>", None, "<module>"),
        ("[/a/b.py](https://localhost:8080/#) in f(x, y)", "/a/b.py", None, "f"),
        ("~/a/b.py in f(x, y)", "~/a/b.py", None, "f"),
        ("/a/b.py:12 in <module>", "/a/b.py", 12, "<module>"),
        ("C:\\a\\b.py:12 in f", "C:\\a\\b.py", 12, "f"),
        ("tests/test_b.py:12: in test_f", "tests/test_b.py", 12, "test_f"),
    ],
)
def test_a_frame(text: str, path: str, line: int | None, function: str) -> None:
    found = frame_in(text)
    assert found is not None
    assert (found.path, found.line, found.function) == (path, line, function)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "    at f (/app/x.js:1:2)",
        "main.go:7 +0x1",
        "see line 3 in the manual",
        'he said "no", line 3, in the book',
        "https://example.org/a.py:12 in f",
        "   3: app::main",
        "from x.rb:3:in `main'",
        "File not found: a, in b",
    ],
)
def test_no_frame(text: str) -> None:
    assert frame_in(text) is None


@pytest.mark.parametrize(
    ("text", "gutter"),
    [
        ("  | File", 4),
        ("  |   File", 4),
        ("    | x", 6),
        ("  |", 3),
        ("  + Exception Group Traceback", 4),
        ("  +-+---- 1 ----", 2),
        ("    +----", 4),
        ("  |   +-+---- 1 ----", 6),
        ("a | b", 0),
        ("|x", 0),
    ],
)
def test_a_gutter(text: str, gutter: int) -> None:
    assert gutter_of(text) == gutter


def test_a_bar_is_not_the_border_of_a_table() -> None:
    assert is_bar("+-+---------------- 1 ----------------")
    assert is_bar("+------------------------------------")
    assert not is_bar("+-----+-----+")


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        ("ValueError: a: b", "ValueError", "a: b"),
        ("KeyboardInterrupt", "KeyboardInterrupt", ""),
        ("ValueError:", "ValueError", ""),
        ("redis.exceptions.WatchError: x", "redis.exceptions.WatchError", "x"),
        ("socket.timeout: timed out", "socket.timeout", "timed out"),
        ("__main__.main.<locals>.Oops: x", "__main__.main.<locals>.Oops", "x"),
        ("`ValueError: x`", "ValueError", "x`"),
        ("Halt", "Halt", ""),
    ],
)
def test_an_error_line(text: str, cls: str, message: str) -> None:
    found = error_line(text)
    assert found is not None
    assert (found.cls, text[found.column :]) == (cls, message)


@pytest.mark.parametrize(
    "text", ["Note: x", "return x", "x = 3", "https://a.b", "if x:", "Hint: try again", "a", "12: x"]
)
def test_no_error_line(text: str) -> None:
    assert error_line(text) is None


def test_the_class_of_a_statement() -> None:
    assert raised_class("raise a.OutOfStock(") == "a.OutOfStock"
    assert raised_class("    raise Halt") == "Halt"
    assert raised_class("raise error") == ""
    assert raised_class("log('raise ValueError')") == ""


def test_frames_stand_nearest_the_raise_first_with_their_source() -> None:
    fault = only(
        HEADER + '  File "/srv/a.py", line 1, in <module>\n    main()\n    ^^^^^^\n' + FRAME + "shop.OutOfStock: pear"
    )
    assert [(frame.path, frame.at, frame.source) for frame in fault.frames] == [
        ("/srv/shop/stock.py", 4, "raise OutOfStock(name)"),
        ("/srv/a.py", 1, "main()"),
    ]
    assert (fault.first, fault.last, fault.message_line, fault.message_column) == (0, 6, 6, 17)
    assert fault.quoted == "raise OutOfStock(name)"


def test_a_chain_names_wrappers_by_position() -> None:
    text = (
        HEADER + FRAME + "KeyError: 'a'\n\nThe above exception was the direct cause of the following exception:\n\n"
        + HEADER + FRAME + "ValueError: b\n\nDuring handling of the above exception, another exception occurred:\n\n"
        + HEADER + FRAME + "TypeError: c\n"
    )  # fmt: skip
    assert [(fault.cls, fault.relation, fault.parent) for fault in faults(text)] == [
        ("KeyError", "cause", 1),
        ("ValueError", "context", 2),
        ("TypeError", "", None),
    ]


def test_a_chain_whose_end_is_cut_off() -> None:
    text = HEADER + FRAME + "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n"
    fault = of_python(text)[0]
    assert (fault.cls, fault.message, fault.relation, fault.parent) == ("KeyError", "'a'", "", None)


@pytest.mark.parametrize(
    "after",
    [
        "2024-01-01 10:00:00 INFO next",
        "INFO:     127.0.0.1:5000 - x",
        "[ERROR] next",
        "$ python next.py",
        "user@host:~/a$ ls",
        "(venv) C:\\shop>python next.py",
        ">>> next()",
        "[end of output]",
        '127.0.0.1 - - [20/Jun/2019:11:13:01 +0000] "GET / HTTP/1.1" 500 -',
        "/a/b.py:7: UserWarning: next",
        HEADER + FRAME + "KeyError: 1",
        FRAME + "KeyError: 1",
        "make: *** [Makefile:3: run] Error 1",
        "Process finished with exit code 1",
        "\n\nnext",
        "\n----------------------------------------------------------------------\nRan 2 tests",
        "\nI tried everything. Any ideas?",
    ],
)
def test_a_message_ends_where_something_else_begins(after: str) -> None:
    fault = of_python(HEADER + FRAME + "ValueError: first\n  second\n" + after)[0]
    assert fault.message == "first\n  second"


def test_a_message_of_many_lines_with_blank_ones_is_kept() -> None:
    message = "Could not read a.\n\nMissing:\n  - B\n  - C\n\nSee the manual."
    assert only(HEADER + FRAME + "ConfigError: " + message + "\n").message == message


def test_notes_are_kept_apart_when_the_message_surely_ended() -> None:
    fault = only(HEADER + FRAME + "KeyError: 'a'\nasked by the nightly run\n")
    assert (fault.message, fault.notes) == ("'a'", ("asked by the nightly run",))
    fault = only(HEADER + FRAME + "ValueError: a\nasked by the nightly run\n")
    assert (fault.message, fault.notes) == ("a\nasked by the nightly run", ())


def test_a_class_without_a_message() -> None:
    fault = only(HEADER + FRAME + "StopIteration\n")
    assert (fault.cls, fault.message, fault.message_line) == ("StopIteration", "", -1)


def test_lost_indentation() -> None:
    text = (
        'File "/a.py", line 1, in <module>\nmain(x)\nFile "/b.py", line 2, in main\nraise ValueError(x)\nValueError: 3'
    )
    fault = only(text)
    assert [frame.source for frame in fault.frames] == ["raise ValueError(x)", "main(x)"]
    assert fault.message == "3"


def test_a_trace_cut_inside_a_statement() -> None:
    fault = only('  File "/a.py", line 1, in f\n    raise a.OutOfStock(\n        "no more of \n')
    assert (fault.kind, fault.cls, fault.message) == ("cut", "a.OutOfStock", "")
    assert fault.quoted == 'raise a.OutOfStock(\n    "no more of'


def test_frames_alone_are_a_cut_trace() -> None:
    fault = only('  File "/a.py", line 1, in f\n    g()\n  File "/b.py", line 2, in g\n')
    assert (fault.kind, fault.cls, len(fault.frames)) == ("cut", "", 2)


def test_the_source_of_a_syntax_error_is_quoted() -> None:
    fault = only('  File "/a.py", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n')
    assert (fault.quoted, fault.frames[0].source, fault.message) == ("x = = 1", "x = = 1", "invalid syntax")


def test_the_tree_of_a_group() -> None:
    text = """\
  + Exception Group Traceback (most recent call last):
  |   File "/a.py", line 1, in f
  | ExceptionGroup: outer (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ExceptionGroup: inner (1 sub-exception)
    +-+---------------- 1 ----------------
      | ValueError: a
      | second line
      +------------------------------------
    +---------------- 2 ----------------
    | KeyError: 'b'
    |
    | During handling of the above exception, another exception occurred:
    |
    | Traceback (most recent call last):
    |   File "/a.py", line 2, in g
    | TypeError: c
    +------------------------------------
"""
    assert [(fault.cls, fault.message, fault.relation, fault.parent) for fault in faults(text)] == [
        ("ExceptionGroup", "outer (2 sub-exceptions)", "", None),
        ("ExceptionGroup", "inner (1 sub-exception)", "member", 0),
        ("ValueError", "a\nsecond line", "member", 1),
        ("KeyError", "'b'", "context", 4),
        ("TypeError", "c", "member", 0),
    ]


def test_a_group_that_failed_while_handling_is_told_by_its_head() -> None:
    text = """\
  + Exception Group Traceback (most recent call last):
  |   File "/a.py", line 1, in f
  | ExceptionGroup: outer (1 sub-exception)
  +-+---------------- 1 ----------------
    | ValueError: a
    +------------------------------------

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/a.py", line 2, in g
TypeError: c
"""
    assert [(fault.cls, fault.relation, fault.parent) for fault in faults(text)] == [
        ("ExceptionGroup", "context", 2),
        ("ValueError", "member", 0),
        ("TypeError", "", None),
    ]


def test_a_notebook() -> None:
    text = """\
---------------------------------------------------------------------------
OutOfStock                                Traceback (most recent call last)
Cell In[7], line 1
----> 1 take("pear")

File ~/shop/stock.py:93, in take(name, count)
     91     have = level(name)
     92     if have < count:
---> 93         raise OutOfStock(name)
     94     return have

OutOfStock: pear is gone
"""
    fault = only(text)
    assert (fault.cls, fault.message) == ("OutOfStock", "pear is gone")
    assert [(frame.path, frame.line, frame.function, frame.source) for frame in fault.frames] == [
        ("~/shop/stock.py", 93, "take", "raise OutOfStock(name)"),
        ("Cell In[7]", 1, "", 'take("pear")'),
    ]
    assert "    raise OutOfStock(name)" in fault.quoted


def test_an_arrow_gives_the_line_that_the_frame_lacks() -> None:
    text = (
        "~/shop/stock.py in take(name)\n     92 if not have:\n---> 93     raise OutOfStock(name)\n\nOutOfStock: pear\n"
    )
    assert [(frame.line, frame.function) for frame in only(text).frames] == [(93, "take")]


def test_locals_below_a_listing_do_not_hide_the_error() -> None:
    text = "/a.py:22 in take\n\n❱ 22     raise OutOfStock(x)\n\nlocals\ncount = 7\nname = 'pear'\nOutOfStock: pear\n"
    assert (only(text).cls, only(text).message) == ("OutOfStock", "pear")


def test_a_dump_of_the_interpreter_has_the_innermost_frame_first() -> None:
    text = "Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n"
    text += '  File "/a.py", line 4 in f\n  File "/a.py", line 7 in <module>\n'
    fault = only(text)
    assert (fault.message, [frame.function for frame in fault.frames]) == ("Aborted", ["f", "<module>"])


def test_the_trace_of_another_process_is_a_cause() -> None:
    text = (
        'concurrent.futures.process._RemoteTraceback: \n"""\n' + HEADER + FRAME + 'ValueError: a\n"""\n\n'
        "The above exception was the direct cause of the following exception:\n\n" + HEADER + FRAME + "ValueError: a\n"
    )
    assert [(fault.message, fault.relation) for fault in of_python(text)] == [("a", "cause"), ("a", "")]


def test_a_heading_above_the_trace_is_claimed() -> None:
    assert only("Exception in thread Thread-1 (run):\n" + HEADER + FRAME + "ValueError: a\n").first == 0
    rules = "=" * 70 + "\nERROR: test_a (tests.A.test_a)\n" + "-" * 70 + "\n"
    assert only(rules + HEADER + FRAME + "ValueError: a\n").first == 0


def test_pytest_in_short() -> None:
    text = "tests/test_a.py:3: in test_a\n    take(7)\nshop/stock.py:9: in take\n"
    text += "    raise OutOfStock(7)\nE   shop.OutOfStock: 7\n"
    fault = only(text)
    assert (fault.cls, fault.message) == ("shop.OutOfStock", "7")
    assert [frame.path for frame in fault.frames] == ["shop/stock.py", "tests/test_a.py"]


def test_the_summary_of_pytest_alone() -> None:
    text = "FAILED tests/test_a.py::A::test_b - shop.OutOfStock: pear: 7 wan...\n"
    fault = only(text)
    assert (fault.cls, fault.message) == ("shop.OutOfStock", "pear: 7 wan")
    assert (fault.frames[0].path, fault.frames[0].function) == ("tests/test_a.py", "test_b")


def test_the_summary_of_pytest_tells_no_error_again() -> None:
    text = "tests/test_a.py:3: in connect\n    connect()\nE   shop.Closed: no answer from the shop\n\n"
    text += "shop/a.py:9: Closed\n"
    text += (
        "=========== short test summary info ===========\nERROR tests/test_a.py::test_b - shop.Closed: no answer...\n"
    )
    text += "ERROR tests/test_c.py\n==== 1 error in 0.41s ====\n"
    assert [(fault.cls, fault.message) for fault in faults(text)] == [("shop.Closed", "no answer from the shop")]


def test_a_warning_does_not_hide_the_summary_of_pytest() -> None:
    text = "/srv/a.py:12: DeprecationWarning: f() goes away\n  f()\nERROR tests/test_a.py::test_b - shop.Closed: no\n"
    assert [fault.cls for fault in faults(text)] == ["DeprecationWarning", "shop.Closed"]


def test_a_warning_names_its_place() -> None:
    fault = only("/srv/a.py:12: DeprecationWarning: f() goes away\n  f()\n")
    assert (fault.cls, fault.message, fault.frames[0].line, fault.frames[0].source) == (
        "DeprecationWarning",
        "f() goes away",
        12,
        "f()",
    )


def test_other_text_is_not_python() -> None:
    for text in ("", "\n", "panic: x", "Traceback (most recent call last):", "Error: a\n    at f (/x.js:1:2)"):
        assert find(read(text).lines) == []


def test_a_debug_page_tells_its_error_once() -> None:
    text = (
        "KeyError at /cart/\n'pear'\nRequest Method:\tGET\nException Type:\tKeyError\nException Value:\t\n'pear'\n"
        "Exception Location:\t/srv/a.py, line 12, in take\nPython Version:\t3.11\n"
    )
    (fault,) = of_python(text)
    assert (fault.cls, fault.message) == ("KeyError", "'pear'")
    assert [(frame.path, frame.line, frame.function) for frame in fault.frames] == [("/srv/a.py", 12, "take")]


def test_the_title_and_the_fields_of_a_page_alone() -> None:
    assert [(fault.cls, fault.message) for fault in of_python("KeyError at /cart/\n'pear'\n")] == [
        ("KeyError", "'pear'")
    ]
    text = "Exception Type: ValueError at /cart/\nException Value: bad cart\n"
    assert [(fault.cls, fault.message) for fault in of_python(text)] == [("ValueError", "bad cart")]


def test_a_trace_above_the_stack_of_another_runtime_is_kept() -> None:
    text = (
        HEADER
        + FRAME
        + "py4j.protocol.Py4JJavaError: An error occurred.\n: java.lang.IllegalStateException: no source\n"
        "\tat org.example.Tool.run(Tool.java:7)\n\tat org.example.Tool.main(Tool.java:3)\n"
    )
    found = {(fault.language, len(fault.frames)) for fault in faults(text) if fault.frames}
    assert found == {("Python", 1), ("Java", 2)}
