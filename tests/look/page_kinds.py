"""Every kind of page, by its name in the URL map, with addresses that show its states in the catalog of these tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import quote

from django.urls import URLPattern, URLResolver, get_resolver

from kb.present import links
from kb.records.keys import url_key
from tests.web.page_checks import HOSTILE_ID, SEED, TRACE

__all__ = ["EXTREMES", "KINDS", "MAIN_KINDS", "NO_PAGES", "REPORT", "addresses", "url_names"]

REPORT = f"/explain/?q={quote(TRACE)}"
_HOSTILE_REPOSITORY = "/errors/hostile/~scr%2Bipt_%E5%90%8D%E5%89%8D./"

# A new page without an entry here, or in NO_PAGES, fails a test.
KINDS: Mapping[str, tuple[str, ...]] = {
    "home": ("/",),
    "explain": ("/explain/", REPORT, "/explain/?q=lunch+is+late", "/explain/?q=FuelError%3A+no+fuel"),
    "search": (
        "/search/",
        "/search/?q=fuel&severity=critical",
        "/search/?q=fuel",
        "/search/?q=zzzzqqqq",
        "/search/?q=severity:nonsense",
        "/search/?q=alert",
    ),
    "record": (
        "/errors/acme/rocket/first-stage/",
        f"{SEED}/",
        "/errors/acme/rocket/shared/",
        "/errors/acme/rocket/retired-stage/",
        f"/e/{HOSTILE_ID}",
    ),
    "short": ("/e/E_FUEL",),
    "history": ("/errors/acme/rocket/new-name/history/", f"/e/{HOSTILE_ID}/history/"),
    "repositories": ("/repositories/", "/repositories/?q=nothing"),
    "errors": ("/errors/",),
    "owner": ("/errors/acme/",),
    "repository": (
        "/errors/acme/rocket/",
        "/errors/acme/rocket/?severity=info",
        "/errors/acme/rocket/?status=retired",
        _HOSTILE_REPOSITORY,
    ),
    "families": ("/families/", "/families/?q=nothing"),
    "family": ("/families/out-of-resources/",),
    "codes": ("/codes/",),
    "code": (links.code_path(url_key("E_FUEL")),),
    "classes": ("/classes/",),
    "class": (links.class_path(url_key("FuelError")),),
    "tags": ("/tags/",),
    "tag": ("/tags/fuel/",),
    "releases": ("/releases/",),
    "release": ("/releases/4/", "/releases/2/"),
    "changes": ("/changes/", "/changes/?repo=acme%2Frocket"),
    "revision": ("/changes/4/", "/changes/4/?repo=acme%2Frocket&kind=retired"),
    "quality": ("/quality/",),
    "quality-finding": (),  # see addresses(): which findings there are is the catalog's to say
    "quality-repository": (f"/quality/repositories/{_HOSTILE_REPOSITORY.removeprefix('/errors/')}",),
    "quality-records": (),
    "status": ("/status/",),
    "about": ("/about/",),
    "api-reference": ("/docs/api/",),
    "staff-imports": ("/admin/imports/",),
}
# One address of each of these stands for the rest where a test can not look at everything.
MAIN_KINDS = ("home", "explain", "search", "record", "repository", "family", "changes", "status")
NO_PAGES = frozenset(
    {
        # data, feeds and files for programs
        *("changes-feed", "family-feed", "quality-download", "rejections", "record-json", "record-markdown"),
        *("compat-error", "compat-repositories", "compat-search", "data", "data-revision", "mcp"),
        *("favicon", "llms", "opensearch", "robots", "schema"),
        *("sitemap", "sitemap-families", "sitemap-records", "sitemap-repositories"),
        # other ways to a page
        *("publisher-record", "publisher-repository", "short-history"),
        # parts of pages, for their scripts
        *("staff-imports-part", "search-results", "recognized"),
    }
)
# Records that no layout was drawn for.
EXTREMES = "longest"


def addresses(kinds: tuple[str, ...] = (), *, findings: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """``(label, address)`` of every state of ``kinds`` (of all, without any), the label being fit for a file's name.

    ``findings`` are addresses of pages on single findings: of the finding, then of its records in one repository.
    """
    found = {"quality-finding": findings[:1], "quality-records": findings[1:2]}
    for kind in kinds or tuple(KINDS):
        for number, address in enumerate((*KINDS[kind], *found.get(kind, ())), start=1):
            yield (kind if number == 1 else f"{kind}-{number}"), address


def url_names() -> frozenset[str]:
    """The names in the URL map, without those of the API and of Django's own admin, which have namespaces."""
    return frozenset(_names(get_resolver("kb.urls").url_patterns))


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.name)
        elif not pattern.namespace:
            yield from _names(pattern.url_patterns)
