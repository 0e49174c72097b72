"""What a reader of a code block gets: the code, its numbers beside it, the marked line in full."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kb.present.code import code_html

CODE = "def f(x):\n\n\tif x:\n    \traise E('" + "long " * 60 + "')\n  # é 中 \u202e <b>"
SELECTED = """() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("pre"));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  return getSelection().toString();
}"""


@pytest.fixture
def block(page, project_root):
    """The block on a page with the site's style sheets."""
    sheets = [
        (project_root / f"static/css/{name}.css").read_text(encoding="utf-8") for name in ("tokens", "base", "code")
    ]
    made = code_html(CODE, language="Python", start=98, mark=101, anchor="source")
    page.set_content(f"<!doctype html><html lang=en><style>{' '.join(sheets)}</style><main>{made}</main></html>")
    return page


def test_what_is_copied_is_the_code(block) -> None:
    assert block.evaluate(SELECTED).removesuffix("\n") == CODE.replace("\u202e", "⟨U+202E⟩")


def test_the_numbers_are_shown_in_one_column(block) -> None:
    lines = block.locator(".line")
    assert lines.count() == 5
    shown = "all => all.map(line => getComputedStyle(line.firstElementChild, '::before').content)"
    assert lines.evaluate_all(shown) == [f'"{number}" / ""' for number in range(98, 103)]
    tops = lines.evaluate_all("all => all.map(line => line.getBoundingClientRect().top)")
    steps = [later - earlier for earlier, later in pairwise(tops)]
    assert max(steps) - min(steps) < 1
    assert min(steps) > 10


def test_a_long_line_scrolls_its_block_and_not_the_page(block) -> None:
    block.set_viewport_size({"width": 390, "height": 700})
    wide = "element => element.scrollWidth > element.clientWidth"
    assert block.locator("pre").evaluate(wide)
    assert not block.locator("html").evaluate(wide)
    scrolled = block.locator("pre").evaluate("element => element.scrollWidth")
    mark = block.locator("mark").evaluate("element => element.getBoundingClientRect().width")
    assert mark > 0.95 * scrolled
    block.keyboard.press("Tab")
    assert block.evaluate("document.activeElement.tagName") == "PRE"
