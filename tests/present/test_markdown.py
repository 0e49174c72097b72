"""Markdown as HTML: the safe subset, nothing lost, bounded work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.present import markdown_parser
from kb.present.invisible import visible_text
from kb.present.markdown import inline_markdown_html, markdown_html, plain_excerpt
from kb.present.markdown_parser import LARGEST_PARSED, parse

MOST_CALLS_A_CHARACTER = 250
ODDITIES = ("javascript:", "https://x.example", "<script>", "&lt;", "&#x202e;", "```\n", "](", "![", "> ", "- ")
PIECE = st.text(alphabet="ab \n\t*_`~[]()<>!#-+=|:&;\\\"'/.1\u202e\u200b\x00é", max_size=60) | st.sampled_from(ODDITIES)
TEXT = st.lists(PIECE, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("a *b* **c** `d<e>`", "<p>a <em>b</em> <strong>c</strong> <code>d&lt;e&gt;</code></p>"),
        ("__init__ and snake_case and _x_", "<p>__init__ and snake_case and _x_</p>"),
        ("# Head", '<p class="heading"><strong>Head</strong></p>'),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("3. a\n4. b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'),
        ("> quoted", "<blockquote>\n<p>quoted</p>\n</blockquote>"),
        ("a  \nb", "<p>a<br>\nb</p>"),
        ("***", "<hr>"),
        (
            "[x](https://a.example/b?c=d&e 't')",
            '<p><a href="https://a.example/b?c=d&amp;e" rel="noopener nofollow">x</a></p>',
        ),
        ("<https://a.example>", '<p><a href="https://a.example" rel="noopener nofollow">https://a.example</a></p>'),
        (
            "[![alt](https://a.example/i.png)](https://b.example)",
            '<p><a href="https://b.example" rel="noopener nofollow">alt</a></p>',
        ),
        ("![alt](https://a.example/i.png)", '<p><a href="https://a.example/i.png" rel="noopener nofollow">alt</a></p>'),
        ("[x](/here) [x](javascript:y)", "<p>[x](/here) [x](javascript:y)</p>"),
        ("[words]() ![words]()", "<p>words words</p>"),
        ("[w](https://a@b.example) <https://a[>", "<p>[w](https://a@b.example) &lt;https://a[&gt;</p>"),
        ("[a `b`](https://a.example:99999/)", "<p>a <code>b</code></p>"),
        ("[x]: https://a.example", "<p>[x]: https://a.example</p>"),
        ("<b>bold</b> a < b && c", "<p>&lt;b&gt;bold&lt;/b&gt; a &lt; b &amp;&amp; c</p>"),
        ("List<String> items[0] **kwargs", "<p>List&lt;String&gt; items[0] **kwargs</p>"),
        ("", ""),
    ],
)
def test_the_subset(text, html) -> None:
    assert markdown_html(text) == html


def test_fences_are_highlighted_in_their_own_language_or_the_record_s(audit) -> None:
    assert '<span class="k">raise</span>' in markdown_html("```python\nraise E\n```")
    assert '<span class="k">raise</span>' in markdown_html("```\nraise E\n```", language="Python")
    assert '<span class="k">' not in markdown_html("```unknown\nraise E\n```", language="Python")
    assert audit(markdown_html("~~~ py x\n<b>\n\n  c\n~~~")).text == "<b>\n\n  c\n"


def test_inline_text_has_no_blocks() -> None:
    assert inline_markdown_html("# a `b`\n- c") == "# a <code>b</code>\n- c"


def test_hostile_text_is_harmless(hostile, audit) -> None:
    for made in (markdown_html(hostile), inline_markdown_html(hostile), markdown_html(f"- {hostile}")):
        audit(made)


@given(TEXT)
def test_any_text_is_harmless(audit, text) -> None:
    audit(markdown_html(text))
    audit(inline_markdown_html(text))


@given(st.text(alphabet="abc \n\t*_[]#-+=>"))
def test_no_letter_is_lost(audit, text) -> None:
    said = audit(markdown_html(text)).text
    assert [letter for letter in said if letter.isalpha()] == [letter for letter in text if letter.isalpha()]


# --- bounded work -----------------------------------------------------------------------------------------------------


def calls_of(call: Callable[[], Any]) -> int:
    """How many functions, of Python or C, ``call`` calls in this thread."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "unit",
    ["[", "![", "]", "[a](", "[a](b", "[](<", "*a **b ", "**a*", "`a", "<a ", "<http://a", "&a;", "> ", "1. ", "\\",
     "\n", "a\n\n", "- a\n", "> a\n", "    a\n", "~~~\n", "a\n=\n", "[a](http://b.c) ", "*[*a]", "_a ", "a"],
)  # fmt: skip
def test_work_grows_with_the_length_of_the_worst_texts(unit) -> None:
    """Four times the text costs some four times the calls, not sixteen, and some calls a character."""
    short, long = ((unit * length)[:length] for length in (1_024, 4_096))
    calls = calls_of(lambda: parse(long))
    assert calls < MOST_CALLS_A_CHARACTER * len(long)
    assert calls < 6 * calls_of(lambda: parse(short)) + len(long)


def test_what_is_too_long_is_never_parsed(monkeypatch, audit) -> None:
    monkeypatch.setattr(markdown_parser, "_PARSER", None)
    text = "[*a*](https://a.example) " * (LARGEST_PARSED // 20)
    made = markdown_html(text)
    assert made.startswith('<p class="plain">')
    assert audit(made).text == text
    assert audit(inline_markdown_html(text)).text == text


@pytest.mark.parametrize("marker", ["> ", "- ", "1. "])
def test_what_is_too_deep_is_shown_in_full(marker, audit) -> None:
    for depth in range(1, 40):
        assert "deep" in audit(markdown_html(marker * depth + "deep")).text


def test_paragraphs_of_plain_text_stay_apart() -> None:
    text = "a" * LARGEST_PARSED + "\nb\n \n\n<c>\r\n"
    assert markdown_html(text).endswith('a\nb</p>\n<p class="plain">&lt;c&gt;</p>')


# --- excerpts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limit", "excerpt"),
    [
        ("a *b* `c`\n\n- d\n- e", 80, "a b c d e"),
        ("# H\n\n```\ncode\n```\n[x](https://y)", 80, "H code x"),
        ("one two three four", 12, "one two…"),
        ("x" * 50, 10, "x" * 9 + "…"),
        ("\u202ea", 80, "⟨U+202E⟩a"),
        ("", 80, ""),
    ],
)
def test_an_excerpt_is_one_plain_line(text, limit, excerpt) -> None:
    assert plain_excerpt(text, limit) == excerpt


def test_excerpts_of_anything_are_short_plain_lines(hostile) -> None:
    excerpt = plain_excerpt(hostile, 80)
    assert len(excerpt) <= 80
    assert excerpt == visible_text(excerpt)
    assert "\n" not in excerpt


def test_an_excerpt_says_when_something_is_missing() -> None:
    assert plain_excerpt("word" + "\n" * 5000 + "word", 80) == "word …"
