"""The files below ``/data/``: of the current revision, and below ``/data/r/{revision}/`` of the last ones made.

The manifest names the files of its revision, so whoever follows it never mixes two. Tags are the hashes of the files: a
file that a revision did not change keeps its tag.
"""

from __future__ import annotations

import re

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from kb.api.caching import CACHE_CONTROL, matches
from kb.api.compat.answers import JSON, failure, reading, unavailable
from kb.api.compat.making import current_layout
from kb.catalog import queries
from kb.imports.export.served import ServedFile, ServedLayout, find

__all__ = ["current_file", "revision_file"]

_OF_A_REVISION = "public, max-age=3600"
_MOST_REVISION = 18  # digits
_REFUSES_GZIP = re.compile(r"\b(?:gzip|\*)\s*;\s*q\s*=\s*0(?:\.0*)?\s*(?:,|$)")


@reading
def current_file(request: HttpRequest, path: str) -> HttpResponseBase:
    """One file of the current revision. One light query."""
    state = queries.state()
    for _ in range(2):  # once more when the layout was replaced in between
        layout = current_layout(state)
        if layout is None:
            return unavailable()
        response = _file(request, layout, path, cache=CACHE_CONTROL)
        if response is not None:
            return response
    return failure(404, "not found")


@reading
def revision_file(request: HttpRequest, revision: str, path: str) -> HttpResponseBase:
    """One file of a revision. No query."""
    layout = find(int(revision)) if len(revision) <= _MOST_REVISION else None
    response = _file(request, layout, path, cache=_OF_A_REVISION) if layout is not None else None
    return response or failure(404, "not found")


def _file(request: HttpRequest, layout: ServedLayout, path: str, *, cache: str) -> HttpResponseBase | None:
    """The file, that the client has it already, or ``None`` when there is none of this path."""
    found = layout.files.get(path)
    if found is None:
        return None
    packs = found.packed is not None and _takes_gzip(request)
    tag = f'"{found.sha256}-gzip"' if packs else f'"{found.sha256}"'
    headers = {
        "Cache-Control": cache,
        "ETag": tag,
        "Faultbook-Dataset-Version": layout.version,
        "Faultbook-Revision": str(layout.revision),
    }
    if found.packed is not None:
        headers["Vary"] = "Accept-Encoding"
    if matches(request, f'"{found.sha256}"'):
        return HttpResponse(status=304, headers=headers)
    return _body(request, found, headers, packs=packs)


def _body(request: HttpRequest, found: ServedFile, headers: dict[str, str], *, packs: bool) -> HttpResponseBase | None:
    kind = "application/gzip" if found.path.suffix == ".gz" else JSON
    if packs:
        headers["Content-Encoding"] = "gzip"
    try:
        file = (found.packed if packs and found.packed else found.path).open("rb")
    except OSError:
        return None
    if request.method == "HEAD":
        with file:
            headers["Content-Length"] = str(file.seek(0, 2))
        return HttpResponse(content_type=kind, headers=headers)
    response = FileResponse(file, filename=found.path.name, content_type=kind)
    for name, value in headers.items():
        response[name] = value
    return response


def _takes_gzip(request: HttpRequest) -> bool:
    accepted = request.META.get("HTTP_ACCEPT_ENCODING", "").lower()
    return ("gzip" in accepted or "*" in accepted) and not _REFUSES_GZIP.search(accepted)
