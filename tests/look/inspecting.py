"""Looks at one page in the browser: what it loads, how it is laid out, and what axe finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import brotli
from axe_playwright_python.base import AXE_FILE_PATH

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Response

__all__ = ["NOT_OURS", "Look", "Visitor", "axe_findings", "laid_out", "told"]

# Bytes of all files of a page together, compressed as they are served to browsers.
MOST_CSS = MOST_SCRIPTS = 20_000
# The one style sheet, and the theme that a reader chose: later, the page would be painted in the other one first.
WAITED_FOR = {"/static/css/site.css", "/static/js/theme.js"}
OWN_STYLESHEET = {"/docs/api/": "/static/css/api.css"}
NOT_OURS = ("/admin/",)  # most of what is on these pages is Django's
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_HERE = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Look:
    """A window: its width, the reader's theme, and whether scripts run."""

    width: int
    scheme: str = "light"
    scripts: bool = True

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}{'' if self.scripts else '-plain'}"

    @property
    def height(self) -> int:
        return 844 if self.width <= 390 else 800


@dataclass(kw_only=True)
class Visitor:
    """Opens pages in ``context`` and says what was wrong with them. ``status`` is expected of each page."""

    context: BrowserContext
    look: Look
    weights: dict[str, int] = field(default_factory=dict)
    _said: list[str] = field(default_factory=list)
    _answers: list[Response] = field(default_factory=list)

    def open(self) -> Page:
        """An empty tab whose console and requests are listened to."""
        page = self.context.new_page()
        page.on("console", lambda entry: self._said.append(f"{entry.type}: {entry.text}"))
        page.on("pageerror", lambda error: self._said.append(f"uncaught: {error}"))
        page.on("requestfailed", lambda request: self._said.append(f"no answer from {request.url}"))
        page.on("response", self._answer)
        return page

    def _answer(self, answer: Response) -> None:
        self._answers.append(answer)

    def visit(self, page: Page, url: str, *, status: int = 200) -> list[str]:
        """Go to ``url``. Returns what is wrong with the answer, with its files and with the way they loaded."""
        self._said.clear()
        self._answers.clear()
        answer = page.goto(url)
        assert answer
        problems = [] if answer.status == status else [f"answered {answer.status}"]
        if self.look.scripts:
            loaded = page.evaluate(_source(_HERE / "loading.js"))
            if not urlsplit(url).path.startswith(NOT_OURS):
                problems += [f"the layout moved: {shift}" for shift in loaded["shifts"]]
            problems += _blocking(url, loaded["blocking"])
        problems += self._of_files(url)
        expected = f"status of {status}"
        return problems + [text for text in self._said if expected not in text or status == 200]

    def _of_files(self, url: str) -> list[str]:
        problems, totals = [], {"stylesheet": 0, "script": 0}
        for answer in self._answers:
            if urlsplit(answer.url).netloc != urlsplit(url).netloc:
                problems.append(f"asked a foreign host: {answer.url}")
            if answer.status >= 400 and answer.request.resource_type != "document":
                problems.append(f"{answer.url} answered {answer.status}")
            elif answer.request.resource_type in totals:
                totals[answer.request.resource_type] += self._weight(answer)
        if totals["stylesheet"] >= MOST_CSS or totals["script"] >= MOST_SCRIPTS:
            problems.append(f"weighs too much: {totals}")
        return problems

    def _weight(self, answer: Response) -> int:
        if answer.url not in self.weights:
            self.weights[answer.url] = len(brotli.compress(answer.body()))
        return self.weights[answer.url]


def laid_out(page: Page) -> list[str]:
    """What is wrong with the page as it stands: too wide, cut off, out of order."""
    problems: list[str] = page.evaluate(_source(_HERE / "inspection.js"))
    return problems


def axe_findings(page: Page, *, without: tuple[str, ...] = ()) -> list[str]:
    """Violations of WCAG 2.2 AA and of axe's own practices, with the elements."""
    rules = {rule: {"enabled": False} for rule in without}
    found: list[str] = page.evaluate(
        f"{_source(AXE_FILE_PATH)};{_source(_HERE / 'axe.js')}", {"runOnly": _RULES, "rules": rules}
    )
    return found


def told(wrong: Mapping[str, Sequence[str]]) -> str:
    """Problems with the pages that have them, the most common first."""
    rows = sorted(wrong.items(), key=lambda row: -len(row[1]))
    return "\n".join(f"{problem}\n    on {len(where)}: {', '.join(where[:4])}" for problem, where in rows)


def _blocking(url: str, blocking: list[str]) -> list[str]:
    path = urlsplit(url).path
    own = {OWN_STYLESHEET[path]} if path in OWN_STYLESHEET else set()
    fine = path.startswith(NOT_OURS) or set(blocking) <= WAITED_FOR | own
    return [] if fine else [f"waits before its first paint for {blocking}"]


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")
