"""The records of one repository."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from kb.catalog import queries
from kb.catalog.answers import RecordFilter
from kb.present import links
from kb.records.record import SEVERITIES
from kb.web.pages import Page, Visit, page
from kb.web.paging import SHOWN_RECORDS, cursor_of, paging, word_of

__all__ = ["owner", "repository"]


@page
def repository(visit: Visit, owner: str, name: str) -> Page | HttpResponseBase:
    """``/errors/{owner}/{name}/``: its records by slug, perhaps of one severity. At most four queries."""
    found = queries.repository(owner, name)
    if found is None:
        raise Http404
    path = links.repository_path(found.full_name)
    if found.full_name != f"{owner}/{name}":
        return HttpResponsePermanentRedirect(path)
    severity = word_of(visit.request, "severity")
    chosen = severity if severity in SEVERITIES else None
    retired = word_of(visit.request, "status") == "retired"
    filters = RecordFilter(repo=found.full_name, severity=chosen, status="retired" if retired else "current")
    rows = queries.list_rows(filters, cursor=cursor_of(visit.request), limit=SHOWN_RECORDS)
    return Page(
        template="repository.html",
        title=f"Errors of {found.full_name}",
        path=path,
        section="repositories",
        description=f"{found.record_count:,} documented errors of {found.full_name}: meaning, triggers and fixes.",
        indexed=not (found.retired or visit.request.GET),
        trail=(("Repositories", links.REPOSITORIES), (found.full_name, path)),
        context={
            "repository": found,
            "page": rows,
            "severities": SEVERITIES,
            "chosen": chosen,
            "retired": retired,
            "renamed": queries.renamed_to(found.full_name) if found.retired else None,
            "changes": links.changes_path(found.full_name),
            "feed": links.changes_path(found.full_name, feed=True),
            **paging(visit.request, rows.next),
        },
    )


@csrf_exempt  # it takes no POST, and must say so to those who come without a token
@require_safe
def owner(request: HttpRequest, owner: str = "") -> HttpResponseRedirect:  # noqa: ARG001 - the shape of a view
    """``/errors/`` and ``/errors/{owner}/`` lead to the list of repositories."""
    return HttpResponseRedirect(
        f"{links.REPOSITORIES}?{urlencode({'q': f'{owner}/'})}" if owner else links.REPOSITORIES
    )
