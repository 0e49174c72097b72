"""Pictures of all pages in ``var/pictures``, one folder a look, and sheets that put those of a page side by side."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["TALLEST", "Album"]

TALLEST = 16_000  # pixels

_SHEET = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px system-ui; margin: 16px; background: #888 }}
nav {{ columns: 16em }} nav a {{ display: block; color: #000 }}
div {{ display: flex; gap: 16px; align-items: flex-start; overflow-x: auto }}
figure {{ margin: 0; flex: none }} img {{ display: block; width: var(--w); height: auto }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""


class Album:
    """Takes pictures into ``folder``; takes none when there is no folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def take(self, page: Page, look: str, label: str) -> None:
        """The page as ``look/label.png``, down to where pictures of Chromium reach: taller ones repeat or never end."""
        if self._folder:
            width, height = page.evaluate(
                "[document.documentElement.clientWidth, document.documentElement.scrollHeight]"
            )
            page.screenshot(
                path=self._folder / look / f"{label}.png",
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)},
                animations="disabled",
                timeout=180_000,
            )

    def write_sheets(self) -> None:
        """A page of HTML for every label, and ``index.html`` that leads to them."""
        if not self._folder:
            return
        labels = sorted({path.stem for path in self._folder.glob("*/*.png")})
        for label in labels:
            figures = "".join(self._figures(label))
            self._write(label, f"<div>{figures}</div>")
        links = "".join(f'<a href="{escape(label)}.html">{escape(label)}</a>' for label in labels)
        self._write("index", f"<nav>{links}</nav>")

    def _figures(self, label: str) -> Iterator[str]:
        assert self._folder
        for path in sorted(self._folder.glob(f"*/{label}.png"), key=lambda path: _order(path.parent.name)):
            look = path.parent.name
            width = min(int(look.partition("-")[0]), 720)
            source = escape(f"{look}/{label}.png")
            yield (
                f'<figure><figcaption>{escape(look)}</figcaption><a href="{source}">'
                f'<img loading="lazy" alt="" src="{source}" style="--w: {width}px"></a></figure>'
            )

    def _write(self, name: str, body: str) -> None:
        assert self._folder
        text = _SHEET.format(title=escape(name), body=body)
        (self._folder / f"{name}.html").write_text(text, encoding="utf-8")


def _order(look: str) -> tuple[int, str]:
    width, _, rest = look.partition("-")
    return -int(width), rest
