"""Harmless Markdown: text of a dataset inside Markdown answers.

Prose is parsed and written again, so that only paragraphs, emphasis, code, lists, quotes and http links remain
structure; whatever else it holds (headings, HTML, images, other links, control characters) is escaped into text. Text
in a document made of these functions cannot forge a heading of it, close a fence of it or bring a link that runs code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from kb.present.code_lexers import LEXERS
from kb.present.invisible import visible_text
from kb.present.markdown_parser import allowed_link, parse, parse_inline, words_of

__all__ = [
    "address",
    "escape_line",
    "escape_text",
    "fence",
    "indented",
    "inline_code",
    "link",
    "markdown_line",
    "markdown_source",
]

_BACKTICKS = re.compile(r"`+")
_ENTITY = re.compile(r"&(?=#?\w+;)")
# Anywhere: a backslash before punctuation, code and emphasis, entities, tags, what could make a link of brackets.
_ANYWHERE = (
    (re.compile(r"\\(?=[!-/:-@\[-`{-~]|[ \t]*$)", re.MULTILINE), r"\\\\"),
    (re.compile(r"([`*])"), r"\\\1"),
    (_ENTITY, "&amp;"),
    (re.compile(r"<(?=[A-Za-z/!?])"), "&lt;"),
    (re.compile(r"\](?=[(:\[])"), r"]\\"),
    (re.compile(r"(?<!\w)_+|_+(?!\w)"), lambda found: "\\_" * len(found[0])),
    (re.compile(r"~~"), r"\\~\\~"),
)
# Where a line begins: heading, quote, list, table, underline of a heading, rule. Blanks go: they could mean code.
_BEGINNING = (
    (re.compile(r"^[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^(?=[#>|]|-(?:[-\s|:]|$)|\+(?:\s|$)|=+\s*$|:-)", re.MULTILINE), r"\\"),
    (re.compile(r"^(\d{1,9})(?=[.)](?:\s|$))", re.MULTILINE), r"\1\\"),
)
_MARKS = {
    "em_open": "*",
    "em_close": "*",
    "strong_open": "**",
    "strong_close": "**",
    "softbreak": "\n",
    "hardbreak": "\\\n",
}
_LARGEST_LIST_NUMBER = 9_999  # a number of ten digits would make no list


def _escaped(text: str, *, beginning: bool) -> str:
    """Literal Markdown for ``text``, which begins a line or follows something on it."""
    escaped = visible_text(text)
    for pattern, replacement in (*_ANYWHERE, *_BEGINNING) if beginning else _ANYWHERE:
        escaped = pattern.sub(replacement, escaped)
    return escaped


def escape_text(text: str) -> str:
    """``text`` as literal Markdown text, its line feeds kept, without the blanks before lines."""
    return _escaped(text, beginning=True)


def escape_line(text: str) -> str:
    """``text`` as literal Markdown text on one line, for headings and list items."""
    return escape_text(" ".join(text.split()))


def _run(text: str, least: int) -> str:
    """A run of backticks longer than any in ``text``, at least ``least``."""
    return "`" * max([least, *(len(found) + 1 for found in _BACKTICKS.findall(text))])


def inline_code(text: str) -> str:
    """``text`` as inline code on one line; an empty text as two quotation marks in code."""
    shown = " ".join(visible_text(text).splitlines()) or '""'
    ticks = _run(shown, 1)
    edges = shown[0] + shown[-1] if shown.strip(" ") else ""  # blanks alone are kept as they are
    pad = " " if "`" in edges or " " in edges else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(code: str, language: str | None) -> str:
    """``code`` as a fenced block, its fence longer than any run of backticks inside."""
    shown = visible_text(code).removesuffix("\n")
    ticks = _run(shown, 3)
    alias = LEXERS.get(language.casefold(), "") if language else ""
    return f"{ticks}{alias}\n{shown}\n{ticks}"


def link(words: str, url: str) -> str:
    """A link with literal ``words``; ``url`` is one of ours or passed the parser's ``allowed_link``."""
    return f"[{_linkable(escape_line(words))}]({address(url)})"


def _linkable(escaped: str) -> str:
    """Escaped words that cannot end the link which they stand in."""
    return re.sub(r"(?<!\\)([\[\]])", r"\\\1", escaped)


def address(url: str) -> str:
    """``url`` as it can stand between the parentheses of a link."""
    safe = {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20", "\\": "%5C", "\n": "%0A", "\t": "%09"}
    escaped = "".join(safe.get(character, character) for character in visible_text(url))
    return _ENTITY.sub("&amp;", escaped)


def markdown_line(text: str) -> str:
    """Markdown ``text``, read as one paragraph, as harmless Markdown on one line."""
    children = parse_inline(text)
    if children is None:
        return escape_line(text)
    return re.sub(r"\\?\n", " ", _inline(children))


def markdown_source(text: str) -> str:
    """Markdown ``text`` as harmless Markdown blocks. Text that is too much to parse comes out as literal paragraphs."""
    tokens = parse(text)
    if tokens is None:
        return escape_text(text.strip())
    return "\n\n".join(_blocks(tokens)).strip()


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    """Each block among ``tokens``, whose first token is at the level of all of them, as Markdown."""
    position = 0
    while position < len(tokens):
        end = _end(tokens, position)
        made = _block(tokens[position], tokens[position + 1 : end])
        if made:
            yield made
        position = end + 1


def _end(tokens: Sequence[Token], position: int) -> int:
    """Where the block that begins at ``position`` ends: its closing token, or itself."""
    if tokens[position].nesting != 1:
        return position
    level = tokens[position].level
    end = position + 1
    while tokens[end].level != level or tokens[end].nesting != -1:
        end += 1
    return end


def _block(token: Token, inside: Sequence[Token]) -> str:
    match token.type:
        case "paragraph_open":
            made = _inline(_children(inside))
        case "heading_open":
            made = _heading(inside)
        case "fence" | "code_block":
            made = fence(token.content, token.info.strip().partition(" ")[0])
        case "bullet_list_open" | "ordered_list_open":
            made = _list(token, inside)
        case "blockquote_open":
            lines = "\n\n".join(_blocks(inside)).split("\n")
            made = "\n".join(f"> {line}" if line else ">" for line in lines)
        case "hr":
            made = "* * *"
        case _:
            made = escape_text(token.content)
    return made


def _heading(inside: Sequence[Token]) -> str:
    """A heading as a bold line: the headings of a document are ours."""
    words = re.sub(r"\\?\n", " ", _inline(_children(inside)))
    return f"**{words}**" if words and "*" not in words else words


def _list(token: Token, inside: Sequence[Token]) -> str:
    if token.type == "bullet_list_open":
        return "\n".join(indented(item, "- ") for item in _items(inside))
    first = min(int(token.attrs.get("start", 1)), _LARGEST_LIST_NUMBER)
    return "\n".join(indented(item, f"{number}. ") for number, item in enumerate(_items(inside), first))


def _items(tokens: Sequence[Token]) -> Iterator[str]:
    position = 0
    while position < len(tokens):
        end = _end(tokens, position)
        yield "\n\n".join(_blocks(tokens[position + 1 : end]))
        position = end + 1


def indented(block: str, marker: str) -> str:
    """``block`` as one list item: its first line behind ``marker``, the others below it."""
    first, *others = block.split("\n")
    pad = " " * len(marker)
    return "\n".join([f"{marker}{first}".rstrip(), *(f"{pad}{line}" if line else "" for line in others)])


def _children(inside: Sequence[Token]) -> Sequence[Token]:
    """The inline tokens of a paragraph or heading."""
    return [child for token in inside if token.type == "inline" for child in token.children or []]


def _inline(children: Sequence[Token]) -> str:
    made = ""
    addresses: list[str] = []
    for child in children:
        piece = _piece(child, addresses, beginning=not made or made.endswith("\n"))
        if piece.startswith("[") and made.endswith("!"):
            made = f"{made[:-1]}\\!"  # or the link would be an image
        made += piece
    return made.strip()


def _piece(child: Token, addresses: list[str], *, beginning: bool) -> str:
    """One inline token as Markdown; ``addresses`` holds those of the links that are open."""
    if child.type in _MARKS:
        return _MARKS[child.type]
    match child.type:
        case "code_inline":
            made = inline_code(child.content)
        case "link_open":
            addresses.append(str(child.attrs["href"]))
            made = "[" if addresses[-1] else ""  # [words]() is a link to nowhere
        case "link_close":
            url = addresses.pop()
            made = f"]({address(url)})" if url else ""
        case "image":
            made = _image(child, inside_link=bool(addresses))
        case _:
            escaped = _escaped(child.content, beginning=beginning)
            made = _linkable(escaped) if addresses else escaped
    return made


def _image(token: Token, *, inside_link: bool) -> str:
    source = str(token.attrs.get("src", ""))
    words = words_of(token.children or []).strip() or source
    if inside_link or not allowed_link(source):
        return _linkable(escape_line(words))
    return link(words, source)
