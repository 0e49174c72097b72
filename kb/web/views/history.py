"""What changed in a record, and when: at the record's address, and at its permanent one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import Http404, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.answers import RecordRow
from kb.catalog.history_answers import HistoryEntry
from kb.present import links
from kb.present.change_words import KIND_MEANINGS, KIND_WORDS
from kb.present.diff_html import ShownChange, changes_html
from kb.present.message import message_text
from kb.web.pages import Page, Visit, page
from kb.web.paging import cursor_of, paging
from kb.web.record_answers import history_of

__all__ = ["record_history", "short_history"]

_SHOWN = 10
_LONGEST_TITLE = 120


@dataclass(frozen=True, kw_only=True)
class _ShownEntry:
    """One change of the record, with its differences ready to print. ``unknown`` says that what was before is gone."""

    entry: HistoryEntry
    word: str
    meaning: str
    fields: tuple[ShownChange, ...]
    unknown: bool


@page
def record_history(visit: Visit, owner: str, name: str, slug: str) -> Page | HttpResponseBase:
    """``/errors/{owner}/{name}/{slug}/history/``. At most six queries.

    Of the record that owns the slug; a slug that nobody owns leads to the history of the one who had it last.
    """
    answer = queries.record_by_slug(owner, name, slug)
    if answer.current is not None:
        return _page(visit, answer.current.row)
    if answer.former:
        return HttpResponseRedirect(links.short_history_path(answer.former[0].id))
    repo = queries.repository_of_slug(owner, name, slug)
    if repo is None or repo == f"{owner}/{name}":
        raise Http404
    return HttpResponsePermanentRedirect(links.history_path(repo, slug))


@page
def short_history(visit: Visit, record_id: str) -> Page:
    """``/e/{id}/history/``. Four queries."""
    rows = queries.record_rows([record_id])
    if not rows:
        raise Http404
    return _page(visit, rows[0])


def _page(visit: Visit, row: RecordRow) -> Page:
    cursor = cursor_of(visit.request)
    found = queries.history(row.id, cursor=cursor, limit=_SHOWN)
    count = len(found.items) if cursor is None and found.next is None else 0  # where it is not known, it is not told
    return Page(
        template="history.html",
        title=f"{gettext('History')} · {message_text(row.error_message, limit=_LONGEST_TITLE)} · {row.repo}",
        path=history_of(row),
        section="repositories",
        description=gettext("What changed in this record, and when."),
        indexed=False,
        context={
            "row": row,
            "count": count,
            "entries": tuple(_shown(found.items)),
            **paging(visit.request, found.next),
        },
    )


def _shown(entries: tuple[HistoryEntry, ...]) -> Iterator[_ShownEntry]:
    for entry in entries:
        comes = entry.kind in {"added", "retired"}
        yield _ShownEntry(
            entry=entry,
            word=str(KIND_WORDS[entry.kind]),
            meaning=str(KIND_MEANINGS[entry.kind]),
            fields=changes_html(entry.before, entry.after) if entry.before and not comes else (),
            unknown=entry.before is None and not comes,
        )
