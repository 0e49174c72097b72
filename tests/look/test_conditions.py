"""What readers ask of browsers: other colors, more contrast, less motion, larger text, another direction, paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.look.inspecting import NOT_OURS, Look, Visitor, axe_findings, laid_out, told
from tests.look.page_kinds import KINDS, MAIN_KINDS, addresses

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.look.pictures import Album

MEDIA: dict[str, dict[str, Any]] = {
    "forced": {"forced_colors": "active"},
    "contrast": {"contrast": "more"},
    "still": {"reduced_motion": "reduce"},
    "paper": {"media": "print"},
}
PLAIN = {"forced_colors": "none", "contrast": "no-preference", "reduced_motion": "no-preference", "media": "screen"}
CHANGES = ("rtl", "large", "spaced")
NARROWEST = {"large": 640, "paper": 640}  # twice the text on a phone is asked of nobody: that is what 320 px stand for
MOVING = """() => [...document.querySelectorAll("*")].flatMap((element) => {
  const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
  const seconds = Math.max(...transitionDuration.split(",").map(parseFloat));
  const animated = animationName !== "none" && parseFloat(animationDuration) > 0.01;
  return seconds > 0.01 || animated ? [`moves: ${element.outerHTML.slice(0, 100)}`] : [];
})"""
CONDITION = (Path(__file__).parent / "conditions.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_stay_whole_as_readers_change_them(
    site: str, browser: Browser, width: int, album: Album, *, soak: bool, extremes: tuple[str, ...]
) -> None:
    look = Look(width=width)
    context = browser.new_context(viewport={"width": width, "height": look.height})
    visitor = Visitor(context=context, look=look)
    page = visitor.open()
    wrong: dict[str, list[str]] = {}
    pages = [
        *addresses(tuple(KINDS) if soak else MAIN_KINDS),
        *((f"longest-{n}", path) for n, path in enumerate(extremes)),
    ]
    for label, path in pages if soak else [row for row in pages if not row[0][-1].isdigit()]:
        if path.startswith(NOT_OURS):
            continue
        page.goto(site + path)
        for name, problem in _problems(page, album, look, label):
            wrong.setdefault(f"{name}: {problem}", []).append(label)
    context.close()
    assert not wrong, told(wrong)


def _problems(page: Page, album: Album, look: Look, label: str) -> list[tuple[str, str]]:
    found = []
    for name, media in MEDIA.items():
        if look.width < NARROWEST.get(name, 0):
            continue
        page.emulate_media(**{**PLAIN, **media})
        found += [(name, problem) for problem in laid_out(page)]
        if name == "still":
            found += [(name, problem) for problem in page.evaluate(MOVING)]
        if name == "contrast":
            found += [(name, problem) for problem in axe_findings(page)]
        if name != "still":
            album.take(page, f"{look}-{name}", label)
    page.emulate_media(**PLAIN)
    for name in CHANGES:
        if look.width < NARROWEST.get(name, 0):
            continue
        page.evaluate(CONDITION, name)
        found += [(name, problem) for problem in laid_out(page)]
        album.take(page, f"{look}-{name}", label)
    page.evaluate(CONDITION, "")
    return found
