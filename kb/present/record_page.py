"""A record as a page: every section as ready HTML, in the order in which a reader needs them.

A section that has nothing to say does not exist, so a template prints what is there and checks nothing. Every field of
the record is in some section, those that the contract does not name included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from kb.catalog.answers import RecordView
from kb.present import links
from kb.present.cache import PartCache
from kb.present.invisible import visible_html
from kb.present.message import message_html, message_text
from kb.present.record_parts import record_parts
from kb.present.wording import Fact, detail_facts, finding_sentences, headline_facts, provenance_facts

__all__ = ["RecordPage", "Section", "fact_list", "record_page"]

_LONGEST_TITLE = 120

# Section id → title, in the reader's order. Related records come between the two groups: they are the page's own.
_MAIN: Final = (
    ("meaning", "What it means"),
    ("solutions", "How to fix it"),
    ("source", "Where it is raised"),
    ("example-fix", "Example fix"),
    ("try-catch", "Catch it"),
    ("validation", "Validate before"),
    ("type-guard", "Guard the type"),
    ("triggers", "What triggers it"),
    ("situations", "When it commonly happens"),
    ("prevention", "How to prevent it"),
)
_VERBATIM: Final = frozenset({"commit", "pattern", "path", "source-url", "analyzed-sha", "content-hash", "id", "slug"})
_CLOSED_SETS: Final = frozenset({"severity", "type", "strategy"})
_FURTHER: Final = ("further", "Further fields")


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of the page. ``id`` is its anchor, ``html`` complete; related records come between main and about."""

    id: str
    title: str
    html: SafeString
    group: Literal["main", "about"] = "main"


@dataclass(frozen=True)
class RecordPage:
    """What a template needs for a record; related records and notices are the view's own business.

    ``title`` is the whole message as HTML, ``title_text`` at most 120 characters of it on one line. The paths are below
    the site's root. ``permanent_path`` outlives the slug; a retired record has no other page, and there it is Markdown
    for those who accept that.
    """

    title: SafeString
    title_text: str
    facts: tuple[Fact, ...]
    facts_html: SafeString
    sections: tuple[Section, ...]
    retired: bool
    path: str
    json_path: str
    markdown_path: str
    permanent_path: str

    @cached_property
    def main(self) -> tuple[Section, ...]:
        """The sections before the related records: meaning to prevention."""
        return tuple(section for section in self.sections if section.group == "main")

    @cached_property
    def about(self) -> tuple[Section, ...]:
        """The sections after them: tags, provenance and what else the record holds."""
        return tuple(section for section in self.sections if section.group == "about")

    @property
    def outline(self) -> tuple[tuple[str, str], ...]:
        """(id, title) of each section."""
        return tuple((section.id, section.title) for section in self.sections)


def record_page(view: RecordView, *, cache: PartCache | None = None) -> RecordPage:
    """The page of ``view``. With ``cache`` (see ``part_cache()``) the expensive parts are read from it."""
    record = view.record
    facts = headline_facts(view)
    permanent = links.short_path(record.id)
    retired = view.retired_revision is not None  # its slug may have become another record's
    return RecordPage(
        title=message_html(record.error_message),
        title_text=message_text(record.error_message, limit=_LONGEST_TITLE),
        facts=facts,
        facts_html=_facts_line(facts),
        sections=tuple(_sections(view, cache)),
        retired=retired,
        path=permanent if retired else links.record_path(record.repo, record.slug),
        json_path=links.record_api_path(record.id) if retired else links.record_json_path(record.repo, record.slug),
        markdown_path=permanent if retired else links.record_markdown_path(record.repo, record.slug),
        permanent_path=permanent,
    )


def _sections(view: RecordView, cache: PartCache | None) -> Iterator[Section]:
    parts = record_parts(view, cache)
    for id, title in _MAIN:
        if id in parts:
            yield Section(id=id, title=title, html=parts[id])
    if view.record.tags:
        yield Section(id="tags", title="Tags", html=_tags(view.record.tags), group="about")
    yield Section(id="provenance", title="Where this comes from", html=fact_list(provenance_facts(view)), group="about")
    yield Section(id="details", title="All details", html=fact_list(detail_facts(view)), group="about")
    if _FURTHER[0] in parts:
        yield Section(id=_FURTHER[0], title=_FURTHER[1], html=parts[_FURTHER[0]], group="about")
    sentences = finding_sentences(view)
    if sentences:
        yield Section(id="findings", title="Weak points of this record", html=_sentences(sentences), group="about")


def _value(fact: Fact) -> SafeString:
    shown = visible_html(fact.value)
    if fact.name in _VERBATIM:
        shown = format_html("<code>{}</code>", shown)
    if fact.href is None:
        return shown
    if fact.href.startswith("/"):
        return format_html('<a href="{}">{}</a>', fact.href, shown)
    return format_html('<a href="{}" rel="noopener nofollow">{}</a>', fact.href, shown)


def _facts_line(facts: Iterable[Fact]) -> SafeString:
    """``<ul class="facts">`` of short values. Those of a closed set stand in ``data-value`` too, for their colors."""
    lines = format_html_join(
        "\n",
        '<li class="fact fact-{}"{}><span class="fact-label">{}</span> {}</li>',
        ((fact.name, _data_value(fact), fact.label, _value(fact)) for fact in facts),
    )
    return format_html('<ul class="facts">\n{}\n</ul>', lines)


def _data_value(fact: Fact) -> str:
    return format_html(' data-value="{}"', fact.value) if fact.name in _CLOSED_SETS else ""


def fact_list(facts: Iterable[Fact]) -> SafeString:
    """Facts as ``<dl class="details">`` with a ``<div class="detail detail-{name}">`` round each pair."""
    pairs = format_html_join(
        "\n",
        '<div class="detail detail-{}"><dt>{}</dt><dd>{}</dd></div>',
        ((fact.name, fact.label, _value(fact)) for fact in facts),
    )
    return format_html('<dl class="details">\n{}\n</dl>', pairs)


def _tags(tags: tuple[str, ...]) -> SafeString:
    lines = format_html_join(
        "\n", '<li><a class="tag" href="{}">{}</a></li>', ((links.tag_path(tag), visible_html(tag)) for tag in tags)
    )
    return format_html('<ul class="tags">\n{}\n</ul>', lines)


def _sentences(sentences: tuple[str, ...]) -> SafeString:
    lines = format_html_join("\n", "<li>{}</li>", ((visible_html(sentence),) for sentence in sentences))
    return format_html('<ul class="findings">\n{}\n</ul>', lines)
