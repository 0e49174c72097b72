"""The views of releases. They change without a new revision, so their answers are tagged by their bytes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from kb.api import answers, shapes
from kb.api.lists import item, page_of, stamp
from kb.api.view import Call, EndpointView, Made
from kb.catalog import queries
from kb.catalog.answers import ReleaseView as ReleaseValue

__all__ = ["RejectionDownload", "RejectionListView", "ReleaseListView", "ReleaseView"]


class _Unrevisioned(EndpointView):
    """An endpoint whose answer is not a function of the revision."""

    def known_tag(self, call: Call) -> str | None:  # noqa: ARG002  # the answer itself decides
        """Nothing is known before the answer is made."""
        return None


class ReleaseListView(_Unrevisioned):
    """Releases, the newest first."""

    def make(self, call: Call) -> Made:
        """One page."""
        found, following = page_of(queries.releases, call)
        results = [shapes.release(view, call.base) for view in found]
        answer = answers.ReleaseList(results=results, next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), next=following)


class ReleaseView(_Unrevisioned):
    """One release."""

    def make(self, call: Call) -> Made:
        """The release with its report."""
        answer = answers.ReleaseAnswer(release=shapes.release(_release(call), call.base), **stamp(call))
        return Made(body=msgspec.json.encode(answer))


class RejectionListView(_Unrevisioned):
    """What a release rejected."""

    def make(self, call: Call) -> Made:
        """One page."""
        found, following = page_of(queries.rejections, call, _release(call).id)
        answer = answers.RejectionList(results=list(map(shapes.rejection, found)), next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), next=following)


class RejectionDownload(_Unrevisioned):
    """What a release rejected, as one JSON object a line."""

    def answer(self, call: Call) -> HttpResponseBase:
        """A stream that reads the catalog in batches, each in a view of its own, and holds none of them back."""
        release = _release(call)
        response = StreamingHttpResponse(_lines(release.id), content_type=call.media_type)
        response["Content-Disposition"] = f'attachment; filename="release-{release.id}-rejections.ndjson"'
        return self.stamped(response, call)


def _release(call: Call) -> ReleaseValue:
    return item(queries.release(int(call.parts["id"])), "release")


def _lines(release_id: int) -> Iterator[bytes]:
    for view in queries.iter_rejections(release_id):
        yield msgspec.json.encode(shapes.rejection(view)) + b"\n"
