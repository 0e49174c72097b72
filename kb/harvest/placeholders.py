"""Message templates with placeholders: those of ``%`` and ``format`` as written, expressions of f-strings in braces.

A placeholder made here is one that :func:`kb.records.messages.split_message` sees as one; an expression that
cannot stand in braces is told by the last name in it.
"""

from __future__ import annotations

import ast
import keyword
import re
import string
from typing import Final

from kb.records.messages import split_message

__all__ = ["from_dollars", "from_format", "from_percent", "literal_weight", "placeholder"]

_SIMPLE: Final = re.compile(r"[A-Za-z_][\w.]{0,120}")
_LITERAL: Final = re.compile(r"[0-9]{1,20}|'[^'\\]*'|\"[^\"\\]*\"")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_DOLLAR: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})")


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


def from_percent(template: str) -> str:
    """The template of a ``%`` operation: its verbs as they are, ``%%`` as the one sign that is printed."""
    return template.replace("%%", "%")


def from_format(template: str) -> str:
    """The template of ``str.format``: its fields as they are, doubled braces as the single ones that are printed.

    A template that ``format`` refuses is returned as it is.
    """
    if "{{" not in template and "}}" not in template:
        return template
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError:
        return template
    result = []
    for literal, field, form, conversion in parts:
        result.append(literal)
        if field is not None:
            result.append("{" + field + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}")
    return "".join(result)


def from_dollars(template: str) -> str:
    """The template of ``string.Template`` with ``${name}`` also for ``$name``."""

    def braced(match: re.Match[str]) -> str:
        return "$" if match["dollar"] else f"${{{match['name'] or match['braced']}}}"

    return _DOLLAR.sub(braced, template)
