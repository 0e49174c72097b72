"""What changed: the revisions, the changes of one, those of a repository, and all of it as a feed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext, pgettext

from kb.catalog import queries
from kb.catalog.history_answers import CHANGE_KINDS, ChangeView, RevisionView
from kb.present import links
from kb.present.change_words import KIND_WORDS, REVISION_WORDS, change_values, counts_of, revision_title
from kb.present.charts import Bars, Strip, Value, bars, strip
from kb.present.invisible import visible_text
from kb.present.message import message_text
from kb.web.addresses import base_url
from kb.web.atom import FeedEntry, feed_response, stamp
from kb.web.pages import Page, Visit, document, page
from kb.web.paging import cursor_of, paging, word_of

__all__ = ["changes", "feed", "revision"]

_SHOWN_REVISIONS = 20
_SHOWN_CHANGES = 30
_IN_THE_FEED = 60
_MOST_COUNTED = 20_000  # changes of a revision that are counted by repository
_SHOWN_REPOSITORIES = 20
_LONGEST_TITLE = 160


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """One change as a line of a list. The paths lead to the record, whatever became of its slug."""

    view: ChangeView
    word: str
    path: str
    history_path: str


@dataclass(frozen=True, kw_only=True)
class _Revision:
    """One revision as a row of a table. ``kind`` is empty for an import, ``strip`` its changes beside the others'."""

    view: RevisionView
    kind: str
    counts: str
    path: str
    strip: Strip


@page
def changes(visit: Visit) -> Page:
    """``/changes/``: the revisions, the newest first; with ``repo`` the changes of one repository. Three queries."""
    repo = word_of(visit.request, "repo")
    return _of_repository(visit, repo) if repo else _revisions(visit)


def _revisions(visit: Visit) -> Page:
    cursor = cursor_of(visit.request)
    found = queries.revisions(cursor=cursor, limit=_SHOWN_REVISIONS)
    return Page(
        template="changes.html",
        title=gettext("Changes"),
        path=links.CHANGES,
        section="changes",
        description=gettext("What each revision of the catalog added, changed and retired, by release and repository."),
        indexed=not cursor,
        context={
            "revisions": _rows(found.items),
            "feed": links.CHANGES_FEED,
            **paging(visit.request, found.next),
        },
    )


def _rows(found: Sequence[RevisionView]) -> tuple[_Revision, ...]:
    most = max((view.total for view in found), default=0)
    return tuple(
        _Revision(
            view=view,
            kind=str(REVISION_WORDS.get(view.kind, "")),
            counts=counts_of(view),
            path=links.revision_path(view.revision),
            strip=strip(change_values(view), most=most),
        )
        for view in found
    )


def _of_repository(visit: Visit, repo: str) -> Page:
    filters = queries.ChangeFilter(repo=repo, kinds=_kinds(visit.request))
    found = queries.changes(filters, cursor=cursor_of(visit.request), limit=_SHOWN_CHANGES, order="newest")
    return Page(
        template="repository_changes.html",
        title=gettext("Changes in %(repo)s") % {"repo": repo},
        path=links.changes_path(repo),
        section="changes",
        description=gettext("What changed in the records of %(repo)s, the newest first.") % {"repo": repo},
        indexed=False,
        context={
            "repo": repo,
            "rows": _lines(found.items),
            "filters": _kind_links(visit.request),
            "feed": links.changes_path(repo, feed=True),
            **paging(visit.request, found.next),
        },
    )


@page
def revision(visit: Visit, number: int) -> Page:
    """``/changes/{revision}/``, with ``repo`` and ``kind`` part of it. At most five queries, more with ``kind``."""
    found = queries.revision(number)
    if found is None:
        raise Http404
    cursor, repo = cursor_of(visit.request), word_of(visit.request, "repo")
    filters = queries.ChangeFilter(revision=number, repo=repo or None, kinds=_kinds(visit.request))
    shown = queries.changes(filters, cursor=cursor, limit=_SHOWN_CHANGES, order="newest")
    whole = not (cursor or repo or filters.kinds)
    return Page(
        template="revision.html",
        title=revision_title(found),
        path=links.revision_path(number, repo=repo),
        section="changes",
        description=gettext("What revision %(number)s of the catalog changed: %(counts)s.")
        % {"number": number, "counts": counts_of(found)},
        indexed=False,
        context={
            "revision": found,
            "kind": str(REVISION_WORDS.get(found.kind, "")),
            "repo": repo,
            "rows": _lines(shown.items),
            "filters": _kind_links(visit.request),
            "repositories": _repositories(found) if whole else None,
            "whole": whole and found.total > 0,
            **paging(visit.request, shown.next),
        },
    )


def _repositories(view: RevisionView) -> Bars | None:
    """The repositories that a revision changed most, if it is small enough to count."""
    if not 0 < view.total <= _MOST_COUNTED:
        return None
    counts = list(queries.repositories_changed(view.revision).items())[:_SHOWN_REPOSITORIES]
    values = [
        Value(label=name, count=sum(kinds.values()), href=links.revision_path(view.revision, repo=name))
        for name, kinds in counts
    ]
    return bars(gettext("By repository"), values, total=view.total)


def _kinds(request: HttpRequest) -> tuple[str, ...]:
    kind = word_of(request, "kind")
    return (kind,) if kind in CHANGE_KINDS else ()


def _kind_links(request: HttpRequest) -> tuple[tuple[str, str, bool], ...]:
    """(word, address, whether it is chosen) of the filter by kind; everything else of the address is kept."""
    chosen = _kinds(request)
    kept = request.GET.copy()
    kept.pop("cursor", None)
    kept.pop("kind", None)
    made = [(pgettext("changes of every kind", "all"), f"?{kept.urlencode()}", not chosen)]
    for kind in CHANGE_KINDS:
        kept["kind"] = kind
        made.append((str(KIND_WORDS[kind]), f"?{kept.urlencode()}", chosen == (kind,)))
    return tuple(made)


def _lines(views: Sequence[ChangeView]) -> tuple[_Shown, ...]:
    return tuple(
        _Shown(
            view=view,
            word=str(KIND_WORDS[view.kind]),
            path=links.short_path(view.record.id),
            history_path=f"{links.short_history_path(view.record.id)}#r{view.revision}",
        )
        for view in views
    )


# --- the feed --------------------------------------------------------------------------------------------------------


@document
def feed(visit: Visit) -> HttpResponse:
    """``/changes/atom.xml``: the newest revisions, or with ``repo`` the newest changes of one. At most four queries."""
    site, repo = base_url(visit.request), word_of(visit.request, "repo")
    found = queries.changes(queries.ChangeFilter(repo=repo or None), limit=_IN_THE_FEED, order="newest").items
    if repo:
        entries = tuple(_change_entries(site, found, visit.state.version))
    else:
        entries = tuple(_revision_entries(site, found, queries.revisions(limit=_SHOWN_REVISIONS).items))
    return feed_response(
        address=f"{site}{links.changes_path(repo, feed=True) if repo else links.CHANGES_FEED}",
        page=f"{site}{links.changes_path(repo) if repo else links.CHANGES}",
        title=gettext("Changes in %(repo)s") % {"repo": repo} if repo else gettext("Changes of the catalog"),
        entries=entries,
        latest=visit.state.version,
    )


def _revision_entries(site: str, found: Sequence[ChangeView], revisions: Sequence[RevisionView]) -> Iterator[FeedEntry]:
    for view in revisions:
        changed = [row for row in found if row.revision == view.revision]
        yield FeedEntry(
            id=f"{site}{links.revision_path(view.revision)}",
            title=visible_text(revision_title(view)),
            url=f"{site}{links.revision_path(view.revision)}",
            updated=stamp(view.at),
            summary=f"{counts_of(view)}.",
            lines=tuple((_title(row), f"{site}{links.short_path(row.record.id)}") for row in changed),
        )


def _change_entries(site: str, found: Sequence[ChangeView], latest: str) -> Iterator[FeedEntry]:
    """``latest`` is the time of the newest revision, and stands for those whose release is not kept."""
    known = queries.revisions_by_number({row.revision for row in found})
    for row in found:
        address = f"{site}{links.short_history_path(row.record.id)}#r{row.revision}"
        yield FeedEntry(
            id=address,
            title=_title(row),
            url=address,
            updated=stamp(known[row.revision].at) if row.revision in known else latest,
            summary=gettext("%(kind)s in revision %(number)s.")
            % {"kind": str(KIND_WORDS[row.kind]).capitalize(), "number": row.revision},
        )


def _title(row: ChangeView) -> str:
    message = message_text(row.record.error_message, limit=_LONGEST_TITLE)
    return gettext("%(kind)s: %(message)s") % {"kind": KIND_WORDS[row.kind], "message": message}
