"""The publisher's addresses, ``/{owner}/{repo}/`` and ``/{owner}/{repo}/{slug}/``, redirected when they resolve."""

from __future__ import annotations

from django.http import Http404, HttpResponseRedirect
from django.http.response import HttpResponseBase

from kb.catalog import queries
from kb.present import links
from kb.web.pages import Visit, document

__all__ = ["record", "repository"]


@document
def repository(_visit: Visit, owner: str, name: str) -> HttpResponseBase:
    """To the repository's page. Two queries."""
    found = queries.repository(owner, name)
    if found is None:
        raise Http404
    return HttpResponseRedirect(links.repository_path(found.full_name))


@document
def record(_visit: Visit, owner: str, name: str, slug: str) -> HttpResponseBase:
    """To the record's page, which knows about slugs that moved. Two queries."""
    repo = queries.repository_of_slug(owner, name, slug)
    if repo is None:
        raise Http404
    return HttpResponseRedirect(links.record_path(repo, slug))
