"""A record as a page: every section as ready HTML, in the order in which a reader needs them.

A section that has nothing to say does not exist, so a template prints what is there and checks nothing. Every field of
the record is in some section, those that the contract does not name included. The page's foot repeats in one line where
the record comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from kb.catalog.answers import RecordView
from kb.present import links
from kb.present.cache import PartCache
from kb.present.invisible import visible_html
from kb.present.message import message_html, message_text
from kb.present.record_parts import Parts, record_parts
from kb.present.wording import SHORT_SHA, Fact, detail_facts, finding_sentences, headline_facts, provenance_facts

__all__ = ["RecordPage", "Section", "fact_list", "record_page"]

_LONGEST_TITLE = 120

# Section id → title, in the reader's order. Related records come between the two groups: they are the page's own.
_MAIN: Final = (
    ("meaning", gettext_lazy("What it means")),
    ("solutions", gettext_lazy("How to fix it")),
    ("source", gettext_lazy("Where it is raised")),
    ("example-fix", gettext_lazy("Example fix")),
    ("try-catch", gettext_lazy("Catch it")),
    ("validation", gettext_lazy("Validate before")),
    ("type-guard", gettext_lazy("Guard the type")),
    ("triggers", gettext_lazy("What triggers it")),
    ("situations", gettext_lazy("When it commonly happens")),
    ("prevention", gettext_lazy("How to prevent it")),
)
_VERBATIM: Final = frozenset({"commit", "pattern", "path", "source-url", "analyzed-sha", "content-hash", "id", "slug"})
_CLOSED_SETS: Final = frozenset({"severity", "type", "strategy"})
_FURTHER: Final = ("further", gettext_lazy("Further fields"))


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

    ``title`` is the whole message as HTML, ``title_text`` at most 120 characters of it on one line; ``raised`` is the
    raising line for the head of the page. ``commit`` is the short name of the analyzed commit, ``commit_url`` its page,
    empty where that may not be a link. The paths are below the site's root. ``permanent_path`` outlives the slug; a
    retired record has no other page, and there it is Markdown for those who accept that.
    """

    title: SafeString
    title_text: str
    facts: tuple[Fact, ...]
    facts_html: SafeString
    raised: SafeString
    sections: tuple[Section, ...]
    retired: bool
    commit: str
    commit_url: str
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
    parts = record_parts(view, cache)
    return RecordPage(
        title=message_html(record.error_message),
        title_text=message_text(record.error_message, limit=_LONGEST_TITLE),
        facts=facts,
        facts_html=_facts_line(facts),
        raised=parts["raised"],
        sections=tuple(_sections(view, parts)),
        retired=retired,
        commit=record.analyzed_sha[:SHORT_SHA],
        commit_url=links.commit_url(record.github_url, record.repo, record.analyzed_sha) or "",
        path=permanent if retired else links.record_path(record.repo, record.slug),
        json_path=links.record_api_path(record.id) if retired else links.record_json_path(record.repo, record.slug),
        markdown_path=permanent if retired else links.record_markdown_path(record.repo, record.slug),
        permanent_path=permanent,
    )


def _sections(view: RecordView, parts: Parts) -> Iterator[Section]:
    for id, title in _MAIN:
        if id in parts:
            yield Section(id=id, title=str(title), html=parts[id])
    if view.record.tags:
        yield Section(id="tags", title=gettext("Tags"), html=_tags(view.record.tags), group="about")
    sentences = finding_sentences(view)
    if sentences:
        weak = gettext("Weak points of this record")
        yield Section(id="findings", title=weak, html=_sentences(sentences), group="about")
    if _FURTHER[0] in parts:
        yield Section(id=_FURTHER[0], title=str(_FURTHER[1]), html=parts[_FURTHER[0]], group="about")
    facts = fact_list((*provenance_facts(view), *detail_facts(view)))
    yield Section(id="details", title=gettext("All details"), html=facts, group="about")


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
