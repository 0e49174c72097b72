"""Nothing invisible comes through."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from kb.present.invisible import breakable_html, has_invisible, visible_html, visible_text

HIDDEN = {"Cc", "Cf", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\ufeffa", "⟨U+FEFF⟩a"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
        ("a\x00b", "a⟨U+0000⟩b"),
        ("a\U000e0041b", "a⟨U+E0041⟩b"),
        ("pay\u200dpal", "pay⟨U+200D⟩pal"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\r\nb\n\tc", "a\nb\n\tc"),
        ("plain text", "plain text"),
    ],
)
def test_a_hidden_character_becomes_its_number(text: str, shown: str) -> None:
    assert visible_text(text) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("django.core.exceptions.Improperly", "django.|core.|exceptions.|Improperly"),
        ("fields/__init__.py:12", "fields/|__init__.py:12"),
        ("std::io::ErrorKind", "std::io::|ErrorKind"),
        ("C:\\logs\\snake_case", "C:\\|logs\\|snake_|case"),
        ("a<b>/\u202e", 'a&lt;b&gt;/|<span class="ctl" title="right-to-left override">⟨U+202E⟩</span>'),
        ("", ""),
    ],
)
def test_a_long_name_breaks_between_its_parts_and_is_escaped(name: str, shown: str) -> None:
    assert breakable_html(name) == shown.replace("|", "<wbr>")


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "می‌خواهم", "❤\ufe0f", "e\u0301", "日本語", "שלום"])
def test_characters_that_writing_needs_stay(text: str) -> None:
    assert visible_text(text) == text
    assert not has_invisible(text)


# Signs that are drawn although Unicode files them under format: of Arabic, Syriac, Kaithi and hieroglyphs.
DRAWN = {
    *map(chr, range(0x600, 0x606)),
    *map(chr, (0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD)),
    *map(chr, range(0x13430, 0x13440)),
}


def test_every_control_and_format_character_of_unicode_is_shown() -> None:
    hidden = {
        character for character in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(character) in HIDDEN
    }
    shown = visible_text("a".join(hidden))
    assert len(hidden) > 200
    assert hidden & set(shown) == DRAWN & hidden | {"\n", "\t"}


def test_html_is_escaped_and_the_mark_says_the_name() -> None:
    assert visible_html("<b>\u202e&") == (
        '&lt;b&gt;<span class="ctl" title="right-to-left override">⟨U+202E⟩</span>&amp;'
    )
    assert 'title="control character"' in visible_html("\x1b")
