"""Markdown in Markdown: structure stays what it was, nothing can be forged."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.present.invisible import visible_text
from kb.present.markdown import markdown_html
from kb.present.markdown_parser import LARGEST_PARSED
from kb.present.markdown_source import (
    escape_line,
    escape_text,
    fence,
    indented,
    inline_code,
    link,
    markdown_line,
    markdown_source,
)

ODDITIES = ("javascript:", "https://x.example", "<script>", "&lt;", "&#x202e;", "```\n", "](", "![", "> ", "- ", "]:")
PIECE = st.text(alphabet="ab \n\t*_`~[]()<>!#-+=|:&;\\\"'/.1\u202e\u200b\x00é", max_size=60) | st.sampled_from(ODDITIES)
TEXT = st.lists(PIECE, max_size=12).map("".join)


@pytest.mark.parametrize(
    "text",
    [
        "one\n\ntwo",
        "a *b* **c** `d<e>` and ``x`y``",
        "- a\n- b\n  - c",
        "3. a\n4. b",
        "> quoted\n>\n> twice",
        "```python\nraise E\n```",
        "[x](https://a.example/b?c=d&e)",
        "snake_case, items[0], a < b && c, C:\\Users, 50 % - no: yes, f(*args)",
        "`foo`: bar - baz; `x` + 1. two",
        "Done! (really) #4 costs $5",
    ],
)
def test_ordinary_text_stays_as_it_is_written(text) -> None:
    made = markdown_source(text).replace("\n\n  - c", "\n  - c").replace("\\*args", "*args")
    assert made == text


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("# Head", "**Head**"),
        ("Head\n===", "**Head**"),
        ("<script>x</script> List<String>", "&lt;script>x&lt;/script> List&lt;String>"),
        ("[x](javascript:y)", "[x]\\(javascript:y)"),
        ("[x]: https://a.example", "[x]\\: https://a.example"),
        ("![alt](https://a.example/i.png)", "[alt](https://a.example/i.png)"),
        ("![&lt;b> *c* `d`](https://a.example)", "[&lt;b> c d](https://a.example)"),
        ("- \\ \nb", "- \\\\\n  b"),
        ("<https://a.example#&lt;>", "[https://a.example#&amp;lt;](https://a.example#&amp;lt;)"),
        ("[words]() ![words]()", "words words"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("\u202ea", "⟨U+202E⟩a"),
        ("a `b", "a \\`b"),
        ("1\\. a", "1\\. a"),
        ("\\# a", "\\# a"),
        ("&amp;lt;", "&amp;lt;"),
        ("\\~~~ a", "\\~\\~~ a"),
        ("a | b\n:-- | --:\nc | d", "a | b\n\\:-- | --:\nc | d"),
        ("~~~\n```\n~~~", "````\n```\n````"),
    ],
)
def test_what_could_be_more_than_text_is_escaped(text, source) -> None:
    assert markdown_source(text) == source


def test_hostile_text_is_harmless_wherever_it_stands(hostile, audit_markdown) -> None:
    for made in (
        markdown_source(hostile),
        escape_text(hostile),
        f"# {escape_line(hostile)}",
        f"- {markdown_line(hostile)}",
        indented(markdown_source(hostile), "1. "),
        inline_code(hostile),
        fence(hostile, "python"),
        link(hostile, "https://a.example/"),
    ):
        said = audit_markdown(f"{made}\n\n## End\n")
        assert said.headings[-1] == "## End"
        assert len(said.headings) == 1 + made.startswith("# ")


@given(TEXT)
def test_any_text_is_harmless(audit_markdown, text) -> None:
    for made in (markdown_source(text), escape_text(text), indented(markdown_source(text), "- "), markdown_line(text)):
        assert audit_markdown(f"{made}\n\n## End\n").headings == ("## End",)


@given(TEXT)
def test_literal_text_reads_as_itself(audit_markdown, text) -> None:
    read = audit_markdown(escape_text(text)).text
    assert "".join(read.split()) == "".join(visible_text(text).split())


@given(TEXT)
def test_code_reads_as_itself(audit_markdown, text) -> None:
    assert audit_markdown(fence(text, None)).blocks == (visible_text(text).removesuffix("\n") + "\n",)
    line = " ".join(visible_text(text).splitlines()) or '""'
    assert audit_markdown(f"a {inline_code(text)} b").text.strip() == f"a {line} b"


@given(TEXT.map(lambda text: re.sub("[\u202e\u200b\\x00]|&#x202e;", "", text)))  # marks for these may end an emphasis
def test_what_was_written_again_looks_the_same(audit, text) -> None:
    """Through our own renderer the harmless source says what the text said."""
    first, again = audit(markdown_html(text)), audit(markdown_html(markdown_source(text)))
    assert "".join(again.text.split()) == "".join(first.text.split())
    assert [unquote(url) for url in again.links] == [unquote(url) for url in first.links]


def test_text_that_is_too_much_to_parse_is_literal(audit_markdown) -> None:
    text = "# forged\n- a\n" * LARGEST_PARSED
    assert audit_markdown(markdown_source(text)).headings == ()
    assert markdown_line("*" * LARGEST_PARSED) == "\\*" * LARGEST_PARSED
