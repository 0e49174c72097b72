"""The views of quality: findings by kind and by repository, and the records that have them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.api import quality_answers as answers
from kb.api import shapes
from kb.api.links import api_path
from kb.api.lists import page_of, stamp
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made
from kb.catalog import queries
from kb.present import links
from kb.records.findings import FINDINGS

__all__ = ["FindingDownload", "FindingErrorsView", "FindingRepositoriesView", "QualityView"]


class QualityView(EndpointView):
    """Findings by kind, and their course."""

    def make(self, call: Call) -> Made:
        """All of them."""
        kinds = [
            answers.FindingKind(
                finding=row.finding,
                meaning=FINDINGS.get(row.finding, ""),
                record_count=row.record_count,
                repository_count=row.repository_count,
                url=call.base + links.finding_path(row.finding),
                api_url=call.base + api_path("quality", row.finding),
            )
            for row in queries.finding_kinds()
        ]
        trend = [
            answers.FindingMoment(
                revision=row.revision, release=row.release, at=row.at, record_count=row.records, counts=row.counts
            )
            for row in queries.finding_trend()
        ]
        answer = answers.Quality(findings=kinds, trend=trend, **stamp(call))
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag())


class FindingRepositoriesView(EndpointView):
    """Repositories whose records have a finding."""

    def make(self, call: Call) -> Made:
        """One page."""
        finding = _finding(call)
        found, following = page_of(queries.finding_repositories, call, finding)
        results = [
            answers.FindingRepository(
                repo=row.repo,
                record_count=row.record_count,
                url=call.base + links.finding_records_path(finding, row.repo),
            )
            for row in found
        ]
        answer = answers.FindingRepositoryList(
            finding=finding, meaning=FINDINGS.get(finding, ""), results=results, next=following, **stamp(call)
        )
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class FindingErrorsView(EndpointView):
    """Records that have a finding."""

    def make(self, call: Call) -> Made:
        """One page."""
        finding = _finding(call)
        found, following = page_of(queries.finding_records, call, finding, repo=call.values["repo"])
        answer = answers.FindingRecordList(
            finding=finding,
            meaning=FINDINGS.get(finding, ""),
            results=[shapes.error_summary(row, call.base) for row in found],
            next=following,
            **stamp(call),
        )
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag(), next=following)


class FindingDownload(EndpointView):
    """Records that have a finding, as one JSON object a line."""

    def known_tag(self, call: Call) -> str | None:  # noqa: ARG002  # a stream is not kept
        """Nothing: the lines are read after the answer began."""
        return None

    def answer(self, call: Call) -> HttpResponseBase:
        """A stream that reads the catalog in batches, each in a view of its own, and holds none of them back."""
        finding = _finding(call)
        lines = _lines(finding, call.values["repo"], call.base)
        response = StreamingHttpResponse(lines, content_type=call.media_type)
        response["Content-Disposition"] = f'attachment; filename="{finding}.ndjson"'
        return self.stamped(response, call)


def _lines(finding: str, repo: str | None, base: str) -> Iterator[bytes]:
    for row in queries.iter_finding_records(finding, repo=repo):
        yield msgspec.json.encode(shapes.error_summary(row, base)) + b"\n"


def _finding(call: Call) -> str:
    """The code in the path. Raises :class:`Problem` for one that is looked for nowhere."""
    finding = call.parts["finding"]
    if finding not in FINDINGS and all(row.finding != finding for row in queries.finding_kinds()):
        raise Problem("not_found", "This catalog knows no such finding.")
    return finding
