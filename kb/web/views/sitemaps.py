"""Every address, for crawlers: an index, and files of at most 5,000 addresses each.

Records are divided by their ids. These are the first digits of SHA-256, so equal ranges of ids hold nearly equal
numbers of records, and no file asks the database for more than its own range, whatever the size of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string

from kb.catalog import queries
from kb.present import links
from kb.web.addresses import base_url
from kb.web.pages import Visit, document

__all__ = ["MOST_ADDRESSES", "families", "records", "repositories", "sitemap"]

MOST_ADDRESSES = 5_000
_AIMED_AT = 2_500  # the numbers vary from range to range
_IDS = 16**16


def _bounds(count: int) -> list[str]:
    """The first ids of as many equal ranges as ``count`` records need."""
    ranges = -(-count // _AIMED_AT)
    return [f"{_IDS * place // ranges:016x}" for place in range(ranges)]


@document
def sitemap(visit: Visit) -> HttpResponse:
    """``/sitemap.xml``: the index."""
    site = base_url(visit.request)
    names = ["repositories", "families", *(f"records-{first}" for first in _bounds(visit.state.records))]
    files = [f"{site}/sitemaps/{name}.xml" for name in names] if visit.state.revision else []
    return _xml("machines/sitemap.xml", {"files": files, "changed": visit.state.version})


@document
def repositories(visit: Visit) -> HttpResponse:
    """``/sitemaps/repositories.xml``: those with the most records, if there are very many. Two queries."""
    found = queries.top_repositories(MOST_ADDRESSES)
    return _urls(visit.request, ((links.repository_path(item.full_name), item.analyzed_at) for item in found))


@document
def families(visit: Visit) -> HttpResponse:
    """``/sitemaps/families.xml``: those with the most records. Two queries."""
    found = queries.top_terms("family", MOST_ADDRESSES)
    return _urls(visit.request, ((links.family_path(item.key), "") for item in found))


@document
def records(visit: Visit, first: str) -> HttpResponse:
    """``/sitemaps/records-{first}.xml``: the current records of one range of ids. Two queries."""
    bounds = _bounds(visit.state.records)
    if first not in bounds:
        raise Http404
    ends = dict(pairwise([*bounds, "g"]))
    found = queries.record_addresses(first, ends[first], limit=MOST_ADDRESSES)
    return _urls(visit.request, ((links.record_path(repo, slug), changed) for repo, slug, changed in found))


def _urls(request: HttpRequest, addresses: Iterable[tuple[str, str]]) -> HttpResponse:
    """``addresses`` are paths with the time of their last change, as ISO 8601 or empty."""
    site = base_url(request)
    entries = [(f"{site}{path}", changed[:10]) for path, changed in addresses]
    return _xml("machines/urlset.xml", {"entries": entries})


def _xml(template: str, context: dict[str, object]) -> HttpResponse:
    return HttpResponse(render_to_string(template, context), content_type="application/xml; charset=utf-8")
