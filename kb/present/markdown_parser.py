"""Markdown text → tokens of a safe subset, with bounded work.

The subset is CommonMark without HTML, without link definitions (they would swallow text) and without ``_`` for emphasis
(``__init__`` and ``snake_case`` are names far more often than emphasis). Links go to http and https only; any other
stays as it was written. Headings, images and the rest are the renderers' business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token

from kb.present.invisible import visible_text
from kb.records.text import one_line

__all__ = ["LARGEST_PARSED", "allowed_link", "parse", "parse_inline", "plain_excerpt", "words_of"]

LARGEST_PARSED = 16_384  # characters; the parser takes up to a third of a second for the worst of that length
_DEEPEST = 20
_WEB_LINK = re.compile(r"https?://[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?::[0-9]{1,5})?(?:[/?#]|$)", re.IGNORECASE)


def allowed_link(url: str) -> bool:
    """Whether a text of a dataset may link to ``url``: absolute http or https with a plain host, without a login."""
    return _WEB_LINK.match(url) is not None


def _asterisk_emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the signature of a rule
    return state.src[state.pos] != "_" and emphasis.tokenize(state, silent)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _DEEPEST}).disable(["reference"])
    parser.inline.ruler.at("emphasis", _asterisk_emphasis)
    parser.validateLink = allowed_link  # type: ignore[method-assign] # the documented way
    return parser


_PARSER = _parser()


def parse(text: str) -> Sequence[Token] | None:
    """The block tokens of ``text``; ``None`` when it is too long or too deep to be parsed in full."""
    if len(text) > LARGEST_PARSED:
        return None
    tokens = _PARSER.parse(text)
    # The parser drops what lies deeper than its limit; a token just above the limit is the sign that it may have.
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        return None
    return tokens


def parse_inline(text: str) -> Sequence[Token] | None:
    """The tokens of ``text`` read as one paragraph, or ``None`` as in :func:`parse`."""
    if len(text) > LARGEST_PARSED:
        return None
    return _PARSER.parseInline(text)[0].children or []


def words_of(tokens: Sequence[Token]) -> str:
    """What ``tokens`` say, without any markup; a blank between blocks and for a line feed."""
    return "".join(_words(tokens))


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is not None:
            yield from _words(token.children)
            yield " " if token.type == "inline" else ""
        elif token.type in {"softbreak", "hardbreak"}:
            yield " "
        else:
            yield token.content
            yield " " if token.block else ""


def plain_excerpt(text: str, limit: int) -> str:
    """The beginning of Markdown ``text`` as plain words on one line, in at most ``limit`` characters."""
    head = text[: limit * 4 + 400]  # markup takes room, and a cut in it does not matter
    tokens = parse(head)
    words = head if tokens is None else words_of(tokens)
    line = one_line(visible_text(words), limit)
    return line if len(head) == len(text) or line.endswith("…") else one_line(f"{line} …", limit)
