"""The expensive parts of a record's page: highlighted code and Markdown. Cached under the record's content.

Nothing in a part depends on the catalog round the record (counts, keys, revisions), so a part is good as long as the
content and this package are the same.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from kb.catalog.answers import RecordView
from kb.present.cache import PartCache
from kb.present.code import MOST_NUMBERED_LINES, code_html, line_html
from kb.present.invisible import breakable_html, visible_html
from kb.present.language import language_version
from kb.present.links import source_url
from kb.present.markdown import markdown_html
from kb.present.wording import SHORT_SHA, place, pretty_json
from kb.records.record import Record

__all__ = ["Parts", "item_html", "record_parts", "renderer_version"]

Parts = dict[str, SafeString]
"""Section id → its HTML. A section without content has no entry. ``raised`` is the raising line for the page's head."""

_DECODER: Final = msgspec.json.Decoder(dict[str, str])
_LONGEST_RAISE = 160  # characters of the raising statement above the fold
_MOST_RAISING_LINES = 8
_LONGEST_UNFRAMED = 5_000  # characters of prose
_LIBRARIES = ("Pygments", "markdown-it-py", "nh3")
_RENDERERS = (
    "invisible",
    "language",
    "dates",
    "code_lexers",
    "code",
    "markdown_parser",
    "markdown",
    "record_parts",
    "links",
    "wording",
)


@cache
def renderer_version() -> str:
    """A digest of the code that makes parts, ours and the libraries'. A part of another version is never shown."""
    digest = hashlib.sha256(" ".join(map(version, _LIBRARIES)).encode())
    for name in _RENDERERS:
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()


def record_parts(view: RecordView, cached_in: PartCache | None) -> Parts:
    """The parts of ``view``, from the cache when it has them."""
    if cached_in is None:
        return _made(view)
    spoken = f"{get_language()} {language_version()}"
    named = f"{view.content_hash} {view.row.language} {renderer_version()} {spoken}"
    key = hashlib.sha256(named.encode()).hexdigest()[:40]
    kept = cached_in.get(key)
    if kept is not None:
        try:
            return {name: mark_safe(part) for name, part in _DECODER.decode(kept).items()}  # noqa: S308 - made below
        except msgspec.DecodeError:
            pass
    parts = _made(view)
    cached_in.put(key, json.dumps(parts).encode())
    return parts


def _made(view: RecordView) -> Parts:
    record, language = view.record, view.row.language
    made = {
        "raised": _raised(record, language),
        "meaning": _prose(record.documentation, language),
        "solutions": _list("ol", record.solutions, language),
        "source": _source(record, language),
        "example-fix": _code(record.example_fix, language),
        "try-catch": _code(record.try_catch_pattern, language),
        "validation": _code(record.validation_code, language),
        "type-guard": _code(record.type_guard, language),
        "triggers": _prose(record.trigger_scenarios, language),
        "situations": _prose(record.common_situations, language),
        "prevention": _list("ul", record.prevention_tips, language),
        "further": _further(record),
    }
    return {name: part for name, part in made.items() if part is not None}


def _prose(text: str, language: str | None) -> SafeString | None:
    return _framed(text, markdown_html(text, language=language)) if text.strip() else None


def _list(tag: str, items: tuple[str, ...], language: str | None) -> SafeString | None:
    if not items:
        return None
    # A step has its number at the side where its words begin; points of other lists would stand beside the page there.
    begin = '<li dir="auto">' if tag == "ol" else "<li>"
    lines = "\n".join(f"{begin}{item_html(item, language)}</li>" for item in items)
    return mark_safe(f"<{tag}>\n{lines}\n</{tag}>")  # noqa: S308 - safe items in ol or ul


def _framed(text: str, made: SafeString) -> SafeString:
    """``made`` of ``text``; in a frame that scrolls when it is so long that what follows would be out of reach."""
    if len(text) <= _LONGEST_UNFRAMED:
        return made
    label = gettext("Long text")
    return format_html('<div class="long-text" tabindex="0" role="group" aria-label="{}">{}</div>', label, made)


def item_html(text: str, language: str | None) -> SafeString:
    """One entry of a list: a single paragraph stands without its p."""
    made = markdown_html(text, language=language)
    if len(text) > _LONGEST_UNFRAMED:
        return _framed(text, made)
    inside = made.removeprefix("<p>").removesuffix("</p>")
    if len(inside) + len("<p></p>") == len(made) and "<p" not in inside:
        return mark_safe(inside)  # noqa: S308 - one element less round safe HTML
    return made


def _unfenced(code: str) -> str:
    """``code`` without the Markdown fence that some records wrap all of it in."""
    lines = code.strip().split("\n")
    wrapped = len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```"
    inside = "\n".join(lines[1:-1])
    return inside if wrapped and "```" not in inside else code


def _code(code: str | None, language: str | None) -> SafeString | None:
    if code is None or not code.strip():
        return None
    return code_html(_unfenced(code), language=language, start=None)


def _source(record: Record, language: str | None) -> SafeString:
    """The place of the raise, linked where it may be, and below it the snippet if there is one."""
    where = place(record.file_path, record.line_number)
    permalink = source_url(record.github_url, record.line_number)
    if permalink:
        linked = format_html('<a href="{}" rel="noopener nofollow">{}</a>', permalink, breakable_html(where))
    else:
        linked = breakable_html(where)
    header = format_html(
        '<p class="place"><code>{}</code> <span class="commit">{} <code>{}</code></span></p>',
        linked,
        gettext("commit"),
        visible_html(record.analyzed_sha[:SHORT_SHA]),
    )
    if record.source_code is None or not record.source_code.strip():
        return header
    snippet = code_html(
        record.source_code,
        language=language,
        start=record.source_code_start,
        mark=record.line_number,
        anchor="source",
    )
    return format_html("{}\n{}", header, snippet)


def _raised(record: Record, language: str | None) -> SafeString:
    """The place of the raise, which leads to the snippet, and what is raised where the snippet holds it."""
    numbered = (record.source_code or "").count("\n") < MOST_NUMBERED_LINES
    statement = _raising_statement(record) if numbered else ""
    where = format_html(
        '<code><a href="#{}">{}</a></code>',
        f"source-L{record.line_number}" if statement else "source",
        breakable_html(place(record.file_path, record.line_number)),
    )
    if not statement:
        return format_html('<p class="hl raised">{}</p>', where)
    shown = line_html(statement[:_LONGEST_RAISE], language=language)
    cut = "…" if len(statement) > _LONGEST_RAISE else ""
    return format_html('<p class="hl raised">{} <code class="raised-line" dir="ltr">{}{}</code></p>', where, shown, cut)


def _raising_statement(record: Record) -> str:
    """The raising line of the snippet, on one line with those that close its brackets; empty when it is not there."""
    lines = (record.source_code or "").replace("\r\n", "\n").split("\n")
    if record.line_number is None or record.source_code_start is None:
        return ""
    at = record.line_number - record.source_code_start
    if not 0 <= at < len(lines):
        return ""
    said = lines[at].strip()
    for line in lines[at + 1 : at + _MOST_RAISING_LINES]:
        if len(said) > _LONGEST_RAISE or sum(map(said.count, "([{")) <= sum(map(said.count, ")]}")):
            break
        said += line.strip() if said.endswith(("(", "[", "{")) or line.strip()[:1] in ")]}" else f" {line.strip()}"
    return said


def _further(record: Record) -> SafeString | None:
    """The fields that the contract does not name, as the dataset has them."""
    if not record.extra:
        return None
    return code_html(pretty_json(record.extra), language="JSON", start=None)
