"""Imports: the list, the report of one, and what it rejected. These follow running imports, not only the revision."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.catalog import queries
from kb.catalog.answers import ReleaseView
from kb.present import links
from kb.records.problems import PROBLEM_CODES
from kb.web.pages import Page, Visit, late_page
from kb.web.paging import cursor_of, paging

__all__ = ["rejections", "release", "releases"]

_SHOWN_RELEASES = 30
_SHOWN_REJECTIONS = 50


@late_page
def releases(visit: Visit) -> Page:
    """``/releases/``, the newest first. Two queries."""
    cursor = cursor_of(visit.request)
    found = queries.releases(cursor=cursor, limit=_SHOWN_RELEASES)
    return Page(
        template="releases.html",
        title="Releases",
        path=links.RELEASES,
        section="releases",
        description="Which versions of which datasets were imported, and what each one changed.",
        indexed=not cursor,
        context={"page": found, **paging(visit.request, found.next)},
        depends_on=tuple(_progress(item) for item in found.items),
    )


@late_page
def release(visit: Visit, number: int) -> Page:
    """``/releases/{number}/``: counts, notices, and the rejected records page by page. Three queries."""
    found = queries.release(number)
    if found is None:
        raise Http404
    cursor = cursor_of(visit.request)
    rejected = queries.rejections(number, cursor=cursor, limit=_SHOWN_REJECTIONS)
    rules = [(code, PROBLEM_CODES.get(code, ""), count) for code, count in sorted(found.problem_counts.items())]
    return Page(
        template="release.html",
        title=f"Release {found.id} of {found.dataset}",
        path=links.release_path(found.id),
        section="releases",
        description=f"What the import of {found.dataset} {found.dataset_version} added, changed, retired and rejected.",
        indexed=False,
        context={
            "release": found,
            "rules": rules,
            "page": rejected,
            **paging(visit.request, rejected.next),
        },
        depends_on=_progress(found),
    )


@late_page
def rejections(_visit: Visit, number: int) -> HttpResponseBase:
    """``/releases/{number}/rejections.ndjson``: one problem a line, streamed in batches."""
    if queries.release(number) is None:
        raise Http404
    response = StreamingHttpResponse(_lines(number), content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="release-{number}-rejections.ndjson"'
    response["X-Robots-Tag"] = "noindex"
    return response


def _lines(number: int) -> Iterator[bytes]:
    for item in queries.iter_rejections(number):
        yield (
            msgspec.json.encode(
                {
                    "origin": item.origin,
                    "position": item.position,
                    "id": item.record_id,
                    "repo": item.repo,
                    "path": item.path,
                    "rule": item.rule,
                    "message": item.message,
                    "value": item.value,
                    "raw": item.raw,
                }
            )
            + b"\n"
        )


def _progress(release: ReleaseView) -> tuple[object, ...]:
    return (release.id, release.state, release.rejected, release.warnings, release.finished_at)
