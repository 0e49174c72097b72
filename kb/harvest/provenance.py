"""Where a record comes from: ids, slugs, permalinks."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote, urlsplit

from kb.harvest.packages import Origin

__all__ = ["permalink", "record_id", "slug_of", "tell_slugs_apart"]

_SEPARATOR: Final = "\x01"
_SLUG_SOURCE: Final = 50  # characters of a message that become its slug
_SUFFIX: Final = 6
_NOT_SLUG: Final = re.compile(r"[^a-z0-9]+")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")


def record_id(repository: str, key: str, path: str) -> str:
    """The id of the record of a repository with this code, message or (with neither) class, in this file."""
    return hashlib.sha256(_SEPARATOR.join((repository, key, path)).encode("utf-8", "replace")).hexdigest()[:16]


def slug_of(code: str | None, message: str) -> str:
    """The name in URLs, from the code, else from the first 50 characters of the message."""
    for text in (code or "", message[:_SLUG_SOURCE]):
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
        if slug := _NOT_SLUG.sub("-", plain).strip("-"):
            return slug
    return "error"


def tell_slugs_apart(records: Iterable[dict[str, Any]]) -> None:
    """Make the slugs of one repository's records unique, in place: the first keeps its own, others get a suffix.

    The suffix is from the id, so that a slug stays the same whatever else is added. For records of several
    distributions of one repository call it again with all of them.
    """
    taken: set[str] = set()
    for record in records:
        slug = record["slug"]
        if slug in taken:
            length = _SUFFIX
            while (slug := f"{record['slug']}-{record['id'][:length]}") in taken:
                length += 1
            record["slug"] = slug
        taken.add(slug)


def permalink(origin: Origin, path: str, line: int) -> str:
    """The web address of the line, when the metadata names repository and revision; else empty.

    GitHub's must name a commit: a tag can be moved, and the dataset's contract does not take one.
    """
    host = urlsplit(origin.address).hostname or ""
    if not origin.revision or not origin.address.startswith("https://"):
        return ""
    if host == "github.com":
        if not _COMMIT.fullmatch(origin.revision):
            return ""
        form = "{address}/blob/{revision}/{path}#L{line}"
    elif host == "gitlab.com":
        form = "{address}/-/blob/{revision}/{path}#L{line}"
    elif host == "codeberg.org":
        form = "{address}/src/tag/{revision}/{path}#L{line}"
    else:
        return ""
    return form.format(
        address=origin.address.rstrip("/").removesuffix(".git"),
        revision=quote(origin.revision, safe=""),
        path=quote(path),
        line=line,
    )
