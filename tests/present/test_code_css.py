"""The colors of code: every class has one, and every one can be read in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.present.code import TOKEN_CLASSES

VALUE = re.compile(r"--(hl-[a-z-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
RULE = re.compile(r"^\.hl \.([a-z]+) \{ color: var\(--(hl-[a-z-]+)\)", re.MULTILINE)
LEAST = 4.5
GROUNDS = {"hl-paper", "hl-hit", "hl-picked"}
ONLY_ON_THE_MARKED_LINE = {"hl-hit-number"}
NO_TEXT = {"hl-hit-edge"}
THEMES = {"light": 0, "dark": 1}


@pytest.fixture(scope="module")
def sheet(project_root: Path) -> str:
    return (project_root / "static/css/code.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def values(sheet: str) -> dict[str, tuple[str, str]]:
    return {name: (light, dark) for name, light, dark in VALUE.findall(sheet)}


def luminance(color: str) -> float:
    """Relative luminance as WCAG defines it."""

    def linear(part: str) -> float:
        share = int(part, 16) / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(color[at : at + 2]) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", THEMES)
def test_every_color_can_be_read_on_the_block_and_on_its_marked_line(values, theme) -> None:
    column = THEMES[theme]
    inks = set(values) - GROUNDS - NO_TEXT
    assert len(inks) > 8
    weak = {
        (ink, ground): round(contrast(values[ink][column], values[ground][column]), 2)
        for ink in inks
        for ground in GROUNDS
        if not (ink in ONLY_ON_THE_MARKED_LINE and ground != "hl-hit")
        and contrast(values[ink][column], values[ground][column]) < LEAST
    }
    assert weak == {}


@pytest.mark.parametrize("theme", THEMES)
def test_the_marked_line_differs_from_the_block_by_more_than_its_ground(values, theme) -> None:
    column = THEMES[theme]
    assert contrast(values["hl-hit-edge"][column], values["hl-paper"][column]) >= 3


def test_every_class_that_code_has_is_in_the_sheet_and_no_other(sheet, values) -> None:
    ruled = dict(RULE.findall(sheet))
    assert set(ruled) == set(TOKEN_CLASSES.values()) - {""}
    assert set(ruled.values()) <= set(values)


def test_the_sheet_states_no_other_color(sheet) -> None:
    assert len(re.findall(r"#[0-9a-f]{3,8}\b", sheet)) == 2 * len(VALUE.findall(sheet))


def test_both_themes_follow_the_system_and_the_reader(project_root, sheet) -> None:
    """``light-dark()`` reads ``color-scheme``, which the tokens set for the system and for each choice."""
    tokens = (project_root / "static/css/tokens.css").read_text(encoding="utf-8")
    assert re.search(r":root \{\s*color-scheme: light dark;", tokens)
    assert re.search(r':root\[data-theme="light"\] \{\s*color-scheme: light;', tokens)
    assert re.search(r':root\[data-theme="dark"\] \{\s*color-scheme: dark;', tokens)
    assert "light-dark(" in sheet
