"""The addresses below ``/api/v1/``, made from the endpoint table; each works with and without the slash at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import URLPattern, re_path

from kb.api.about import NothingHere, RootView, SchemaView
from kb.api.endpoints import ENDPOINTS
from kb.api.lists import RepositoryListView, RepositoryView, TermListView, TermView
from kb.api.records import ErrorListView, ErrorView, SearchView
from kb.api.releases import RejectionDownload, RejectionListView, ReleaseListView, ReleaseView
from kb.api.view import EndpointView

__all__ = ["VIEWS", "app_name", "urlpatterns"]

app_name = "api"

VIEWS: Mapping[str, tuple[type[EndpointView], dict[str, Any]]] = {
    "listErrors": (ErrorListView, {}),
    "getError": (ErrorView, {}),
    "searchErrors": (SearchView, {}),
    "listRepositories": (RepositoryListView, {}),
    "getRepository": (RepositoryView, {}),
    "listFamilies": (TermListView, {"kind": "family"}),
    "getFamily": (TermView, {"kind": "family"}),
    "listCodes": (TermListView, {"kind": "code"}),
    "getCode": (TermView, {"kind": "code"}),
    "listClasses": (TermListView, {"kind": "class"}),
    "getClass": (TermView, {"kind": "class"}),
    "listTags": (TermListView, {"kind": "tag"}),
    "getTag": (TermView, {"kind": "tag"}),
    "listReleases": (ReleaseListView, {}),
    "getRelease": (ReleaseView, {}),
    "listRejections": (RejectionListView, {}),
    "downloadRejections": (RejectionDownload, {}),
    "getRoot": (RootView, {}),
    "getSchema": (SchemaView, {}),
}


def _pattern(operation: str) -> URLPattern:
    view, options = VIEWS[operation]
    endpoint = ENDPOINTS[operation]
    return re_path(endpoint.regex, view.as_view(endpoint=endpoint, **options), name=operation)


urlpatterns = [*map(_pattern, ENDPOINTS), re_path(r"", NothingHere.as_view(), name="nothing")]
