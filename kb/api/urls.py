"""The addresses below ``/api/v1/``, made from the endpoint table; each works with and without the slash at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import URLPattern, re_path

from kb.api.about import NothingHere, RootView, SchemaView
from kb.api.changes import ChangeListView, HistoryView
from kb.api.endpoints import ENDPOINTS
from kb.api.export import ExportView
from kb.api.imports import ImportCancelView, ImportListView, ImportLogView, ImportRejectionsView, ImportView
from kb.api.lists import RepositoryListView, RepositoryView, TermListView, TermView
from kb.api.match import MatchView
from kb.api.operations import Endpoint
from kb.api.quality import FindingDownload, FindingErrorsView, FindingRepositoriesView, QualityView
from kb.api.records import ErrorListView, ErrorView, SearchView
from kb.api.releases import RejectionDownload, RejectionListView, ReleaseListView, ReleaseView
from kb.api.view import EndpointView

__all__ = ["VIEWS", "app_name", "urlpatterns"]

app_name = "api"

VIEWS: Mapping[str, tuple[type[EndpointView], dict[str, Any]]] = {
    "listErrors": (ErrorListView, {}),
    "getError": (ErrorView, {}),
    "searchErrors": (SearchView, {}),
    "exportErrors": (ExportView, {}),
    "matchText": (MatchView, {}),
    "matchTexts": (MatchView, {}),
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
    "listImports": (ImportListView, {}),
    "startImport": (ImportListView, {}),
    "getImport": (ImportView, {}),
    "cancelImport": (ImportCancelView, {}),
    "getImportLog": (ImportLogView, {}),
    "listImportRejections": (ImportRejectionsView, {}),
    "getHistory": (HistoryView, {}),
    "listChanges": (ChangeListView, {}),
    "getQuality": (QualityView, {}),
    "listFindingRepositories": (FindingRepositoriesView, {}),
    "listFindingErrors": (FindingErrorsView, {}),
    "downloadFindingErrors": (FindingDownload, {}),
    "getRoot": (RootView, {}),
    "getSchema": (SchemaView, {}),
}


_POSTING = {row.path: row for row in ENDPOINTS.values() if row.method == "post"}


def _pattern(endpoint: Endpoint) -> URLPattern:
    """The pattern of a path, for all methods that it takes."""
    view, options = VIEWS[endpoint.operation]
    posting = _POSTING.get(endpoint.path)
    return re_path(endpoint.regex, view.as_view(endpoint=endpoint, posting=posting, **options), name=endpoint.operation)


_READING = {row.path: row for row in ENDPOINTS.values() if row.method == "get"}
urlpatterns = [*map(_pattern, (_POSTING | _READING).values()), re_path(r"", NothingHere.as_view(), name="nothing")]
