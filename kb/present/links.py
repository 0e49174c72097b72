"""The table of URL paths, and the rule for which foreign addresses may become links.

Every path part is percent-encoded; a test compares the table with the URL resolver. Paths are absolute, without host:
:func:`absolute` puts a base URL before one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus, urlsplit

__all__ = [
    "ABOUT",
    "CHANGES",
    "CHANGES_FEED",
    "CLASSES",
    "CODES",
    "EXPLAIN",
    "FAMILIES",
    "HOME",
    "LONGEST_Q",
    "QUALITY",
    "RELEASES",
    "REPOSITORIES",
    "SEARCH",
    "STATUS",
    "TAGS",
    "absolute",
    "changes_path",
    "class_path",
    "code_path",
    "commit_url",
    "explain_url",
    "family_feed_path",
    "family_path",
    "finding_path",
    "finding_records_path",
    "history_path",
    "record_api_path",
    "record_json_path",
    "record_markdown_path",
    "record_path",
    "release_path",
    "report_url",
    "repository_path",
    "repository_quality_path",
    "revision_path",
    "search_path",
    "short_history_path",
    "short_path",
    "source_url",
    "tag_path",
]

HOME = "/"
EXPLAIN = "/explain/"
SEARCH = "/search/"
REPOSITORIES = "/repositories/"
FAMILIES = "/families/"
CODES = "/codes/"
CLASSES = "/classes/"
TAGS = "/tags/"
RELEASES = "/releases/"
QUALITY = "/quality/"
CHANGES = "/changes/"
CHANGES_FEED = "/changes/atom.xml"
STATUS = "/status/"
ABOUT = "/about/"

LONGEST_Q = 2_000  # bytes of the parameter q of any address, as encoded (decisions 17)

_SOURCE_HOSTS = frozenset({"github.com"})
_LONGEST_URL = 2048
_PLAIN_URL = re.compile(r"https://[!#$%&'()*+,./:;=?@A-Za-z0-9_~\[\]-]+", re.ASCII)


def _part(text: str) -> str:
    return quote(text, safe="")


def _named(full_name: str) -> str:
    """``owner/name`` as two path parts; a second slash is part of the name."""
    owner, _, name = full_name.partition("/")
    return f"{_part(owner)}/{_part(name)}"


def record_path(repo: str, slug: str) -> str:
    """The page of a record; ``repo`` is ``owner/name``."""
    return f"/errors/{_named(repo)}/{_part(slug)}/"


def record_json_path(repo: str, slug: str) -> str:
    """The record as JSON."""
    return f"/errors/{_named(repo)}/{_part(slug)}.json"


def record_markdown_path(repo: str, slug: str) -> str:
    """The record as Markdown."""
    return f"/errors/{_named(repo)}/{_part(slug)}.md"


def record_api_path(record_id: str) -> str:
    """The record in the REST API."""
    return f"/api/v1/errors/{_part(record_id)}/"


def short_path(record_id: str) -> str:
    """The permanent link of a record, the same whatever its slug becomes."""
    return f"/e/{_part(record_id)}/"


def repository_path(full_name: str) -> str:
    """The records of one repository."""
    return f"/errors/{_named(full_name)}/"


def family_path(slug: str) -> str:
    """The records of one family."""
    return f"{FAMILIES}{_part(slug)}/"


def family_feed_path(slug: str) -> str:
    """The records of one family that changed last, as a feed."""
    return f"{family_path(slug)}atom.xml"


def code_path(key: str) -> str:
    """The records with one code; ``key`` is :func:`kb.records.keys.url_key` of the code."""
    return f"{CODES}{_part(key)}/"


def class_path(key: str) -> str:
    """The records with one class; ``key`` is :func:`kb.records.keys.url_key` of the class."""
    return f"{CLASSES}{_part(key)}/"


def tag_path(tag: str) -> str:
    """The records with one tag."""
    return f"{TAGS}{_part(tag)}/"


def release_path(release_id: int) -> str:
    """The report of one import."""
    return f"{RELEASES}{release_id}/"


def history_path(repo: str, slug: str) -> str:
    """What changed in a current record."""
    return f"{record_path(repo, slug)}history/"


def short_history_path(record_id: str) -> str:
    """What changed in a record, whatever its slug becomes."""
    return f"{short_path(record_id)}history/"


def revision_path(revision: int, *, repo: str = "") -> str:
    """What one revision of the catalog changed, in ``repo`` alone when it is given."""
    return f"{CHANGES}{revision}/" + (f"?repo={_part(repo)}" if repo else "")


def changes_path(repo: str, *, feed: bool = False) -> str:
    """What changed in one repository, as a page or as a feed."""
    return f"{CHANGES_FEED if feed else CHANGES}?repo={_part(repo)}"


def finding_path(finding: str) -> str:
    """The repositories whose records have a quality finding."""
    return f"{QUALITY}{_part(finding)}/"


def finding_records_path(finding: str, full_name: str) -> str:
    """The records of one repository that have a quality finding."""
    return f"{QUALITY}{_part(finding)}/{_named(full_name)}/"


def repository_quality_path(full_name: str) -> str:
    """The quality findings of one repository."""
    return f"{QUALITY}repositories/{_named(full_name)}/"


def search_path(query: str) -> str:
    """The search page with ``query`` asked."""
    return f"{SEARCH}?q={_part(query)}"


def explain_url(text: str) -> str | None:
    """A link to the explanation of ``text``, ``None`` when it is empty, too long for a link or not sound Unicode."""
    try:
        encoded = quote_plus(text)
    except UnicodeEncodeError:
        return None
    return f"{EXPLAIN}?q={encoded}" if text and len(encoded) <= LONGEST_Q and "\0" not in text else None


def absolute(base_url: str, path: str) -> str:
    """``path`` below ``base_url`` (``https://host``, perhaps with a slash at its end); bare when that is empty."""
    return base_url.rstrip("/") + path


def report_url(pattern: str, values: Mapping[str, str]) -> str:
    """``pattern`` (see ``KB_REPORT_URL``) with each ``{word}`` of ``values`` put in, percent-encoded."""
    return re.sub(r"\{(\w+)\}", lambda found: quote(values[found[1]], safe="", errors="replace"), pattern)


def source_url(url: str, line: int | None = None) -> str | None:
    """``url`` if it may become a link to source code, else ``None``: https, a known host, no port, no login.

    With ``line`` the fragment becomes that line's.
    """
    if len(url) > _LONGEST_URL or not _PLAIN_URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.netloc not in _SOURCE_HOSTS:
        return None
    return url if line is None else parts._replace(fragment=f"L{line}").geturl()


def commit_url(url: str, repo: str, sha: str) -> str | None:
    """The page of commit ``sha``, when ``url``, the record's permalink, may become a link and lies in ``repo``."""
    allowed = source_url(url)
    root = f"https://github.com/{_named(repo)}/"
    if allowed is None or not allowed.lower().startswith(root.lower()):
        return None
    return f"{root}commit/{_part(sha)}"
