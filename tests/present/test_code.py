"""Code blocks: true numbers, the raising line, harmless markup, bounded work."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.token import Token

from kb.present import code as code_module
from kb.present.code import (
    LARGEST_HIGHLIGHTED,
    LONGEST_HIGHLIGHTED_LINE,
    MOST_HIGHLIGHTED_LINES,
    MOST_NUMBERED_LINES,
    code_html,
    line_html,
)
from kb.present.code_lexers import LEXERS, lexer_for
from kb.present.invisible import visible_text
from kb.records import languages

LINE = re.compile(r'<(span|mark) class="(line(?: hit)?)"(?: id="([^"]+)"><a)? data-n="(\d+)"')


def lines_of(html: str) -> list[tuple[str, str, int, str]]:
    return [(tag, name, int(number), anchor) for tag, name, anchor, number in LINE.findall(html)]


def test_lines_have_their_numbers_and_the_raising_one_is_marked(audit) -> None:
    made = code_html("if x:\n    raise E\nelse:\n    pass\n", language="Python", start=98, mark=99, anchor="source")
    assert lines_of(made) == [
        ("span", "line", 98, "source-L98"),
        ("mark", "line hit", 99, "source-L99"),
        ("span", "line", 100, "source-L100"),
        ("span", "line", 101, "source-L101"),
    ]
    assert 'aria-label="Python code, lines 98 to 101; line 99 raises the error"' in made
    assert '<div class="hl d3"><div class="hl-bar" data-language="Python"></div>' in made
    assert '<span class="k">raise</span> E</mark>' in made
    assert audit(made).text == "if x:\n    raise E\nelse:\n    pass\n"


@pytest.mark.parametrize("mark", [None, 0, 9, 12, -1])
def test_a_raising_line_elsewhere_marks_nothing(mark) -> None:
    made = code_html("a\nb", language=None, start=10, mark=mark)
    assert "hit" not in made
    assert 'aria-label="Code, lines 10 to 11"' in made


def test_numbers_link_to_their_lines_and_the_keyboard_reaches_the_raising_one_alone() -> None:
    made = code_html("a\nb", language=None, start=10, mark=11, anchor="x")
    assert '<a data-n="10" href="#x-L10" tabindex="-1" aria-hidden="true"></a>a' in made
    assert '<a data-n="11" href="#x-L11" aria-label="Link to line 11, which raises the error"></a>b' in made
    assert "href" not in code_html("a\nb", language=None, start=10, mark=11)


def test_a_single_line_is_highlighted_without_a_frame(audit) -> None:
    assert line_html("raise E(<x>)", language="Python").startswith('<span class="k">raise</span> E(')
    assert audit(line_html("raise E('<x>')", language="Python")).text == "raise E('<x>')"
    assert line_html("a < b", language=None) == "a &lt; b"


def test_blocks_without_numbers_and_blocks_without_anchors_have_none() -> None:
    assert lines_of(code_html("a\nb", language="Python", start=None, anchor="x")) == []
    assert 'id="' not in code_html("a\nb", language="Python")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("\n", 1),
        ("\n\n", 2),
        ("\n\na\n\n", 4),
        ("a\r\nb\r\n", 2),
        ("a\rb\x0bc\u2028d\x85", 1),
        ("\ufeffa\nb", 2),
    ],
)
def test_only_line_feeds_begin_lines(text, count, audit) -> None:
    for language in ("Python", None):
        made = code_html(text, language=language, start=5)
        assert [number for _, _, number, _ in lines_of(made)] == list(range(5, 5 + count))
        assert audit(made).text == visible_text(text).removesuffix("\n") + "\n"


@pytest.mark.parametrize("language", sorted(LEXERS))
def test_every_lexer_gives_back_exactly_the_text(language, audit) -> None:
    text = '#!/bin/x\n\tif (a < b && "c\\n") { d[\'e\'] = `f` } // <g>\n\n <h i=\'j\'>${k}</h>\n""" unclosed\n/* é \n'
    made = code_html(text, language=language)
    assert audit(made).text == text
    assert len(lines_of(made)) == 6


def test_every_language_of_records_has_a_lexer() -> None:
    names = {*languages._BY_ENDING.values(), *languages._BY_NAME.values(), *chain(*languages._SHARED.values())}
    assert len(names) > 60
    assert {name for name in names if name.casefold() not in LEXERS} == set()


@pytest.mark.parametrize("language", [None, "", "Klingon", "text", "../../etc/passwd", "<script>"])
def test_an_unknown_language_is_plain_text(language, audit) -> None:
    made = code_html("if x < 1: pass", language=language)
    assert audit(made).text == "if x < 1: pass\n"
    assert 'class="k"' not in made


def test_names_of_languages_are_found_in_any_case() -> None:
    assert lexer_for("PYTHON").name == lexer_for("py").name == "Python"


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.sampled_from(["Python", "JavaScript", "PHP", "C++"])
)
def test_any_text_comes_out_whole_and_harmless(audit, text, language) -> None:
    said = audit(code_html(text, language=language))
    assert said.text == visible_text(text).removesuffix("\n") + "\n"


def test_hostile_code_is_harmless(hostile, audit) -> None:
    for language in ("Python", "HTML", "PHP", None):
        said = audit(code_html(hostile, language=language, anchor="a"))
        assert said.text == visible_text(hostile).removesuffix("\n") + "\n"
        assert not said.links


# --- limits: what is too large never reaches a lexer ------------------------------------------------------------------


@pytest.fixture
def lexed(monkeypatch) -> list[int]:
    """The sizes of the texts that lexers were asked to read."""
    sizes: list[int] = []

    class Reader:
        def get_tokens_unprocessed(self, text: str) -> list[tuple[int, object, str]]:
            sizes.append(len(text))
            return [(0, Token, text)]

    monkeypatch.setattr(code_module, "lexer_for", lambda _: Reader())
    return sizes


@pytest.mark.parametrize(
    "text",
    [
        "x" * (LONGEST_HIGHLIGHTED_LINE + 1),
        "short\n" * 3 + "y" * (LONGEST_HIGHLIGHTED_LINE + 1) + "\nshort",
        "a\n" * (MOST_HIGHLIGHTED_LINES + 1),
        ("z" * (LONGEST_HIGHLIGHTED_LINE - 1) + "\n") * (LARGEST_HIGHLIGHTED // LONGEST_HIGHLIGHTED_LINE + 1),
        ("x" * 100_000 + "\n") * 40,
    ],
)
def test_what_is_too_large_is_numbered_but_not_highlighted(text, lexed, audit) -> None:
    made = code_html(text, language="Python", start=3, mark=4)
    assert lexed == []
    assert len(lines_of(made)) == text.removesuffix("\n").count("\n") + 1
    assert audit(made).text == text.removesuffix("\n") + "\n"


def test_what_just_fits_is_highlighted(lexed) -> None:
    code_html("x" * LONGEST_HIGHLIGHTED_LINE, language="Python")
    code_html("\n".join("a" * MOST_HIGHLIGHTED_LINES), language="Python")
    assert lexed == [LONGEST_HIGHLIGHTED_LINE + 1, 2 * MOST_HIGHLIGHTED_LINES]


def test_markup_of_very_many_lines_does_not_dwarf_the_text(audit) -> None:
    text = "\n" * (MOST_NUMBERED_LINES + 1)
    made = code_html(text, language="Python")
    assert lines_of(made) == []
    assert len(made) < len(text) + 300
    audit(made)


def test_a_lexer_that_loses_text_is_not_believed(monkeypatch, audit) -> None:
    class Loser:
        def get_tokens_unprocessed(self, text: str) -> list[tuple[int, object, str]]:
            return [(0, Token.Keyword, text[1:])]

    monkeypatch.setattr(code_module, "lexer_for", lambda _: Loser())
    assert audit(code_html("abc", language="Python")).text == "abc\n"
