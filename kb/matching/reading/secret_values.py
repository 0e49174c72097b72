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

_NAMES: Final = r"""
    (?P<password>password|passwd|passphrase|passcode|pwd|(?<=[_-])pass)
  | (?P<key>(?:api|app|access|secret|private|account|signing|encryption|auth|master|license|shared[_-]?access)[_-]?key
      |access[_-]key[_-]id|secret[_-]?access[_-]?key|(?:client|app|consumer|shared)?[_-]?secret(?:[_-]?key)?)
  | (?P<token>(?:access|auth|refresh|id|session|security|csrf|api|bot|oauth|auth)?[_-]?token|credentials?|jwt)"""
_PARAMETERS: Final = r"(?:sig|signature|sessionid|session[_-]id|connect[.]sid|phpsessid|jsessionid|code_verifier)(?==)"
"""Names that are telling only where a URL or a cookie has them."""
_VALUE: Final = r"""(?:
    \\(?P<escape>["'])(?P<escaped>[^"'\\\r\n]*+)
  | "(?P<double>(?:[^"\\\r\n]|\\.)*+)
  | '(?P<single>(?:[^'\\\r\n]|\\.)*+)
  | (?P<bare>[^\s"'`,;&<>()\[\]{}|\\]++)
)"""
_NAMED: Final = re.compile(
    rf"""(?:{_NAMES}|{_PARAMETERS})\\?["']?[ \t]{{0,3}}
    (?:(?P<equals>={{1,3}}>?|:=)[ \t]{{0,3}}|:[ \t]{{0,3}})[rbfu]?{_VALUE}""",
    re.VERBOSE,
)
_OPTION: Final = re.compile(
    r"(?<![\w-])--(?=[a-z])(?:[a-z-]{0,40}-)?(?:password|token|secret|api-?key|access-key|pass)[ ]{1,3}"
    r"(?P<bare>[^\s\-\"'`$<\[{][^\s\"'`]*+)"
)
_HEADER: Final = re.compile(
    r"""authorization\\?["']?[ ]{0,3}[:=][ ]{0,3}\\?["']?
    (?:bearer|basic|token|digest|negotiate|apikey)?[ ]{0,3}
    (?P<header>[^\s"'\\,;]{6,8000}+)""",
    re.VERBOSE,
)
_BEARER: Final = re.compile(r"\bbearer[ ]{1,3}(?P<bearer>(?=[a-z._~+/-]{0,200}[0-9])[a-z0-9._~+/-]{16,8000}+={0,2})")
_COOKIE: Final = re.compile(
    r"""\b(?:set-)?cookie\\?["']?[ ]{0,3}:[ ]{0,3}\\?["']?(?P<cookie>\w[^\r\n"'=]{0,200}=[^\r\n"'\\]++)"""
)
_SIGNS: Final = ("pass", "pwd", "key", "secret", "token", "credential", "jwt", "sig", "session", "sid=", "verifier")

_ORDINARY: Final = """none null nil undefined true false required invalid missing expired empty redacted hidden masked filtered unset
    default string str text bytes int number object optional error failed unknown yes no not wrong incorrect rejected
    denied revoked blank password passwd secret token key value test example changeme your the is was has must should
    cannot can could may and or for in to of a an this that with from when if set use see got expected unexpected"""
_WORDS: Final = frozenset(_ORDINARY.split())
_BEFORE: Final = ("unexpected ", "unknown ", "illegal ", "expected ", "invalid ", "duplicate ", "unexpected_")
_PATH: Final = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")
_NAME_ONLY: Final = re.compile(rf"[a-z_]{{0,30}}?(?:{_NAMES})", re.VERBOSE)
_PLACEHOLDER: Final = "$<{%[("
_SHORTEST: Final = 6
_LONGEST_LOOK: Final = 200


def find_values(text: str) -> Iterator[Span]:
    """The secret values of a text."""
    lowered = text.lower()
    if len(lowered) != len(text):  # one letter of Turkish becomes two
        lowered = text.replace("\u0130", "i").lower()
    if any(sign in lowered for sign in _SIGNS):
        yield from _all_named(text, lowered)
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


def _all_named(text: str, lowered: str) -> Iterator[Span]:
    """The values behind names; one that is no secret may itself begin with a name."""
    position = 0
    while found := _NAMED.search(lowered, position):
        start, end = found.span(found.lastgroup or 0)
        secret = _named(text, lowered, found)
        if secret:
            yield secret
        position = start if not secret and start < end < start + _LONGEST_LOOK else found.end()


def _named(text: str, lowered: str, found: re.Match[str]) -> Span | None:
    """The value behind a name, if it is a secret."""
    group = found.lastgroup or "bare"
    start, end = found.span(group)
    value = text[start:end]
    if lowered.endswith(_BEFORE, 0, found.start()) or not _may_be_secret(value):
        return None
    if group == "bare":
        expression = lowered[end : end + 1] in {"(", "["} or _PATH.fullmatch(lowered, start, end) is not None
        named = _NAME_ONLY.fullmatch(lowered, start, end) is not None
        if expression or named or not (found["equals"] or _is_alone(lowered, found) or _is_mixed(value)):
            return None
    elif " " in value and not any(character.isdigit() for character in value):
        return None
    kind = "password" if found["password"] else "key" if found["key"] else "token"
    return start, end, kind


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
