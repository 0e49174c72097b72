"""The public pages. Addresses are made by ``kb.present.links`` alone; a test holds the two together."""

from __future__ import annotations

from django.urls import URLPattern, path, re_path

from kb.web.segments import NOT_OURS
from kb.web.term_kinds import KINDS
from kb.web.views import (
    changes,
    explaining,
    feeds,
    history,
    home,
    machines,
    publisher,
    quality,
    recognizing,
    records,
    releases,
    repositories,
    repository_lists,
    searching,
    short,
    site,
    sitemaps,
    term_lists,
    terms,
)

__all__ = ["urlpatterns"]

_RECORD = r"errors/(?P<owner>[^/]+)/(?P<name>[^/]+)/(?P<slug>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)"
_THEIRS = rf"{NOT_OURS}(?P<owner>[^/]+)/(?P<name>[^/]+)"

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("explain/", explaining.explain_text, name="explain"),
    path("explain/recognized/", recognizing.recognize, name="recognized"),
    path("search/", searching.search, name="search"),
    path("search/results/", searching.search_results, name="search-results"),
    path("repositories/", repository_lists.repositories, name="repositories"),
    path("errors/", repositories.owner, name="errors"),
    path("errors/<str:owner>/", repositories.owner, name="owner"),
    path("errors/<str:owner>/<str:name>/", repositories.repository, name="repository"),
    re_path(rf"^{_RECORD}/$", records.record, name="record"),
    re_path(rf"^{_RECORD}\.json$", records.record_json, name="record-json"),
    re_path(rf"^{_RECORD}\.md$", records.record_markdown_file, name="record-markdown"),
    re_path(rf"^{_RECORD}/history/$", history.record_history, name="history"),
    re_path(r"^e/(?P<record_id>[0-9a-f]{16})/history/$", history.short_history, name="short-history"),
    re_path(r"^e/(?P<reference>.+?)/?$", short.short, name="short"),
    path("families/<str:key>/atom.xml", feeds.family, name="family-feed"),
    *(path(f"{kinds}/", term_lists.terms, {"kinds": kinds}, name=kinds) for kinds in KINDS),
    *(path(f"{kinds}/<str:key>/", terms.term, {"kinds": kinds}, name=words.kind) for kinds, words in KINDS.items()),
    path("releases/", releases.releases, name="releases"),
    path("releases/<int:number>/", releases.release, name="release"),
    path("releases/<int:number>/rejections.ndjson", releases.rejections, name="rejections"),
    path("changes/", changes.changes, name="changes"),
    path("changes/atom.xml", changes.feed, name="changes-feed"),
    path("changes/<int:number>/", changes.revision, name="revision"),
    path("quality/", quality.overview, name="quality"),
    path("quality/findings.ndjson", quality.download, name="quality-download"),
    path("quality/repositories/<str:owner>/<str:name>/", quality.repository, name="quality-repository"),
    path("quality/<str:code>/", quality.finding, name="quality-finding"),
    path("quality/<str:code>/<str:owner>/<str:name>/", quality.records, name="quality-records"),
    path("status/", site.status, name="status"),
    path("about/", site.about, name="about"),
    path("robots.txt", machines.robots, name="robots"),
    path("llms.txt", machines.llms, name="llms"),
    path("schema.json", machines.schema, name="schema"),
    path("opensearch.xml", machines.opensearch, name="opensearch"),
    path("favicon.ico", machines.favicon, name="favicon"),
    path("sitemap.xml", sitemaps.sitemap, name="sitemap"),
    path("sitemaps/repositories.xml", sitemaps.repositories, name="sitemap-repositories"),
    path("sitemaps/families.xml", sitemaps.families, name="sitemap-families"),
    re_path(r"^sitemaps/records-(?P<first>[0-9a-f]{16})\.xml$", sitemaps.records, name="sitemap-records"),
    re_path(rf"^{_THEIRS}/$", publisher.repository, name="publisher-repository"),
    re_path(rf"^{_THEIRS}/(?P<slug>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)/$", publisher.record, name="publisher-record"),
]
