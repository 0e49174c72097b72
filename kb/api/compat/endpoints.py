"""The endpoints of the err-lookup API: ``/api/search``, ``/api/errors/{id}``, ``/api/repos``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from kb.api.caching import CACHE_CONTROL, held_tag, revision_tag, variant
from kb.api.compat.answers import answer, failure, reading, unavailable
from kb.api.compat.lookup import MOST, look_up
from kb.api.links import base_url
from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.records.documents import encode_repository

__all__ = ["error", "repositories", "search"]

_DEFAULT_LIMIT = 5
_REPOSITORIES_AT_ONCE = 500
_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,9})")


@reading
def search(request: HttpRequest) -> HttpResponseBase:
    """``/api/search?q=&repo=&limit=``: records for a message, best first. No answer is kept: the text was pasted."""
    text = request.GET.get("q") or request.GET.get("message") or ""
    if not text:
        return failure(400, "missing q parameter")
    with queries.snapshot() as state:
        if not state.revision:
            return unavailable()
        hits = look_up(
            text,
            repo=request.GET.get("repo") or None,
            limit=_limit(request.GET.get("limit", "")),
            state=state,
            base=base_url(request),
        )
    return answer({"matches": hits, "datasetVersion": state.version}, headers={"Cache-Control": "private, no-store"})


def _limit(text: str) -> int:
    """As that API reads it: what does not begin with a number, or is zero, counts as none."""
    number = _NUMBER.match(text)
    return max(1, min((int(number[1]) if number else 0) or _DEFAULT_LIMIT, MOST))


@reading
def error(request: HttpRequest, record_id: str) -> HttpResponseBase:
    """``/api/errors/{id}``: one whole record. At most three queries, one where the client has it already."""
    with queries.snapshot() as state:
        if not state.revision:
            return unavailable()
        if held := _held(request, state):
            return held
        view = queries.record_by_id(record_id)
        if view is None or view.retired_revision is not None:
            return failure(404, "not found")
        content = {"record": msgspec.Raw(view.raw), "datasetVersion": state.version}
        return _tagged(request, state, content, content_hash=view.content_hash)


@reading
def repositories(request: HttpRequest) -> HttpResponseBase:
    """``/api/repos``: all repositories with records. Two queries for each 500."""
    with queries.snapshot() as state:
        if not state.revision:
            return unavailable()
        held = _held(request, state)
        return held or _tagged(request, state, {"repos": list(_described()), "datasetVersion": state.version})


def _described() -> Iterator[msgspec.Raw]:
    cursor = None
    while True:
        page = queries.repositories(cursor=cursor, limit=_REPOSITORIES_AT_ONCE)
        described = queries.export_repositories([row.full_name for row in page.items])
        for row in page.items:
            info = msgspec.structs.replace(described[row.full_name], error_count=row.record_count)
            yield msgspec.Raw(msgspec.json.encode(encode_repository(info)))
        cursor = page.next
        if cursor is None:
            return


def _held(request: HttpRequest, state: CatalogView) -> HttpResponse | None:
    """That the client has the answer already, known before it is made."""
    tag = held_tag(request, state.revision, _shape(request, state))
    return HttpResponse(status=304, headers=_caching(tag)) if tag else None


def _tagged(request: HttpRequest, state: CatalogView, content: object, *, content_hash: str = "") -> HttpResponse:
    return answer(content, headers=_caching(revision_tag(state.revision, _shape(request, state), content_hash)))


def _shape(request: HttpRequest, state: CatalogView) -> str:
    return variant(state.version, base_url(request), request.path)


def _caching(tag: str) -> dict[str, str]:
    return {"Cache-Control": CACHE_CONTROL, "ETag": tag}
