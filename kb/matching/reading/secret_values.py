"""Secrets that the name before them tells: passwords, keys, tokens, headers; pure.

Error texts are full of these names (``KeyError: 'password'``, ``token expired``), so a value must stand behind a sign
and must be no ordinary word, placeholder or expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kb.matching.reading.secret_tokens import Span

__all__ = ["find_values"]

_VALUE: Final = r"""(?:
    \\(?P<escape>["'])(?P<escaped>[^"'\\\r\n]*+)
  | "(?P<double>(?:[^"\\\r\n]|\\.)*+)
  | '(?P<single>(?:[^'\\\r\n]|\\.)*+)
  | (?P<bare>[^\s"'`,;&<>()\[\]{}|\\]{1,200}+)
)"""
_ASSIGNED: Final = (
    rf"""\\?["']?[ \t]{{0,3}}(?:(?P<equals>={{1,3}}>?|:=)[ \t]{{0,3}}|:[ \t]{{0,3}})(?:[rbfu](?=["']))?{_VALUE}"""
)
_BEHIND: Final[tuple[tuple[str, str, re.Pattern[str]], ...]] = tuple(
    (kind, sign, re.compile(name + _ASSIGNED, re.VERBOSE))
    for kind, sign, name in (
        ("password", "pass", "pass(?P<rest>word|wd|phrase|code|)"),
        ("password", "pwd", "pwd"),
        ("key", "key", "key(?:[_-]id)?"),
        ("key", "secret", "secret(?:[_-]?(?:access[_-]?)?key)?"),
        ("token", "token", "token"),
        ("token", "credential", "credentials?"),
        ("token", "jwt", "jwt"),
        ("token", "sig=", "sig(?==)"),
        ("token", "signature=", "signature(?==)"),
        ("token", "sessionid=", "sessionid(?==)"),
        ("token", "session_id=", "session_id(?==)"),
        ("token", "sessid=", "sessid(?==)"),
        ("token", ".sid=", "[.]sid(?==)"),
        ("token", "verifier=", "verifier(?==)"),
    )
)
"""Kind, the word that leads to a name, and the rest of the name with its value. Words are searched as plain text."""
_KEY_KINDS: Final = "api app access secret private account signing encryption auth master license"
_BEFORE_KEY: Final = tuple(kind + joint for kind in _KEY_KINDS.split() for joint in ("", "_", "-"))
_REST: Final = re.compile(r"""[^\s"'`,;&<>()\[\]{}|\\]*+""")
_OPTION: Final = re.compile(
    r"(?<![\w-])--(?=[a-z])(?:[a-z-]{0,40}-)?(?:password|token|secret|api-?key|access-key|pass)[ ]{1,3}"
    r"(?P<bare>[^\s\-\"'`$<\[{\u2039][^\s\"'`]*+)"
)
_HEADER: Final = re.compile(
    r"""authorization\\?["']?[ ]{0,3}[:=][ ]{0,3}\\?["']?
    (?:bearer|basic|token|digest|negotiate|apikey)?[ ]{0,3}
    (?P<header>(?!(?:(?:bearer|basic|token|digest|negotiate|apikey)[ ]{0,3})?\u2039)[^\s"'\\,;]{6,8000}+)""",
    re.VERBOSE,
)
_BEARER: Final = re.compile(r"\bbearer[ ]{1,3}(?P<bearer>(?=[a-z._~+/-]{0,200}[0-9])[a-z0-9._~+/-]{16,8000}+={0,2})")
_COOKIE: Final = re.compile(
    r"""\b(?:set-)?cookie\\?["']?[ ]{0,3}:[ ]{0,3}\\?["']?(?P<cookie>\w[^\r\n"'=]{0,200}=[^\r\n"'\\]++)"""
)
_ORDINARY: Final = """
    none null nil undefined true false required invalid missing expired empty redacted hidden masked filtered unset
    default string str text bytes int number object optional error failed unknown yes no not wrong incorrect rejected
    denied revoked blank password passwd secret token key value test example changeme your the is was has must should
    cannot can could may and or for in to of a an this that with from when if set use see got expected unexpected"""
_WORDS: Final = frozenset(_ORDINARY.split())
_BEFORE: Final = ("unexpected ", "unknown ", "illegal ", "expected ", "invalid ", "duplicate ", "unexpected_")
_PATH: Final = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")
_NAME_ONLY: Final = re.compile(
    r"[a-z_-]{0,40}?(?:password|passwd|pwd|pass|passphrase|key|secret|token|credentials?|jwt)"
)
_PLACEHOLDER: Final = "$<{%[(\u2039"
"""What a value begins with that stands for another: also the mark of a secret that was hidden before."""
_SHORTEST: Final = 6
_LONGEST_LOOK: Final = 60
"""A value that is no secret is searched for another name only when it is short: it costs."""


def find_values(text: str) -> Iterator[Span]:
    """The secret values of a text."""
    lowered = text.lower()
    if len(lowered) != len(text):  # one letter of Turkish becomes two
        lowered = text.replace("\u0130", "i").lower()
    yield from _behind_names(text, lowered)
    if "--" in lowered:
        for found in _OPTION.finditer(lowered):
            yield *found.span("bare"), "password" if "pass" in found[0] else "token"
    for sign, pattern, kind in _HEADERS:
        if sign in lowered:
            for found in pattern.finditer(lowered):
                yield *found.span(found.lastgroup or 0), kind


_HEADERS: Final = (
    ("authorization", _HEADER, "authorization"),
    ("bearer", _BEARER, "authorization"),
    ("cookie", _COOKIE, "cookie"),
)


def _behind_names(text: str, lowered: str) -> Iterator[Span]:
    """The secret values behind the names of secrets."""
    for kind, sign, pattern in _BEHIND:
        position = lowered.find(sign)
        while position >= 0:
            end = position + len(sign)
            if found := pattern.match(lowered, position):
                if span := _named(text, lowered, found):
                    yield *span, kind
                    end = span[1]
                elif found.end() > end + _LONGEST_LOOK:
                    end = found.end()
            position = lowered.find(sign, end)


def _named(text: str, lowered: str, found: re.Match[str]) -> tuple[int, int] | None:
    """The value behind a name, if it is a secret."""
    name = found.start()
    group = found.lastgroup or "bare"
    start, end = found.span(group)
    value = text[start:end]
    if lowered.endswith(_BEFORE, 0, name) or not _is_name(lowered, found) or not _may_be_secret(value):
        return None
    if group == "bare":
        expression = lowered[end : end + 1] in {"(", "["} or _PATH.fullmatch(lowered, start, end) is not None
        named = _NAME_ONLY.fullmatch(lowered, start, end) is not None
        if expression or named or not (found["equals"] or _is_alone(lowered, found) or _is_mixed(value)):
            return None
        rest = _REST.match(lowered, end)
        end = rest.end() if rest else end
    elif " " in value and not any(character.isdigit() for character in value):
        return None
    return start, end


def _is_name(lowered: str, found: re.Match[str]) -> bool:
    """Whether a word is really that of a secret: ``key`` and ``pass`` alone are not."""
    name = found.start()
    if lowered.startswith("key", name):
        return lowered.endswith(_BEFORE_KEY, 0, name)
    return not lowered.startswith("pass", name) or bool(found["rest"]) or lowered.endswith(("_", "-"), 0, name)


def _may_be_secret(value: str) -> bool:
    """Whether a value is neither a placeholder nor one of the words that stand there in error messages."""
    if not value or value[0] in _PLACEHOLDER or not value.strip("*.xX•-_ "):
        return False
    return value.casefold().strip(".,:;!?") not in _WORDS and not (value.isdigit() and len(value) < _SHORTEST)


def _is_alone(lowered: str, found: re.Match[str]) -> bool:
    """Whether name and value are a line of their own, as in YAML."""
    line = lowered.rfind("\n", max(0, found.start() - 60), found.start()) + 1
    before = lowered[line : found.start()] if line or found.start() <= 60 else "?"  # noqa: PLR2004  the bound above
    after = lowered[found.end() : found.end() + 2]
    return " " not in before.strip(" -") and (not after or after[0] in "\r\n")


def _is_mixed(value: str) -> bool:
    """Whether a value holds digits or signs among its letters, as no word does."""
    return (
        len(value) >= _SHORTEST
        and any(character.isdigit() for character in value)
        and any(character.isalpha() for character in value)
    )
