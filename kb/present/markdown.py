"""Markdown of a dataset → safe HTML.

Two fences: the parser knows no HTML and no link but http and https, and what it made is cleaned by an allow-list that
shares no code with it. Only these elements come out: p, strong, em, code, pre, ul, ol, li, blockquote, hr, br, a (http
and https, ``rel="noopener nofollow"``), and div and span with our own classes. Headings become bold paragraphs (the
page's outline is ours), images become links to them. Text that is too long or too deep comes out as it is written,
in paragraphs ``<p class="plain">``, whose line feeds the style sheet keeps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import nh3
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from kb.present.code import TOKEN_CLASSES, code_html
from kb.present.code_lexers import LEXERS
from kb.present.invisible import visible_html
from kb.present.markdown_parser import allowed_link, parse, parse_inline, plain_excerpt, words_of

__all__ = ["inline_markdown_html", "markdown_html", "plain_excerpt"]

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
# What the cleaner leaves of a link whose address it cannot read, such as one to port 99999.
_LINK_WITHOUT_ADDRESS = re.compile(r'<a rel="noopener nofollow">(.*?)</a>', re.DOTALL)
_CLEANER = nh3.Cleaner(
    tags={"a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "span", "strong", "ul"},
    clean_content_tags=set(),
    attributes={
        "a": {"href"},
        "div": {"data-language"},
        "ol": {"start"},
        "pre": {"aria-label"},
        "span": {"title"},
    },
    tag_attribute_values={"pre": {"dir": {"ltr"}, "tabindex": {"0"}, "role": {"group"}}},
    allowed_classes={
        "div": {"hl", "hl-bar"},
        "p": {"heading", "plain"},
        "span": {"ctl", *TOKEN_CLASSES.values()} - {""},
    },
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel="noopener nofollow",
)


class _Renderer(RendererHTML):
    """The tokens of :mod:`kb.present.markdown_parser` as HTML; ``env["language"]`` is that of fences without a name."""

    def text(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return visible_html(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f"<code>{visible_html(tokens[idx].content)}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, _options: Any, env: Any) -> str:
        return code_html(tokens[idx].content, language=env["language"], start=None)

    def fence(self, tokens: Sequence[Token], idx: int, _options: Any, env: Any) -> str:
        named = tokens[idx].info.strip().partition(" ")[0]
        language = named if named.casefold() in LEXERS else None
        return code_html(tokens[idx].content, language=language if named else env["language"], start=None)

    def heading_open(self, *_: Any) -> str:
        return '<p class="heading"><strong>'

    def heading_close(self, *_: Any) -> str:
        return "</strong></p>\n"

    def image(self, tokens: Sequence[Token], idx: int, _options: Any, env: Any) -> str:
        source = str(tokens[idx].attrs.get("src", ""))
        words = visible_html(words_of(tokens[idx].children or []).strip() or source)
        if env["links"] or not allowed_link(source):
            return words
        return f'<a href="{escape(source)}">{words}</a>'

    def link_open(self, tokens: Sequence[Token], idx: int, _options: Any, env: Any) -> str:
        address = str(tokens[idx].attrs["href"])
        env["links"].append(address)
        return f'<a href="{escape(address)}">' if address else ""  # [words]() is a link to nowhere

    def link_close(self, _tokens: Sequence[Token], _idx: int, _options: Any, env: Any) -> str:
        return "</a>" if env["links"].pop() else ""


_RENDERER = _Renderer()
_OPTIONS = MarkdownIt("commonmark").options


def _rendered(tokens: Sequence[Token], render: Callable[..., str], language: str | None) -> SafeString:
    made = _CLEANER.clean(render(tokens, _OPTIONS, {"language": language, "links": []}))
    return mark_safe(_LINK_WITHOUT_ADDRESS.sub(r"\1", made).strip())  # noqa: S308 - this is what the cleaner is for


def markdown_html(text: str, *, language: str | None = None) -> SafeString:
    """``text`` as HTML blocks. ``language`` is that of code blocks which do not name one."""
    tokens = parse(text)
    if tokens is None:
        return _plain(text)
    return _rendered(tokens, _RENDERER.render, language)


def inline_markdown_html(text: str) -> SafeString:
    """``text`` as one run of HTML without blocks: inline code, emphasis and links only."""
    tokens = parse_inline(text)
    if tokens is None:
        return visible_html(text)
    return _rendered(tokens, _RENDERER.renderInline, None)


def _plain(text: str) -> SafeString:
    paragraphs = _PARAGRAPHS.split(text.replace("\r\n", "\n").strip("\n"))
    made = (format_html('<p class="plain">{}</p>', visible_html(part)) for part in paragraphs)
    return mark_safe("\n".join(made))  # noqa: S308 - every part is escaped
