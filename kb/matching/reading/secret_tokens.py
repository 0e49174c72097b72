"""Secrets that show by themselves: keys with a known beginning, PEM blocks, passwords in URLs; pure.

Each finder takes a text and gives ``(start, end, kind)``. Patterns begin where a word begins and have bounded or
possessive quantifiers, so that they are linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["Span", "find_blocks", "find_in_urls", "find_tokens"]

Span = tuple[int, int, str]

_KEY: Final = r"[A-Za-z0-9_-]"
_FORMS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    ("JWT", ("eyJ",), rf"eyJ{_KEY}{{8,8000}}+\.{_KEY}{{8,8000}}+(?:\.{_KEY}{{0,2000}}+){{0,3}}"),
    ("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    ("Google key", ("AIza", "ya29.", "GOCSPX-"),
     rf"(?:AIza{_KEY}{{30,60}}+|ya29\.[A-Za-z0-9_.-]{{20,500}}+|GOCSPX-{_KEY}{{20,60}}+)"),
    ("Azure secret", ("8Q~", "7Q~"), r"[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{30,40}+"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
     r"(?:gh[pousr]_[A-Za-z0-9]{20,300}+|github_pat_[A-Za-z0-9_]{20,300}+)"),
    ("GitLab token", ("gl",), r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|rtr|ffct)-[A-Za-z0-9_.-]{16,300}+"),
    ("Slack token", ("xox", "xapp-"), rf"(?:xox[abceoprs]|xapp)-{_KEY}{{10,300}}+"),
    ("Slack webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{10,200}+"),
    ("Stripe key", ("k_live_", "k_test_", "whsec_"),
     r"(?:[srp]k_(?:live|test)_[A-Za-z0-9]{10,300}+|whsec_[A-Za-z0-9+/=]{16,200}+)"),
    ("Anthropic key", ("sk-ant-",), rf"sk-ant-{_KEY}{{10,300}}+"),
    ("OpenAI key", ("sk-", "sess-"), r"(?:sk|sess)-(?=[A-Za-z0-9_*.-]{0,100}[0-9*])[A-Za-z0-9_*-]{16,300}+"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{30,60}+"),
    ("PyPI token", ("pypi-",), r"pypi-(?=[a-z-]{0,80}[A-Z0-9_])[A-Za-z0-9_-]{16,500}+"),
    ("Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{24,60}+(?![A-Za-z0-9_])"),
    ("Docker token", ("dckr_",), rf"dckr_[a-z]{{3}}_{_KEY}{{16,100}}+"),
    ("SendGrid key", ("SG.",), rf"SG\.{_KEY}{{16,64}}+\.{_KEY}{{16,64}}+"),
    ("Telegram token", (":AA",), rf"[0-9]{{8,10}}:AA{_KEY}{{30,40}}+"),
    ("API token", ("dop_v1_", "shp", "dapi", "hvs.", "lin_api_", "gsk_", "xai-", "r8_", "sntrys_", "sbp_", "pul-"),
     (rf"(?:dop_v1_[0-9a-f]{{32,80}}+|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|dapi[0-9a-f]{{32}}|hvs\.{_KEY}{{20,200}}+"
     r"|lin_api_[A-Za-z0-9]{20,80}+|gsk_[A-Za-z0-9]{30,80}+|xai-[A-Za-z0-9]{30,120}+|r8_[A-Za-z0-9]{30,60}+"
     r"|sntrys_[A-Za-z0-9_=+/]{30,300}+|sbp_[0-9a-f]{40}|pul-[0-9a-f]{40})")),
)  # fmt: skip
_TOKENS: Final = tuple((kind, signs, re.compile(rf"(?<![A-Za-z0-9_-]){form}")) for kind, signs, form in _FORMS)

_BLOCK: Final = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,60})-----")
_LONGEST_BLOCK: Final = 20_000
_BODY: Final = re.compile(r"(?:\s{0,4}(?:\\r)?(?:\\n)?\s{0,80}[>|]?[ ]?[A-Za-z0-9+/=]{16,4000}+){1,400}+")

_AUTHORITY: Final = re.compile(r"://([^\s/\"'<>`\\]{1,500}+)")
_LONG_USER: Final = 20
_PLACEHOLDER: Final = "{$<%\u2039"
"""What a password begins with that stands for another: also the mark of one that was hidden before."""


def find_tokens(text: str) -> Iterator[Span]:
    """Keys and tokens that their beginning tells."""
    for kind, signs, pattern in _TOKENS:
        if any(sign in text for sign in signs):
            for found in pattern.finditer(text):
                yield found.start(), found.end(), kind


def find_blocks(text: str) -> Iterator[Span]:
    """PEM blocks, also those that are cut before their end."""
    position = 0
    last = text.rfind("-----END ")
    while found := _BLOCK.search(text, position):
        end = text.find("-----END ", found.end(), found.end() + _LONGEST_BLOCK) if found.end() <= last else -1
        close = text.find("-----", end + len("-----END "), end + _LONGEST_BLOCK) if end >= 0 else -1
        body = _BODY.match(text, found.end())
        position = close + len("-----") if close >= 0 else body.end() if body else found.end()
        if position > found.end():
            kind = "private key" if "PRIVATE" in found[1] else "certificate" if "CERT" in found[1] else "PEM block"
            yield found.start(), position, kind


def find_in_urls(text: str) -> Iterator[Span]:
    """The password, or the token in the place of a user, before the host of a URL or a connection string."""
    if "://" not in text or "@" not in text:
        return
    for found in _AUTHORITY.finditer(text):
        user, at, _host = found[1].rpartition("@")
        name, colon, password = user.partition(":")
        start = found.start(1)
        if not at:
            continue
        if colon and password and password[0] not in _PLACEHOLDER:
            yield start + len(name) + 1, start + len(user), "password in a URL"
        elif not colon and len(user) >= _LONG_USER and any(character.isdigit() for character in user):
            yield start, start + len(user), "token in a URL"
