"""The records of a family as a feed: those that changed last come first."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from kb.catalog import queries
from kb.present import links
from kb.present.message import message_text
from kb.web.addresses import base_url
from kb.web.atom import FeedEntry, feed_response, stamp
from kb.web.pages import Visit, document

__all__ = ["family"]

_SHOWN = 50
_LONGEST_TITLE = 160


@document
def family(visit: Visit, key: str) -> HttpResponse:
    """``/families/{key}/atom.xml``: an entry is a record, dated by the revision that changed it last. Four queries."""
    found = queries.term("family", key)
    if found is None:
        raise Http404
    site, changed = base_url(visit.request), queries.last_changed(key, _SHOWN)
    known = queries.revisions_by_number({revision for _, revision, _ in changed})
    entries = [
        FeedEntry(
            id=f"{site}{links.short_path(row.id)}",
            title=message_text(row.error_message, limit=_LONGEST_TITLE),
            url=f"{site}{links.record_path(row.repo, row.slug)}",
            updated=stamp(known[revision].at) if revision in known else written,
            summary=f"{row.repo}: {row.excerpt}",
        )
        for row, revision, written in changed
    ]
    return feed_response(
        address=f"{site}{links.family_feed_path(key)}",
        page=f"{site}{links.family_path(key)}",
        title=f"Errors of the family {found.label}",
        entries=entries,
        latest=visit.state.version,
    )
