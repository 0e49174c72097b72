"""Code blocks: Pygments classes, true line numbers, the raising line marked. Work and output are bounded.

The markup, for style sheets (colors are in ``static/css/code.css``)::

    <div class="hl d2"><div class="hl-bar" data-language="Python"></div>
    <pre dir="ltr" tabindex="0" role="group" aria-label="…"><code><span class="line" id="s-L79"><a …></a>…</span>
    <mark class="line hit" id="s-L80"><a data-n="80" href="#s-L80" aria-label="…"></a>…</mark>
    </code></pre></div>

The bar is where scripts put their buttons. Numbers are attributes which the style sheet prints, so that what a reader
copies is the code and nothing else; they link to their lines where lines have anchors, and of these links the tab key
reaches that of the raising line alone. ``d2`` says how many digits the widest number has. Blocks without numbers have
neither ``dN`` nor ``line``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from pygments.token import Token, _TokenType

from kb.present.code_lexers import lexer_for
from kb.present.invisible import visible_html

__all__ = [
    "LARGEST_HIGHLIGHTED",
    "LONGEST_HIGHLIGHTED_LINE",
    "MOST_HIGHLIGHTED_LINES",
    "MOST_NUMBERED_LINES",
    "TOKEN_CLASSES",
    "code_html",
    "line_html",
]

# The time of lexers can grow with the square of a text or of a line: 4,000 lines of "a" cost that of C# nine seconds,
# 10,000 characters of one-letter words that of Java three. Within these limits the worst text that was tried costs
# about a second, once, until it is cached; real snippets cost milliseconds and stay within.
LARGEST_HIGHLIGHTED = 6_000  # characters
LONGEST_HIGHLIGHTED_LINE = 500  # characters
MOST_HIGHLIGHTED_LINES = 250
MOST_NUMBERED_LINES = 5_000  # above, the markup would dwarf the text

# The token types that get a color, under Pygments' own short names. A type that is not here takes its parent's class.
TOKEN_CLASSES: dict[_TokenType, str] = {
    Token: "",
    Token.Comment: "c",
    Token.Comment.Preproc: "cp",
    Token.Generic.Deleted: "gd",
    Token.Generic.Heading: "gh",
    Token.Generic.Inserted: "gi",
    Token.Generic.Prompt: "gp",
    Token.Generic.Subheading: "gh",
    Token.Keyword: "k",
    Token.Keyword.Type: "kt",
    Token.Literal.Number: "m",
    Token.Literal.String: "s",
    Token.Literal.String.Affix: "k",
    Token.Literal.String.Doc: "c",
    Token.Literal.String.Escape: "se",
    Token.Literal.String.Interpol: "si",
    Token.Literal.String.Regex: "sr",
    Token.Name.Attribute: "na",
    Token.Name.Builtin: "nb",
    Token.Name.Class: "nc",
    Token.Name.Constant: "no",
    Token.Name.Decorator: "nd",
    Token.Name.Exception: "nc",
    Token.Name.Function: "nf",
    Token.Name.Tag: "nt",
    Token.Operator.Word: "k",
}

_Piece = tuple[str, str]  # CSS class or "", text without line feeds


def code_html(
    code: str,
    *,
    language: str | None,
    start: int | None = 1,
    mark: int | None = None,
    anchor: str = "",
) -> SafeString:
    """A code block. ``start`` is the number of its first line, ``None`` for a block without numbers.

    ``mark`` is the number of the raising line; outside the block it marks nothing. ``anchor`` makes each line a target
    ``{anchor}-L{number}``; it must be unique on the page and is left out when empty. Text that is too long to highlight
    comes out escaped, with its numbers.
    """
    text = code.replace("\r\n", "\n").removesuffix("\n")
    count = text.count("\n") + 1
    tokens = _highlighted(text, language)
    if start is None or count > MOST_NUMBERED_LINES:
        plain = visible_html(text) if tokens is None else "\n".join(map(_spans, _lines(tokens)))
        return _block(mark_safe(plain), language=language, label=_label(language), digits="")  # noqa: S308 - escaped
    last = start + count - 1
    hit = mark if mark is not None and start <= mark <= last else None
    body = "\n".join(
        _numbered(_spans(line), number=number, hit=number == hit, anchor=anchor)
        for number, line in enumerate(_lines([(Token, text)] if tokens is None else tokens), start)
    )
    label = _label(language, first=start, last=last, hit=hit)
    return _block(mark_safe(body), language=language, label=label, digits=f" d{len(str(last))}")  # noqa: S308 - escaped


def line_html(line: str, *, language: str | None) -> SafeString:
    """A single line of code, for running text: highlighted like a block, without a frame."""
    tokens = _highlighted(line, language)
    return mark_safe(visible_html(line) if tokens is None else _spans(next(_lines(tokens))))  # noqa: S308 - escaped


def _block(body: SafeString, *, language: str | None, label: str, digits: str) -> SafeString:
    """The frame of a block. It can be focused, so that a long line can be scrolled by keyboard."""
    return format_html(
        '<div class="hl{}"><div class="hl-bar" data-language="{}"></div>'
        '<pre dir="ltr" tabindex="0" role="group" aria-label="{}">'
        "<code>{}\n</code></pre></div>",
        digits,
        language or "",
        label,
        body,
    )


def _label(language: str | None, *, first: int | None = None, last: int | None = None, hit: int | None = None) -> str:
    words = gettext("%(language)s code") % {"language": language} if language else gettext("Code")
    if first is None:
        return words
    if first == last:
        words = gettext("%(code)s, line %(first)d") % {"code": words, "first": first}
    else:
        words = gettext("%(code)s, lines %(first)d to %(last)d") % {"code": words, "first": first, "last": last}
    return words if hit is None else gettext("%(code)s; line %(hit)d raises the error") % {"code": words, "hit": hit}


def _numbered(line: str, *, number: int, hit: bool, anchor: str) -> str:
    tag, name = ("mark", "line hit") if hit else ("span", "line")
    if not anchor:
        return f'<{tag} class="{name}" data-n="{number}">{line}</{tag}>'
    target = format_html("{}-L{}", anchor, number)
    said = format_html('aria-label="{}"', _hit_label(number)) if hit else 'tabindex="-1" aria-hidden="true"'
    return f'<{tag} class="{name}" id="{target}"><a data-n="{number}" href="#{target}" {said}></a>{line}</{tag}>'


def _hit_label(number: int) -> str:
    return gettext("Link to line %(number)d, which raises the error") % {"number": number}


def _spans(line: Iterable[_Piece]) -> str:
    """One line as HTML; neighbors of one class share a span."""
    parts = []
    for name, pieces in groupby(line, key=lambda piece: piece[0]):
        shown = visible_html("".join(text for _, text in pieces))
        parts.append(f'<span class="{name}">{shown}</span>' if name else shown)
    return "".join(parts)


def _lines(tokens: Iterable[tuple[_TokenType, str]]) -> Iterator[list[_Piece]]:
    """Tokens, cut at their line feeds, as lines of classed pieces."""
    line_pieces: list[_Piece] = []
    for kind, value in tokens:
        name = _class_of(kind)
        first, *others = value.split("\n")
        line_pieces.append((name, first))
        for part in others:
            yield line_pieces
            line_pieces = [(name, part)]
    yield line_pieces


def _highlighted(text: str, language: str | None) -> list[tuple[_TokenType, str]] | None:
    """The tokens of ``text``; ``None`` when it is too large, its language unknown or its lexer lost a character."""
    lexer = lexer_for(language) if _affordable(text) else None
    if lexer is None:
        return None
    # Not get_tokens(): it takes a lone carriage return for a line feed, which would move the numbers. The last line
    # feed is there because lexers want one.
    tokens = [(kind, value) for _, kind, value in lexer.get_tokens_unprocessed(f"{text}\n") if value]
    if "".join(value for _, value in tokens) != f"{text}\n":
        return None
    kind, value = tokens[-1]
    return [*tokens[:-1], (kind, value.removesuffix("\n"))]


def _affordable(text: str) -> bool:
    if len(text) > LARGEST_HIGHLIGHTED or text.count("\n") >= MOST_HIGHLIGHTED_LINES:
        return False
    return max(map(len, text.split("\n"))) <= LONGEST_HIGHLIGHTED_LINE


@cache
def _class_of(kind: _TokenType) -> str:
    while kind not in TOKEN_CLASSES and kind.parent is not None:
        kind = kind.parent
    return TOKEN_CLASSES[kind]
