"""Filters of the templates: numbers and dates for people, addresses, and text from datasets made safe to print."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django import template
from django.utils.safestring import SafeString

from kb.catalog.answers import RecordRow, ReleaseView, Term
from kb.present import dates, links
from kb.present.change_words import import_outcome
from kb.present.invisible import breakable_html, visible_html, visible_text
from kb.present.markdown import inline_markdown_html, markdown_html
from kb.present.message import message_html
from kb.present.numbers import grouped
from kb.records.text import one_line
from kb.web.highlights import MessagePart, Piece

register = template.Library()

_LISTED_MESSAGE = 320  # characters of a message in a list
_TERM_PATHS = {
    "family": links.family_path,
    "code": links.code_path,
    "class": links.class_path,
    "tag": links.tag_path,
}


@register.filter
def thousands(number: int) -> str:
    """``498785`` as ``498,785``."""
    return grouped(number)


@register.filter
def day(moment: str | datetime | None) -> str:
    """``28 Aug 2026``; a text that is no date stays as it is. Where there is room, the tag of ``dates`` says more."""
    return dates.day(moment)


@register.filter
def minute(moment: str | datetime | None) -> str:
    """``28 Aug 2026, 05:10 UTC``; a text that is no date stays as it is."""
    return dates.minute(moment)


@register.filter
def message(text: str) -> SafeString:
    """An error message on one line of a list, its placeholders marked."""
    return message_html(text, limit=_LISTED_MESSAGE)


@register.filter
def message_read(text: str) -> SafeString:
    """An error message as a text had it, on one line: braces in it are braces."""
    return visible_html(one_line(text, _LISTED_MESSAGE))


@register.filter
def marked(pieces: Iterable[Piece]) -> SafeString:
    """Text in pieces, the words that were asked for in ``<mark>``."""
    shown = ((piece.marked, visible_html(piece.text)) for piece in pieces)
    return SafeString("".join(f"<mark>{text}</mark>" if hit else text for hit, text in shown))


@register.filter
def marked_message(parts: Iterable[MessagePart]) -> SafeString:
    """A found message, the words that were asked for in ``<mark>``, its placeholders as in :func:`message`."""
    shown = ((part.placeholder, marked(part.pieces)) for part in parts)
    return SafeString("".join(f'<span class="ph">{text}</span>' if held else text for held, text in shown))


@register.filter
def visible(text: str) -> SafeString:
    """Text escaped, with its invisible characters shown."""
    return visible_html(text)


@register.filter
def breakable(name: str) -> SafeString:
    """A path or qualified name, escaped, that breaks between its names where a line is too short for it."""
    return breakable_html(name)


@register.filter
def plain(text: str) -> str:
    """Text with its invisible characters shown, for titles and attributes."""
    return visible_text(text)


@register.filter
def prose(text: str) -> SafeString:
    """Markdown as safe HTML."""
    return markdown_html(text)


@register.filter
def inline_prose(text: str) -> SafeString:
    """One line of Markdown as safe HTML."""
    return inline_markdown_html(text)


@register.filter
def outcome(release: ReleaseView) -> str:
    """``12 added, 4 changed, 1 rejected``: what an import did, in its counts that are not nothing."""
    return import_outcome(release)


@register.filter
def excerpt(text: str) -> SafeString:
    """The beginning of a record's documentation, without the marks of inline code."""
    return visible_html(text.replace("`", ""))


@register.filter
def record_url(row: RecordRow) -> str:
    """The page of a record: its address among the living, the permanent one once it is retired."""
    return links.short_path(row.id) if row.retired else links.record_path(row.repo, row.slug)


@register.filter
def repository_url(full_name: str) -> str:
    """The page of a repository."""
    return links.repository_path(full_name)


@register.filter
def term_url(term: Term) -> str:
    """The page of a family, code, class or tag."""
    return _TERM_PATHS[term.kind](term.key)


@register.filter
def family_url(slug: str) -> str:
    """The page of a family."""
    return links.family_path(slug)


@register.filter
def tag_url(tag: str) -> str:
    """The page of a tag."""
    return links.tag_path(tag)


@register.filter
def release_url(release_id: int) -> str:
    """The report of an import."""
    return links.release_path(release_id)


@register.filter
def short_url(record_id: str) -> str:
    """The permanent address of a record."""
    return links.short_path(record_id)


@register.filter
def finding_url(code: str) -> str:
    """The repositories with a quality finding."""
    return links.finding_path(code)


@register.filter
def repository_quality_url(full_name: str) -> str:
    """The quality findings of a repository."""
    return links.repository_quality_path(full_name)


@register.simple_tag
def finding_records_url(code: str, full_name: str) -> str:
    """The records of a repository that have a quality finding."""
    return links.finding_records_path(code, full_name)


@register.filter
def magnitude(number: int) -> str:
    """``-1234`` as ``1,234``."""
    return grouped(abs(number))


@register.filter
def search_url(query: str) -> str:
    """A search for ``query``."""
    return links.search_path(query)


@register.filter
def explain_url(text: str) -> str:
    """The explanation of a short ``text``, else the page that takes long ones."""
    return links.explain_url(text) or links.EXPLAIN


@register.filter
def words(slug: str) -> str:
    """``connection refused`` for ``connection-refused``."""
    return slug.replace("-", " ")
