"""Secrets are hidden in the browser by the rules of the server: one table, and the same result for any text."""

from __future__ import annotations

import os
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kb.matching.reading.secrets import mask
from tests.web.secret_rules import SCRIPT, script_with_rules

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXTS = 40_000 if os.environ.get("KB_SOAK") == "1" else 2_500
WORDS = r"""
    password passwd pwd pass_ api_key apikey secret secret_key token credentials jwt sig= signature= sessionid= .sid=
    verifier= authorization Authorization: bearer Bearer basic cookie: Set-Cookie: --password --api-token key
    access-key unexpected invalid none hunter2 Abc123def a1b2c3d4e5f6 x.y.z foo_token 123456 1234 xxxx ‹key›
    İpassword ß Ünï 密码 😀 postgres:// user:p4ss@host https:// me@ ghp_ glpat-
    xoxb- AKIA sk-ant- sk- sk_live_ hf_ npm_ pypi-A AIza eyJ SG. dapi r8_ 12345678:AA 7Q~ -----BEGIN RSA PRIVATE
    KEY----- -----END CERTIFICATE----- ^[[1m \x1b[3m \n \r\n \" \' " ' ` = := == => : , ; & < > ( ) [ ] { } | \ / @
    $ % # - _ . r" b' *****"""
BETWEEN = ("\x1b[31m", "\x1b[0m", "\x1b]0;t\x07", "\t", "\n", "\r\n", "\r", "\x0b", "\x1c", "\x85", "\u2028", "\xa0")
PIECES = (
    *WORDS.split(),
    *BETWEEN,
    *("\u3000", "\ufeff", " ", " ", "  ", "\n", "password: "),
    *("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
)
LENGTHS = (5, 8, 16, 17, 24, 32, 36, 40, 41, 64, 70)
ASK = "(texts) => texts.map((text) => { const { text: shown, count } = faultbook.mask(text); return [shown, count]; })"


def _texts(project_root: Path) -> Iterator[str]:
    """Real traces, and texts put together from what the rules look for."""
    for path in sorted((project_root / "fixtures/traces").rglob("*.txt")):
        yield path.read_text()
    chance = random.Random(7)
    for _ in range(TEXTS):
        pieces = []
        for _ in range(chance.randint(1, 50)):
            run = string.ascii_letters + string.digits + chance.choice(("", "-_", "./+=", "-_."))
            is_run = chance.random() < 0.2
            pieces.append("".join(chance.choices(run, k=chance.choice(LENGTHS))) if is_run else chance.choice(PIECES))
        yield "".join(pieces)


def test_the_rules_of_the_browser_are_those_of_the_server() -> None:
    text = SCRIPT.read_text()
    assert script_with_rules(text) == text, "Run: python -m tests.web.secret_rules"


def test_a_browser_hides_what_the_server_would_hide(page: Page, project_root: Path) -> None:
    page.add_script_tag(path=SCRIPT)
    texts = list(_texts(project_root))
    hidden = [
        made for start in range(0, len(texts), 2_500) for made in page.evaluate(ASK, texts[start : start + 2_500])
    ]
    found = 0
    for text, (shown, count) in zip(texts, hidden, strict=True):
        masked = mask(text)
        assert (shown, count) == (masked.text, sum(number for _, number in masked.counts)), repr(text)
        found += bool(count)
    assert found > len(texts) / 4


def test_hiding_takes_time_in_proportion_to_the_text(page: Page) -> None:
    """Texts that would make a careless expression go back and forth; with one, this test would not end."""
    page.add_script_tag(path=SCRIPT)
    parts = ("a", "eyJ", "password ", 'key="', "://a", "-----BEGIN A-----", "\n", " --a-b-c-", "cookie: a", "abc8Q~")
    for part in parts:
        text = part * (256 * 1024 // len(part))
        assert page.evaluate("(text) => faultbook.mask(text).text.length", text) > 0
