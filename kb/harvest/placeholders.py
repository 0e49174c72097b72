"""Message templates with their placeholders named: what fills ``%s``, ``{}`` and ``$x`` is written into braces.

A placeholder that comes out is one that :func:`kb.records.messages.split_message` sees as one; an expression that
cannot stand in braces is told by the last name in it.
"""

from __future__ import annotations

import ast
import keyword
import re
import string
from collections.abc import Mapping, Sequence
from typing import Final

from kb.records.messages import split_message

__all__ = ["count_verbs", "from_dollars", "from_format", "from_percent", "literal_weight", "placeholder"]

_SIMPLE: Final = re.compile(r"[A-Za-z_][\w.]{0,120}")
_LITERAL: Final = re.compile(r"[0-9]{1,20}|'[^'\\]*'|\"[^\"\\]*\"")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_PERCENT: Final = re.compile(
    r"%(?:%|(?:\((?P<name>[^()]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|[0-9]+)?(?:\.(?P<digits>\*|[0-9]+))?[hlL]?"
    r"(?P<verb>[diouxXeEfFgGcrsa]))"
)
_DOLLAR: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")
_INDEX: Final = re.compile(r"(?P<index>[0-9]*)(?P<rest>[.\[].*)?", re.DOTALL)
_CONVERSIONS: Final = {"r": "!r", "a": "!a"}


def placeholder(source: str, conversion: str = "", form: str = "") -> str:
    """The expression in braces, with ``!r`` and the like and the format after a colon as far as they fit.

    A plain text or number is itself.
    """
    if _LITERAL.fullmatch(source) and (not form or form in "sd"):
        return source if conversion == "!r" or source.isdigit() else str(ast.literal_eval(source))
    if not conversion and not form and _SIMPLE.fullmatch(source):
        return f"{{{source}}}"
    suffixes = (f"{conversion}:{form}", conversion) if form else (conversion,)
    for suffix in suffixes:
        text = f"{{{source}{suffix}}}"
        segments = split_message(text)
        if len(segments) == 1 and segments[0].kind == "placeholder":
            return text
    names = [name for name in _NAME.findall(source) if not keyword.iskeyword(name)]
    return f"{{{names[-1]}}}" if names else "{value}"


def literal_weight(template: str) -> int:
    """How many letters and digits of the template are text, not placeholder."""
    texts = (segment.text for segment in split_message(template) if segment.kind == "text")
    return sum(character.isalnum() for text in texts for character in text)


def from_percent(template: str, arguments: Sequence[str] | None) -> str:
    """The template of a ``%`` operation; ``arguments`` are sources by position, None when they cannot be told apart.

    Named verbs stay as they are; so does a verb that no argument is known for.
    """
    left = list(arguments or ())

    def named(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if match["name"] is not None or arguments is None:
            return match[0]
        for part in ("width", "digits"):
            if match[part] == "*" and left:
                left.pop(0)
        if not left:
            return match[0]
        verb, source = match["verb"], left.pop(0)
        number = match[0][1:] if match[0][1:-1] and verb not in "rsa" and "*" not in match[0] else ""
        return placeholder(source, _CONVERSIONS.get(verb, ""), number)

    return _PERCENT.sub(named, template)


def count_verbs(template: str) -> int:
    """How many arguments a ``%`` operation takes by position."""
    return sum(match[0] != "%%" and match["name"] is None for match in _PERCENT.finditer(template))


def from_format(template: str, arguments: Sequence[str], texts: Mapping[str, str]) -> str:
    """The template of ``str.format``; positional fields take the arguments' sources, named ones stay.

    ``texts`` are keyword arguments that are plain text, which is put in. A template that ``format`` refuses is
    returned as it is.
    """
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return template
    result, following = [], 0
    for literal, field, form, conversion in parts:
        result.append(literal)
        if field is None:
            continue
        if field in texts:
            result.append(texts[field])
            continue
        match = _INDEX.fullmatch(field)
        if match is not None:
            index = int(match["index"] or following)
            following += not match["index"]
            if index < len(arguments):
                field = arguments[index] + (match["rest"] or "")  # noqa: PLW2901 - the field, named
        suffix = f"!{conversion}" if conversion else ""
        result.append(placeholder(field, suffix, form or "") if field else "{}")
    return "".join(result)


def from_dollars(template: str) -> str:
    """The template of ``string.Template`` with ``{name}`` for ``$name``."""

    def braced(match: re.Match[str]) -> str:
        return "$" if match["dollar"] else f"{{{match['name'] or match['braced']}}}"

    return _DOLLAR.sub(braced, template)
