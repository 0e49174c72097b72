"""The function around a line of a snippet, by the heads of functions in each language; pure.

No parser: snippets begin and end anywhere. The nearest head above that is indented less than the line counts. Snippets
are untrusted, so each line is looked at once, up to a bound, by expressions that cannot backtrack far.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["enclosing_function"]

_MOST_LINES: Final = 400
_LONGEST: Final = 240  # characters of a line that are looked at
_NAME: Final = r"(?P<name>[A-Za-z_$#][\w$]{0,99})"

_DEF: Final = rf"(?:async )?def (?:self\.)?{_NAME}"
_BRACED: Final = (
    # A method: words of modifiers and types, a name, parentheses, and no word that begins a statement.
    r"(?!(?:return|throw|new|else|if|for|while|switch|catch|await|yield|case|using|do|try)\b)"
    rf"(?:[\w<>\[\],.&*:?~@]{{1,60}} ){{0,6}}(?:[\w<>~]{{1,80}}::){{0,4}}[*&]{{0,2}}"
    rf"{_NAME}(?:<[\w, ?]{{1,60}}>)?\((?!.*;$)"
)
_SCRIPT: Final = (
    rf"(?:export )?(?:default )?(?:async )?function ?\*? ?{_NAME}"
    r"|(?:export )?(?:const|let|var) (?P<constant>[A-Za-z_$][\w$]{0,99})(?:: ?[^=]{1,80})? = (?:async )?"
    r"(?:function\b|\(|[\w$]{1,60} =>)"
    r"|(?P<member>[A-Za-z_$#][\w$]{0,99})(?: ?= ?|: )(?:async )?"
    r"(?:function\b|\([^()]{0,160}\)(?:: ?[^=]{1,80})? =>)"
    r"|(?:(?:public|private|protected|static|async|override|get|set|readonly|abstract) ){0,4}\*?"
    r"(?P<method>(?!if\b|for\b|while\b|switch\b|catch\b|function\b|return\b)[A-Za-z_$#][\w$]{0,99})(?:<[^<>()]{1,60}>)?\([^;]*$"
)
_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    language: re.compile(form)
    for languages, form in {
        "Python Cython": _DEF,
        "Ruby Crystal Elixir": r"(?:def|defp|defmacro) (?:self\.)?(?P<name>[A-Za-z_]\w{0,99}[?!=]?)",
        "JavaScript TypeScript TSX Vue Svelte Astro CoffeeScript": _SCRIPT,
        "Go": rf"func (?:\([^()]{{0,80}}\) )?{_NAME}",
        "Rust": rf"(?:[\w()\"]{{1,20}} ){{0,5}}fn {_NAME}",
        "Kotlin": rf"(?:[\w@]{{1,30}} ){{0,6}}fun (?:<[^<>]{{1,60}}> )?(?:[\w<>?]{{1,60}}\.)?{_NAME}",
        "Scala": rf"(?:[\w\[\]@]{{1,30}} ){{0,5}}def {_NAME}",
        "Swift": rf"(?:[\w@]{{1,30}} ){{0,6}}func {_NAME}",
        "PHP": rf"(?:[\w]{{1,30}} ){{0,5}}function &?{_NAME}",
        "Lua": r"(?:local )?function (?P<name>[\w.:]{1,100})",
        "Perl": rf"sub {_NAME}",
        "Java C# C++ C Groovy Dart Cuda": _BRACED,
    }.items()
    for language in languages.split()
}
_OTHER: Final = re.compile(rf"(?:\w{{1,20}} ){{0,3}}(?:def|func|function|fn|fun|sub) {_NAME}")
_NO_HEAD: Final = ("/", "*", "# ", "{", "}", ")")  # comments and brackets, which may be indented as the head is
_SPACES: Final = re.compile(r"[ \t]+")


def enclosing_function(source: str, line: int | None, language: str) -> str:
    """The name of the function around the line at the 0-based index ``line`` of a snippet; empty when none is seen.

    Without an index the last line counts.
    """
    lines = source.split("\n", _MOST_LINES)[:_MOST_LINES]
    if line is None or not 0 <= line < len(lines):
        line = len(lines) - 1
    form = _FORMS.get(language, _OTHER)
    indent = _indent(lines[line])
    for index in range(line, -1, -1):
        text = lines[index][:_LONGEST]
        own = _indent(text)
        if index < line and own >= indent:
            continue
        stripped = text.strip()
        if not stripped or stripped.startswith(_NO_HEAD):
            continue
        if "\t" in stripped or "  " in stripped:
            stripped = _SPACES.sub(" ", stripped)
        if found := form.match(stripped):
            return next((value for value in found.groupdict().values() if value), "")
        if index < line:
            indent = min(indent, own) if own else indent
    return ""


def _indent(text: str) -> int:
    """The columns of white space before a line, a tab counting as four."""
    text = text[:_LONGEST]
    width = len(text) - len(text.lstrip(" \t"))
    return width + 3 * text.count("\t", 0, width)
