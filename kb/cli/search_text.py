"""The answer of a search, read back from the API's JSON, for a person at a terminal. Everything in it is foreign."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from kb.cli.terminal import Style, indented, line, render, shown
from kb.present import links
from kb.present.message import message_text
from kb.present.wording import place
from kb.records.text import counted

__all__ = ["Found", "read_found", "search_text"]

_TITLE = 300
_FACTS = 300


class _Hit(Struct, frozen=True, rename="camel"):
    id: str
    repo: str
    error_message: str
    error_class: str | None = None
    error_code: str | None = None
    severity: str = ""
    handling_strategy: str | None = None
    file_path: str = ""
    line_number: int | None = None
    excerpt: str = ""
    status: str = "current"


class _Notice(Struct, frozen=True):
    message: str


class Found(Struct, frozen=True, rename="camel"):
    """What a search found. ``count`` is of all records, ``results`` are the first of them."""

    count: int
    results: tuple[_Hit, ...]
    did_you_mean: str | None = None
    relaxed: str | None = None
    problems: tuple[_Notice, ...] = ()


def read_found(body: bytes) -> Found:
    """The answer of ``/api/v1/search/``. Raises ``ValueError`` for anything else."""
    try:
        return msgspec.json.decode(body, type=Found)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise ValueError(str(problem)) from None


def search_text(found: Found, style: Style, *, base_url: str) -> str:
    """A block of four lines for each record."""
    contents: list[RenderableType] = [*(line((shown(row.message, _FACTS), "yellow")) for row in found.problems)]
    contents += [line((_summary(found), "dim")), ""]
    for hit in found.results:
        contents += [*_block(hit, style, base_url), ""]
    if found.did_you_mean:
        contents += [line(("Did you mean: ", "dim"), (shown(found.did_you_mean, _TITLE), "")), ""]
    return render(contents[:-1], style)


def _summary(found: Found) -> str:
    records = counted(found.count, "record")
    first = f", the first {len(found.results)}" if len(found.results) < found.count else ""
    how = {"typo": " in another spelling", "some_words": " with most of the words"}.get(found.relaxed or "", "")
    return f"{records}{how}{first}" if found.count else "Nothing found."


def _block(hit: _Hit, style: Style, base_url: str) -> Iterator[RenderableType]:
    yield line((shown(message_text(hit.error_message, limit=_TITLE), _TITLE), "bold"))
    kinds = (hit.error_class, hit.error_code, hit.severity, hit.handling_strategy)
    facts = [f"{hit.repo} {place(hit.file_path, hit.line_number)}", *(kind for kind in kinds if kind)]
    if hit.status == "retired":
        facts.append("retired")
    yield indented(line((shown(" · ".join(facts), _FACTS), "dim")))
    if hit.excerpt:
        yield indented(line((shown(hit.excerpt, 2 * (style.width - 3)), "")))
    yield indented(Text(links.absolute(base_url, links.short_path(hit.id)), "cyan", overflow="fold"))
