"""The placeholders of a message template.

``errorMessage`` stands as in the source, with whatever its language uses to fill in values: ``{name}``, ``{}``,
``{x!r:>5}``, ``${expr}``, ``#{expr}``, ``%s``, ``%-5d``, ``%(name)s``, ``%1$s``, ``%[2]d``. What is and what is not a
placeholder cannot always be told (``{a, b}`` is a set in one text and a format in another); in doubt it is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

__all__ = ["Segment", "fill_message", "split_message"]

_MOST: Final = 50_000  # characters of a message in which placeholders are looked for
_LONGEST: Final = 200  # characters in a placeholder
_DEEPEST: Final = 6  # braces within braces

_PRINTF: Final = re.compile(
    r"%(?:\((?P<name>[^()\n]{1,80})\)|[0-9]{1,2}\$|\[[0-9]{1,2}\])?"  # %(name)s, %1$s, %[1]s
    r"[-+#0']{0,4}(?:[0-9]{1,4}|\*)?(?:\.(?:[0-9]{1,4}|\*)?)?"
    r"(?:hh|h|ll|l|L|q|j|z|t|I64)?(?P<verb>[sdifrqvwxuTpcgeoXEGabtU@])"
)
_BEFORE_LETTERS: Final = "sdifuxX"  # verbs that letters may follow, as in %dms
_OPENING: Final = re.compile(r"[{%]|[$#](?=\{)")
# How the inside of bare braces begins when it is an expression or a format, not JSON, a set or prose.
_EXPRESSION: Final = re.compile(r"""\s?[A-Za-z_$@(\[*0-9]|[!:]|(?:"[^"\n]*"|'[^'\n]*')(?:\.|\[| if | % )""")
_PLURAL: Final = re.compile(r"\s*\w+\s*,\s*(?:plural|select|selectordinal|number|date|time|list)\b")
_ALIGNED: Final = re.compile(r"\s*[\w.]+\s*,\s*-?[0-9]+(?::[^,]*)?")


class Segment(NamedTuple):
    """A run of a message: literal text, or one placeholder as written."""

    kind: Literal["text", "placeholder"]
    text: str


def split_message(message: str) -> tuple[Segment, ...]:
    """The message cut into literal text and placeholders; the parts join back to it exactly.

    Linear in its length; what comes after 50,000 characters is text.
    """
    return tuple(_segments(message))


def fill_message(message: str, value: str = "x1") -> str:
    """The message with every placeholder replaced by a value, as a program might print it."""
    return "".join(text if kind == "text" else value for kind, text in split_message(message))


def _segments(message: str) -> Iterator[Segment]:
    start = position = 0
    while opening := _OPENING.search(message, position, _MOST):
        begin = opening.start()
        end = _printf_end(message, begin) if opening[0] == "%" else _braces_end(message, begin)
        if end is None:
            position = _past(message, begin)
            continue
        if begin > start:
            yield Segment("text", message[start:begin])
        yield Segment("placeholder", message[begin:end])
        start = position = end
    if start < len(message):
        yield Segment("text", message[start:])


def _past(message: str, begin: int) -> int:
    """Where to go on after a character that opens nothing; both characters of ``%%`` are text."""
    return begin + 2 if message.startswith("%%", begin) else begin + 1


def _printf_end(message: str, begin: int) -> int | None:
    """The end of the printf verb at ``begin``; ``100%done``, ``%run`` and URL escapes such as ``%2Fa`` are text."""
    if message.startswith("%%", begin) or (match := _PRINTF.match(message, begin)) is None:
        return None
    end = match.end()
    between = message[begin + 1 : end - 1]
    if match["verb"] in "abceE" and between.isdigit():
        return None
    loose = not between and begin > 0 and message[begin - 1].isdigit()
    if (loose or match["verb"] not in _BEFORE_LETTERS) and message[end : end + 1].isalpha():
        return None
    return end


def _braces_end(message: str, begin: int) -> int | None:
    """The end of the braces that open at ``begin`` (with ``$`` or ``#`` before them), if they hold a placeholder."""
    marked = message[begin] != "{"
    inside = begin + 1 + marked
    close = _closing_brace(message, inside)
    if close is None:
        return None
    content = message[inside:close]
    return close + 1 if marked or not content or _is_expression(content) else None


def _closing_brace(message: str, inside: int) -> int | None:
    depth = 1
    for position in range(inside, min(len(message), inside + _LONGEST)):
        character = message[position]
        if character == "\n":
            return None
        if character == "{":
            depth += 1
            if depth > _DEEPEST:
                return None
        elif character == "}":
            depth -= 1
            if depth == 0:
                return position
    return None


def _is_expression(content: str) -> bool:
    if content[0] == "{" and content[-1] == "}":  # {{name}} of template languages
        content = content[1:-1].strip() or " "
    if _EXPRESSION.match(content) is None:
        return False
    if _PLURAL.match(content):
        return True
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|'[^']*'|\{[^{}]*\}", "", content)
    if "," in outside:
        return _ALIGNED.fullmatch(content) is not None
    return not (content[0] == " " and content[-1] != " ")
