"""Reading a pasted text: what is cleaned away, what stays, and where everything came from."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.reading.document import read

TRACE = (
    "Traceback (most recent call last):",
    '  File "/srv/app/main.py", line 3, in <module>',
    "    run(load())",
    '  File "/srv/app/tool.py", line 9, in run',
    '    raise ValueError("no such tool")',
    "ValueError: no such tool",
)
BOX = (
    "╭──────── Traceback (most recent call last) ────────╮",
    "│ /srv/app/tool.py:9 in run                         │",
    "│                                                   │",
    "│ ❱  9 │   raise ValueError('no such tool')         │",
    "│ ╭─ locals ─╮                                      │",
    "│ │  x = 1   │                                      │",
    "│ ╰──────────╯                                      │",
    "╰───────────────────────────────────────────────────╯",
    "ValueError: no such tool",
)


def texts(text: str) -> list[str]:
    """The clean lines of a text that hold something."""
    return [line.text for line in read(text).lines if line.text]


def prefixed(prefix: str) -> str:
    return "\n".join(prefix + line for line in TRACE)


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "> ",
        "> > ",
        "&gt; ",
        "web-1  | ",
        "notes-api      | ",
        "web_1  | 2024-01-17 06:55:00,309 ERROR ",
        "2025-07-18 16:18:33 ",
        "2025-07-18T16:18:33.123Z ",
        "2025-07-18T16:18:33.123456+00:00 app[web.1]: ",
        "2024-01-17T06:55:00.3091234Z ",
        "2024-01-17T06:55:00.309123456Z stderr F ",
        "2024-01-17T06:55:00.3091234Z 2024-01-17 06:55:00,309 - app.main - ERROR - ",
        "2024-01-17T06:55:00.309123Z 00O ",
        "2024-01-17 06:55:00.309 | ERROR    | app.main:run:12 - ",
        "[2024-01-17 06:55:00 +0000] [123] [ERROR] ",
        "[2024-01-17, 06:55:00 UTC] {subprocess.py:93} INFO - ",
        "[2024-01-17 06:55:00,309: ERROR/ForkPoolWorker-1] ",
        "2024-01-17 06:55:00.309 ERROR 1234 --- [           main] o.s.boot.SpringApplication               : ",
        "Dec  9 11:49:22: ",
        "    2024-01-17 06:55:00 ",
        "    [rank0]: ",
        "Dec  9 11:49:22 host app[8421]: ",
        "<11>Dec  9 11:49:22 host app[8421]: ",
        "[Fri Sep 09 10:42:29.902022 2011] [wsgi:error] [pid 35708:tid 4328636416] [client 192.0.2.7:1] ",
        "01/17/2024 06:55:00 AM ",
        "06:55:00.309 ",
        "06:55:00 web.1  | ",
        "E0117 06:55:00.309123   12345 tool.go:123] ",
        "01-17 06:55:00.309  1234  1234 E AndroidRuntime: ",
        "[  123.456789] ",
        "#9 539.2 ",
        "[rank0]: ",
        "[1,0]<stderr>:",
        "(Worker pid=123, ip=192.0.2.1) ",
        "[pod/web-5d4/app] ",
        "@scope/tool:build: ",
        "[web] ",
        "npm ERR! ",
        "npm error ",
        "\x1b[31m\x1b[1m",
        "^[[31m",
        "\\x1b[31m",
        "\\u001b[0;31m",
        "\\033[31m",
        "[0m[31m",
        "\x1b]0;a title\x07",
        "│ ",
        "> │ ",
    ],
)
def test_a_trace_comes_out_as_it_was_behind_any_prefix(prefix: str) -> None:
    assert texts(prefixed(prefix)) == list(TRACE)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\v", "\r\r\n", "\u2028"])
def test_any_line_break_ends_a_line(line_break: str) -> None:
    document = read(line_break.join(TRACE))
    assert [line.text for line in document.lines] == list(TRACE)


def test_a_box_with_a_title_loses_its_sides_and_keeps_the_title() -> None:
    document = read("\n".join(BOX))
    assert [line.text for line in document.lines] == [
        "Traceback (most recent call last)",
        "/srv/app/tool.py:9 in run",
        "",
        " 9 │   raise ValueError('no such tool')",
        "locals",
        " x = 1",
        "ValueError: no such tool",
    ]
    assert document.lines[3].removed == "│ ❱ "


def test_the_gutters_of_pip_go_and_its_nested_output_stays() -> None:
    text = "  × setup failed\n  │ exit code: 1\n  ╰─> [2 lines of output]\n      error: flat layout\n  \n  note: later"
    assert texts(text) == [
        "setup failed",
        "exit code: 1",
        "[2 lines of output]",
        "      error: flat layout",
        "  note: later",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "  + Exception Group Traceback:\n  | ValueError: a\n  +-+---- 1 ----\n    | KeyError: 'b'",
        ">   raise ValueError()\n    ^^^",
        "  10 | before\n> 11 | raise\n     | ^",
        "a | b\nc | d\ne | f",
        ">>> run()\nValueError: a",
        "    ~~~~^^^^\nValueError: a",
        "    ~~~~~~~~\nValueError: a",
        "ValueError: a\nValueError: b\nValueError: c",
        "[KeyError] a\n[KeyError] b\n[KeyError] c",
        "web-1  | a\nb\nc\nd",
        "[Errno 2] No such file\n[Errno 3] x\n[Errno 4] y",
        "[vite] Internal server error",
        "Error: connect ECONNREFUSED 192.0.2.1:80",
        "error[E0382]: borrow of moved value\n --> src/main.rs:2:5",
        "rate(x[5m]) is not allowed",
        "use &amp; instead",
        "path\\name and \\n alone",
        "ERROR:ValueError:x",
    ],
)
def test_what_only_looks_like_a_prefix_stays(text: str) -> None:
    document = read(text)
    assert "\n".join(line.text for line in document.lines) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[2019-08-13 13:56:43,760: ERROR/MainProcess] Received a task", "Received a task"),
        ("2024-01-17 06:55:00 ERROR ValueError: bad", "ValueError: bad"),
        ("2024-01-17 06:55:00 KeyError: 'x'", "KeyError: 'x'"),
        ("2024-01-17 06:55:00 ERROR pkg.part.badexception: x", "pkg.part.badexception: x"),
        ("2024-01-17 06:55:00 ERROR [Errno 2] [12] now", "[Errno 2] [12] now"),
        ("2024-01-17 06:55:00 ERROR [domain] failed", "[domain] failed"),
        ("2024-01-17 06:55:00 ERROR [app.part] failed", "failed"),
        ("2024-01-17 06:55:00 INFO  [main] Tool - failed", "failed"),
        ("Dec  9 11:49:22 host app[8421]: - item", "- item"),
        ("Dec  9 11:49:22 host app[8421]: SQLSTATE[42S02]: no table", "SQLSTATE[42S02]: no table"),
        ("Dec  9 11:49:22 SQLSTATE[42S02]: no table", "SQLSTATE[42S02]: no table"),
        ("2024-01-17 06:55:00 [Errno 2] No such file", "[Errno 2] No such file"),
        ("2024-01-17 06:55:00 ['a'] not in index", "['a'] not in index"),
        ("2024-01-17 06:55:00 [vite] Internal server error", "[vite] Internal server error"),
        ("2024-01-17 06:55:00,309 ERROR app.request: Internal error: /x", "Internal error: /x"),
        ("2024/01/17 06:55:00 main.go:12: dial failed", "dial failed"),
        ("2024/01/17 06:55:00 panic: runtime error", "panic: runtime error"),
        ("2024/01/17 06:55:00 Error: connect", "Error: connect"),
        ("2024/01/17 06:55:00 [error] 123#123: *1 connect() failed", "connect() failed"),
        ("2024-01-17T06:55:00Z ERROR crate::part: failed", "failed"),
        ("2024-01-17T06:55:00.000Z\tERROR\tpart\ttool.go:12\tfailed", "failed"),
        ("2024-01-17 06:55:00.123456: E core/x.cc:123] failed call", "failed call"),
        ("2024-01-17 06:55:00.123 UTC [123] ERROR:  relation is missing", "relation is missing"),
        ("[17-Jan-2024 06:55:00 UTC] PHP Fatal error:  Uncaught E", "PHP Fatal error:  Uncaught E"),
        ("E, [2024-01-17T06:55:00.1 #12] ERROR -- : NoMethodError (x)", "NoMethodError (x)"),
        ("ERROR:app.part:failed", "failed"),
        ("[ERROR] KeyError: 'x'", "KeyError: 'x'"),
        ("ERROR    app.part:part.py:12 failed", "failed"),
        ("06:55:00,123 ERROR [main] org.example.Tool - failed", "failed"),
        ("2024-01-17T06:55:00.3091234Z ##[error]failed", "failed"),
        ("`app.NotReady: not loaded yet.`", "app.NotReady: not loaded yet."),
        ("**ValueError: bad**", "ValueError: bad"),
        ("```ValueError: bad```", "ValueError: bad"),
        ("<pre><code>ValueError: bad</code></pre>", "ValueError: bad"),
        ("[/srv/tool.py](https://localhost/#) in run(a)", "/srv/tool.py in run(a)"),
        ("&lt;Tool&gt; can&#39;t &quot;run&quot; &amp; stop", '<Tool> can\'t "run" & stop'),
    ],
)
def test_a_single_line_keeps_its_message(text: str, message: str) -> None:
    (line,) = read(text).lines
    assert line.text == message
    assert message not in line.removed


def test_fences_go_and_what_they_hold_stays() -> None:
    assert texts("see:\n```python-traceback\nValueError: bad\n```\n~~~\nmore\n~~~") == [
        "see:",
        "ValueError: bad",
        "more",
    ]


def test_lines_of_pytest_keep_their_indentation_against_each_other() -> None:
    text = "def test():\n>       raise ValueError\nE       ValueError: a\nE         more\nE       \nE       end\n\nx"
    document = read(text)
    assert [line.text for line in document.lines if line.removed] == ["ValueError: a", "  more", "", "end"]
    assert document.lines[1].text == ">       raise ValueError"


def test_a_quoted_tree_of_exceptions_is_unquoted() -> None:
    tree = ["  + Exception Group Traceback:", "  | ExceptionGroup: a", "  +-+---- 1 ----", "    | KeyError: 'b'"]
    assert texts("\n".join(f"> {line}" for line in tree)) == tree


def test_blank_lines_in_a_row_are_kept_up_to_a_bound() -> None:
    assert [line.text for line in read("a\n\n\nb").lines] == ["a", "", "", "b"]
    assert len(read("\n" * 10_000).lines) < 10


def test_the_layouts_are_named() -> None:
    assert read(prefixed("web-1  | \x1b[31m")).layouts == ("ansi", "docker")
    assert read("\n".join(TRACE)).layouts == ()


NASTY = st.text(
    st.one_of(
        st.sampled_from("\n\r\v \t│❱╭─╰>`~|[]{}\":,\\nE'#&;\x1b^m0123456789TZ-/.()<*_=\0\ud800é…"),
        st.characters(),
    ),
    max_size=60,
)
PIECES = st.sampled_from(
    (
        *("2024-01-17 06:55:00 ", "web-1  | ", "> ", "E    ", "npm ERR! ", "\x1b[31m", "^[[0m", "\\u001b[1m", "&lt;"),
        *("│ ", "╭─ x ─╮", "```", "`", "[rank0]: ", "ERROR ", '{"message": "a\\nb\\u00e9"}', '"stack": "x\\ny",'),
        *('level=error msg="a"', "\\n    at x", "Traceback (most recent call last):\\n", "\n", "\r\n", " "),
        *("KeyError: 'x'", "#9 5.2 ", "0.5 ", "<pre>"),
    )
)


@given(st.lists(st.one_of(PIECES, NASTY), max_size=12).map("".join))
def test_every_character_knows_where_it_came_from(text: str) -> None:
    document = read(text)
    assert document.original == text
    decoded = {"json", "logfmt", "escaped", "entities"} & set(document.layouts)
    last = -1
    for line in document.lines:
        assert "\n" not in line.text
        assert line.offsets is None or len(line.offsets) == len(line.text)
        assert 0 <= line.place(0) <= len(text)
        assert 0 <= line.place(len(line.text)) <= len(text) + 1
        if not decoded:
            assert line.start >= last
            last = line.start
            assert [text[line.place(column)] for column in range(len(line.text))] == list(line.text)


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            '"',
            "'",
            "\\",
            "`",
            "\x1b",
            "\x1b[",
            "^[[31m",
            "\\x1b[",
            "[",
            "[a] ",
            "(",
            "{",
            '{"a":',
            '{"message":[',
        ),
        *("\0", "\ud800", "é", "│", "─", ">", "> ", " ", "\t", "\n", "\r", "&lt;", "a | ", "2024-01-17 06:55:00 "),
        *("E  ", "-", "a.", "1.", 'level= msg="', "\\n    at "),
    ],
)
def test_hostile_text_is_read_in_bounded_time(piece: str) -> None:
    text = piece * (256 * 1024 // len(piece))
    begin = time.process_time()
    read(text)
    assert time.process_time() - begin < 1.5  # many times what it takes, for a busy machine


def test_time_grows_with_the_text_not_with_its_square() -> None:
    def seconds(count: int) -> float:
        text = '2024-01-17 06:55:00 a [b] \x1b[31m│ &lt; `c` {"d": 1\n' * count
        return min(_timed(text) for _ in range(3))

    assert seconds(4000) < 12 * seconds(500) + 0.02


def _timed(text: str) -> float:
    begin = time.process_time()
    read(text)
    return time.process_time() - begin
