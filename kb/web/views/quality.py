"""The work list of a dataset's maintainers: findings by kind and by repository, and the records that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext

from kb.catalog import queries
from kb.catalog.answers import RecordRow
from kb.catalog.queries import FindingCount, FindingKind, FindingMoment
from kb.present import links
from kb.present.charts import Bars, Value, bars
from kb.present.trend_lines import trend_points
from kb.present.wording import finding_meaning
from kb.records.findings import FINDINGS
from kb.web.pages import Page, Visit, document, page
from kb.web.paging import SHOWN_RECORDS, cursor_of, paging

__all__ = ["download", "finding", "overview", "records", "repository"]

_SHOWN_REPOSITORIES = 50
_WORST = 24


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kind of finding with its words, its share of the current records, and its course over the last revisions."""

    code: str
    meaning: str
    records: int
    repositories: int
    share: float
    points: str
    change: int


@page
def overview(visit: Visit) -> Page:
    """``/quality/``: every kind of finding, and the repositories with the most. Four queries."""
    trend = queries.finding_trend()
    kinds = [_kind(row, trend, visit.state.records) for row in queries.finding_kinds()]
    return Page(
        template="quality.html",
        title=gettext("Quality"),
        path=links.QUALITY,
        section="quality",
        description=gettext(
            "What the maintainers of a dataset should look at: weak records by kind of finding and repository."
        ),
        context={
            "kinds": kinds,
            "total": sum(kind.records for kind in kinds),
            "worst": _worst(queries.worst_repositories(_WORST), links.repository_quality_path),
            "revisions": len(trend),
        },
    )


@page
def finding(visit: Visit, code: str) -> Page:
    """``/quality/{finding}/``: the repositories that have it, the worst first, and its course. Four queries."""
    trend = queries.finding_trend()
    kind = _known(code, trend, visit.state.records)
    cursor = cursor_of(visit.request)
    found = queries.finding_repositories(code, cursor=cursor, limit=_SHOWN_REPOSITORIES)
    return Page(
        template="quality_finding.html",
        title=gettext("Quality: %(finding)s") % {"finding": code},
        path=links.finding_path(code),
        section="quality",
        description=kind.meaning,
        indexed=False,
        context={
            "kind": kind,
            "moments": [_moment(moment, code) for moment in reversed(trend)],
            "worst": _worst(found.items, lambda repo: links.finding_records_path(code, repo)),
            **paging(visit.request, found.next),
        },
    )


@page
def records(visit: Visit, code: str, owner: str, name: str) -> Page:
    """``/quality/{finding}/{owner}/{repo}/``: the records of a repository that have it. Four queries."""
    kind = _known(code, (), visit.state.records)
    repo = _repository(owner, name)
    found = queries.finding_records(code, repo=repo, cursor=cursor_of(visit.request), limit=SHOWN_RECORDS)
    return Page(
        template="quality_records.html",
        title=gettext("Quality: %(finding)s in %(repo)s") % {"finding": code, "repo": repo},
        path=links.finding_records_path(code, repo),
        section="quality",
        description=gettext("%(meaning)s Records of %(repo)s.") % {"meaning": kind.meaning, "repo": repo},
        indexed=False,
        context={"kind": kind, "repo": repo, "page": found, **paging(visit.request, found.next)},
    )


@page
def repository(_visit: Visit, owner: str, name: str) -> Page:
    """``/quality/repositories/{owner}/{repo}/``: what was found in a repository. Two queries."""
    repo = _repository(owner, name)
    found = [(row, finding_meaning(row.finding)) for row in queries.findings_of_repository(repo)]
    return Page(
        template="quality_repository.html",
        title=gettext("Quality of %(repo)s") % {"repo": repo},
        path=links.repository_quality_path(repo),
        section="quality",
        description=gettext("What the maintainers of a dataset should look at in the records of %(repo)s.")
        % {"repo": repo},
        indexed=False,
        context={"repo": repo, "findings": found},
    )


@document
def download(visit: Visit) -> HttpResponseBase:
    """``/quality/findings.ndjson``: one finding of one record a line, of all kinds or of those asked for."""
    codes = [code for code in visit.request.GET.getlist("finding") if code]
    counted = sorted(row.finding for row in queries.finding_kinds())
    if not set(codes) <= {*counted, *FINDINGS}:
        raise Http404
    codes = codes or counted
    repo = visit.request.GET.get("repo") or None
    response = StreamingHttpResponse(_lines(codes, repo), content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="findings.ndjson"'
    response["X-Robots-Tag"] = "noindex"
    return response


def _lines(codes: Sequence[str], repo: str | None) -> Iterator[bytes]:
    """Read in batches after the page's snapshot ended, so that a slow reader holds nothing."""
    for code in codes:
        for row in queries.iter_finding_records(code, repo=repo):
            yield msgspec.json.encode(_line(code, row)) + b"\n"


def _line(code: str, row: RecordRow) -> dict[str, object]:
    return {
        "finding": code,
        "meaning": FINDINGS.get(code, ""),
        "id": row.id,
        "repo": row.repo,
        "slug": row.slug,
        "errorCode": row.error_code,
        "errorMessage": row.error_message,
        "filePath": row.file_path,
        "lineNumber": row.line_number,
        "page": links.record_path(row.repo, row.slug),
    }


def _worst(found: Iterable[FindingCount], path_of: Callable[[str], str]) -> Bars:
    """Repositories with how many findings they have, each a link to these."""
    values = [Value(label=row.repo, count=row.record_count, href=path_of(row.repo)) for row in found]
    return bars(gettext("Repositories"), values)


def _kind(row: FindingKind, trend: Sequence[FindingMoment], total: int) -> _Kind:
    values = [moment.counts.get(row.finding, 0) for moment in trend]
    return _Kind(
        code=row.finding,
        meaning=finding_meaning(row.finding),
        records=row.record_count,
        repositories=row.repository_count,
        share=100 * row.record_count / max(total, 1),
        points=trend_points(values),
        change=values[-1] - values[-2] if len(values) > 1 else 0,
    )


def _known(code: str, trend: Sequence[FindingMoment], total: int) -> _Kind:
    """The kind of this code, also when no record has it now. Raises ``Http404`` for what is none."""
    row = next((row for row in queries.finding_kinds() if row.finding == code), None)
    if row is None and code not in FINDINGS:
        raise Http404
    return _kind(row or FindingKind(finding=code, record_count=0, repository_count=0), trend, total)


def _repository(owner: str, name: str) -> str:
    found = queries.repository(owner, name)
    if found is None or found.full_name != f"{owner}/{name}":
        raise Http404
    return found.full_name


def _moment(moment: FindingMoment, code: str) -> dict[str, object]:
    count = moment.counts.get(code, 0)
    return {
        "revision": moment.revision,
        "release": moment.release,
        "at": moment.at,
        "count": count,
        "share": 100 * count / max(moment.records, 1),
    }
