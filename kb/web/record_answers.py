"""What the addresses of a record answer: the page, and the slugs that moved (decisions 3)."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.present import links
from kb.present.cache import part_cache
from kb.present.message import message_text
from kb.present.record_page import RecordPage, Section, record_page
from kb.present.structured_data import record_data
from kb.web.pages import Page

__all__ = ["address_of", "history_of", "record_content"]

_LONG_MESSAGE = 400  # characters
_RELATED = (
    ("duplicates", gettext_lazy("The same error, found twice")),
    ("alike", gettext_lazy("The same code or class elsewhere")),
    ("family", gettext_lazy("The same family elsewhere")),
    ("file", gettext_lazy("In the same file")),
)


def address_of(row: RecordRow) -> str:
    """Where a record's page is: at its slug while it is current, at its permanent link once it is retired."""
    return links.short_path(row.id) if row.retired else links.record_path(row.repo, row.slug)


def history_of(row: RecordRow) -> str:
    """Where a record's history is."""
    return links.short_history_path(row.id) if row.retired else links.history_path(row.repo, row.slug)


def record_content(view: RecordView, site: str, *, former: Sequence[RecordRow] = ()) -> Page:
    """The page of ``view`` on ``site``. ``former`` are other records that had its address before.

    At most three queries.
    """
    shown = record_page(view, cache=part_cache())
    related = queries.related(view)
    groups = tuple((name, title, getattr(related, name)) for name, title in _RELATED if getattr(related, name))
    about = message_text(view.row.excerpt, limit=160)
    return Page(
        template="record.html",
        title=f"{shown.title_text} · {view.record.repo}",
        path=address_of(view.row),
        section="repositories",
        description=about,
        indexed=not shown.retired,
        trail=(
            (gettext("Repositories"), links.REPOSITORIES),
            (view.record.repo, links.repository_path(view.record.repo)),
            (shown.title_text, address_of(view.row)),
        ),
        about=lambda site: record_data(view, site, address_of(view.row)),
        context={
            "view": view,
            "record": shown,
            "long": len(view.record.error_message) > _LONG_MESSAGE,
            "groups": groups,
            "former": former,
            "successor": queries.successor_of(view.record.id) if view.successor else None,
            "history": history_of(view.row),
            "changes": queries.history_count(view.record.id),
            "report": _report(view, shown, site),
            "outline": _outline(shown.main, related=bool(groups), about=shown.about),
        },
    )


def _report(view: RecordView, shown: RecordPage, site: str) -> str:
    """Where a problem of the record is reported; empty when the operator named no place."""
    values = {
        "id": view.record.id,
        "url": links.absolute(site, shown.permanent_path),
        "title": shown.title_text,
        "repo": view.record.repo,
        "dataset": view.dataset,
    }
    return links.report_url(settings.KB_REPORT_URL, values)


def _outline(main: Sequence[Section], *, related: bool, about: Sequence[Section]) -> tuple[tuple[str, str], ...]:
    """(anchor, title) of each part of the page in its order."""
    middle = (("related", gettext("Related errors")),) if related else ()
    return (
        *((section.id, section.title) for section in main),
        *middle,
        *((section.id, section.title) for section in about),
    )
