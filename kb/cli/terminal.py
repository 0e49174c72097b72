"""What a person reads on a terminal: colors where they help, and nothing that a terminal would obey.

Every text from outside goes through :func:`shown`; rich gets it as text, never as markup.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kb.present.invisible import visible_text
from kb.records.text import clean_text, one_line

__all__ = ["Style", "facts", "indented", "line", "printed", "render", "shown", "style_for"]

_WIDEST: Final = 110
_NARROWEST: Final = 40
_ELSEWHERE: Final = 100  # columns where nothing says how many there are


class Style:
    """How wide, and whether in color."""

    def __init__(self, *, width: int = _ELSEWHERE, color: bool = False) -> None:
        self.width = width
        self.color = color


def style_for(stream: object, *, color: bool | None = None) -> Style:
    """That of a stream; ``color`` is what the user asked for. ``NO_COLOR`` and ``TERM=dumb`` are heeded."""
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    wanted = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    columns = shutil.get_terminal_size((_ELSEWHERE, 24)).columns if terminal else _ELSEWHERE
    return Style(width=max(_NARROWEST, min(columns, _WIDEST)), color=wanted if color is None else color)


def shown(text: str, limit: int) -> str:
    """``text`` on one line of at most ``limit`` characters, what cannot be seen made visible."""
    return one_line(visible_text(one_line(clean_text(text[: limit * 8])[0], limit)), limit)


def line(*parts: tuple[str, str]) -> Text:
    """Texts with their styles, one after the other."""
    return Text.assemble(*parts, overflow="fold")


def indented(content: RenderableType, by: int = 3) -> Padding:
    """The same further to the right."""
    return Padding(content, (0, 0, 0, by))


def facts(rows: Sequence[tuple[str, RenderableType]]) -> Table:
    """Names and what they stand for in two columns."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, content in rows:
        table.add_row(name, content)
    return table


def render(contents: Sequence[RenderableType], style: Style) -> str:
    """The lines as text, with escape sequences for colors alone."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=style.width,
        force_terminal=style.color,
        color_system="standard" if style.color else None,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    for content in contents:
        console.print(content)
    return "\n".join(row.rstrip() for row in out.getvalue().split("\n"))


def printed(text: str, stream: object) -> str:
    """``text`` with escapes for characters that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return text.encode("ascii", "backslashreplace").decode("ascii")
