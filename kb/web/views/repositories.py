"""The records of one repository."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.translation import gettext, ngettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from kb.catalog import queries
from kb.catalog.answers import RecordFilter, RepositoryView
from kb.present import links
from kb.present.numbers import grouped
from kb.records.keys import url_key
from kb.records.record import SEVERITIES
from kb.search.overview import Scope
from kb.web.narrowing import Narrowing
from kb.web.overviews import Glance, Shown, glance
from kb.web.pages import Page, Visit, late_page
from kb.web.paging import SHOWN_RECORDS, cursor_of, paging
from kb.web.search_request import SearchRequest

__all__ = ["owner", "repository"]

_FACETS = ("severity", "type", "class", "code", "file")


@late_page
def repository(visit: Visit, owner: str, name: str) -> Page | HttpResponseBase:
    """``/errors/{owner}/{name}/``: its records by slug, perhaps of one severity and type, and what they are like.

    At most five queries. What is shown beside the catalog's revision is the index, so its revision counts.
    """
    found = queries.repository(owner, name)
    if found is None:
        raise Http404
    path = links.repository_path(found.full_name)
    if found.full_name != f"{owner}/{name}":
        return HttpResponsePermanentRedirect(path)
    narrowing = Narrowing.of(visit.request, path, "severity", "type")
    cursor = cursor_of(visit.request)
    rows = queries.list_rows(narrowing.filters(RecordFilter(repo=found.full_name)), cursor=cursor, limit=SHOWN_RECORDS)
    seen = None if cursor or narrowing.retired else _glance(visit, found, narrowing, listed=bool(rows.items))
    return Page(
        template="repository.html",
        title=gettext("Errors of %(repository)s") % {"repository": found.full_name},
        path=path,
        section="repositories",
        description=_description(found),
        indexed=not (found.retired or visit.request.GET),
        trail=((gettext("Repositories"), links.REPOSITORIES), (found.full_name, path)),
        context={
            "repository": found,
            "page": rows,
            "glance": seen,
            "narrowing": narrowing,
            "severities": [(value, narrowing.toggled("severity", value)) for value in SEVERITIES],
            "renamed": queries.renamed_to(found.full_name) if found.retired else None,
            "changes": links.changes_path(found.full_name),
            "feed": links.changes_path(found.full_name, feed=True),
            **paging(visit.request, rows.next),
        },
        depends_on=(seen.revision if seen else None,),
    )


def _description(found: RepositoryView) -> str:
    counted = ngettext(
        "%(count)s documented error of %(repository)s: meaning, triggers and fixes.",
        "%(count)s documented errors of %(repository)s: meaning, triggers and fixes.",
        found.record_count,
    )
    return counted % {"count": grouped(found.record_count), "repository": found.full_name}


def _glance(visit: Visit, found: RepositoryView, narrowing: Narrowing, *, listed: bool) -> Glance | None:
    def leads(name: str, value: str) -> str:
        if name in narrowing.filterable:
            return narrowing.toggled(name, value)
        if name in {"class", "code"}:
            path = links.class_path(url_key(value)) if name == "class" else links.code_path(url_key(value))
            return narrowing.address({**narrowing.values, "repository": found.full_name}, path=path)
        asked = {**narrowing.parameters, "repo": (found.full_name,), name: (value,)}
        return SearchRequest(text="", filters=asked, cursor=None).address()

    scope = Scope(kind="repo", value=found.full_name, narrowed=narrowing.values)
    shown = Shown(scope=scope, facets=_FACETS, leads=leads, repo=found.full_name)
    return glance(shown, revision=visit.state.revision, listed=listed)


@csrf_exempt  # it takes no POST, and must say so to those who come without a token
@require_safe
def owner(request: HttpRequest, owner: str = "") -> HttpResponseRedirect:  # noqa: ARG001 - the shape of a view
    """``/errors/`` and ``/errors/{owner}/`` lead to the list of repositories."""
    return HttpResponseRedirect(
        f"{links.REPOSITORIES}?{urlencode({'q': f'{owner}/'})}" if owner else links.REPOSITORIES
    )
