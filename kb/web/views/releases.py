"""Imports: the list, the report of one, and what it rejected. These follow running imports, not only the revision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy

from kb.catalog import queries
from kb.catalog.answers import ReleaseView
from kb.present import links
from kb.present.change_words import change_values
from kb.present.charts import strip
from kb.present.wording import problem_meaning
from kb.web.course import catalog_course
from kb.web.pages import Page, Visit, late_page
from kb.web.paging import cursor_of, paging

__all__ = ["rejections", "release", "releases"]

_SHOWN_RELEASES = 30
_SHOWN_REJECTIONS = 50
_STATE_WORDS: Final[Mapping[str, Promise]] = {
    "running": pgettext_lazy("state of an import", "running"),
    "published": pgettext_lazy("state of an import", "published"),
    "unchanged": pgettext_lazy("state of an import", "unchanged"),
    "held": pgettext_lazy("state of an import", "held"),
    "refused": pgettext_lazy("state of an import", "refused"),
    "failed": pgettext_lazy("state of an import", "failed"),
    "canceled": pgettext_lazy("state of an import", "canceled"),
}


@late_page
def releases(visit: Visit) -> Page:
    """``/releases/``, the newest first. Three queries."""
    cursor = cursor_of(visit.request)
    found = queries.releases(cursor=cursor, limit=_SHOWN_RELEASES)
    most = max((_total(item) for item in found.items), default=0)
    return Page(
        template="releases.html",
        title=gettext("Releases"),
        path=links.RELEASES,
        section="releases",
        description=gettext("Which versions of which datasets were imported, and what each one changed."),
        indexed=not cursor,
        context={
            "rows": [(item, _STATE_WORDS[item.state], strip(change_values(item), most=most)) for item in found.items],
            "course": None if cursor else catalog_course(visit.state),
            **paging(visit.request, found.next),
        },
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
    rules = [(code, problem_meaning(code), count) for code, count in sorted(found.problem_counts.items())]
    return Page(
        template="release.html",
        title=gettext("Release %(number)s of %(dataset)s") % {"number": found.id, "dataset": found.dataset},
        path=links.release_path(found.id),
        section="releases",
        description=gettext("What the import of %(dataset)s %(version)s added, changed, retired and rejected.")
        % {"dataset": found.dataset, "version": found.dataset_version},
        indexed=False,
        context={
            "release": found,
            "state_word": _STATE_WORDS[found.state],
            "figures": _figures(found),
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


def _total(release: ReleaseView) -> int:
    return release.added + release.changed + release.retired + release.restored


def _figures(release: ReleaseView) -> tuple[tuple[str, int], ...]:
    return (
        (gettext("Added"), release.added),
        (gettext("Changed"), release.changed),
        (gettext("Retired"), release.retired),
        (gettext("Restored"), release.restored),
        (gettext("Unchanged"), release.unchanged),
        (gettext("Rejected"), release.rejected),
        (gettext("Warnings"), release.warnings),
    )


def _progress(release: ReleaseView) -> tuple[object, ...]:
    return (release.id, release.state, release.rejected, release.warnings, release.finished_at)
