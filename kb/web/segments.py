"""The first path segments that are the site's own.

The publisher's addresses ``/{owner}/{repo}/…`` are redirected when they resolve, so every first segment of ours, also
of pages still to come, is in this table and no owner of that name can stand in front of it. A test compares the table
with the URL resolver.
"""

from __future__ import annotations

import re

__all__ = ["FIRST_SEGMENTS", "NOT_OURS"]

FIRST_SEGMENTS = frozenset(
    {
        "about",
        "admin",
        "api",
        "changes",
        "classes",
        "codes",
        "data",
        "docs",
        "e",
        "errors",
        "explain",
        "families",
        "favicon.ico",
        "feeds",
        "healthz",
        "info",
        "llms.txt",
        "mcp",
        "opensearch.xml",
        "quality",
        "readyz",
        "releases",
        "repositories",
        "robots.txt",
        "schema.json",
        "search",
        "sitemap.xml",
        "sitemaps",
        "static",
        "status",
        "tags",
    }
)

# A regular expression that refuses a path which begins with a segment of ours.
NOT_OURS = rf"(?!(?:{'|'.join(map(re.escape, sorted(FIRST_SEGMENTS)))})/)"
