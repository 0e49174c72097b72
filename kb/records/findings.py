"""Quality findings: what a maintainer of the dataset should look at. They reject nothing.

A finding is a code; the texts of :data:`FINDINGS` say what it means. Adding a rule means adding a row and a line in
:func:`findings`; stored findings are made again when a record is published.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from kb.records.patterns import pattern_faults
from kb.records.record import Record
from kb.records.text import fold

__all__ = ["FINDINGS", "THIN_TEXT", "duplicate_key", "findings"]

THIN_TEXT: Final = 200
"""Characters below which an explanation is called thin."""

FINDINGS: Final[Mapping[str, str]] = {
    "link_disagrees": "The permalink names another repository, commit or file than the record.",
    "no_solutions": "There is no solution.",
    "no_tags": "There is neither a tag nor a family.",
    "opaque_slug": "The slug holds no word that says what the error is.",
    "pattern_invalid": "The pattern is not a regular expression that RE2 accepts.",
    "pattern_matches_everything": "The pattern has fewer than three literal characters or matches unrelated texts.",
    "pattern_misses_message": "The pattern does not match the record's own message.",
    "pattern_too_long": "The pattern has more than 500 characters.",
    "snippet_disagrees": "The line numbers do not fit the source snippet.",
    "thin_text": "The explanation has fewer than 200 characters.",
}

_LINK: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/(?:blob|raw|blame)/([0-9a-f]+)/([^?#]*)")
_HEX_NUMBER: Final = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{4,}|[0-9]+")
_EMPTY_WORDS: Final = frozenset({"a", "an", "the", "err", "error", "errors", "exception", "message", "msg", "x"})


def findings(record: Record) -> tuple[str, ...]:
    """The codes of everything that is wrong with a valid record, sorted. Bounded in time whatever the record holds."""
    found = set(pattern_faults(record.message_pattern, record.error_message))
    checks = {
        "link_disagrees": _link_disagrees(record),
        "no_solutions": not any(solution.strip() for solution in record.solutions),
        "no_tags": not record.tags and record.background_tag is None,
        "opaque_slug": _is_opaque(record.slug, record.error_code),
        "snippet_disagrees": _snippet_disagrees(record),
        "thin_text": len(record.documentation.strip()) < THIN_TEXT,
    }
    return tuple(sorted(found.union(code for code, applies in checks.items() if applies)))


def duplicate_key(record: Record) -> str:
    """32 hex digits, equal for records of one repository whose patterns differ in case only."""
    identity = f"{fold(record.repo)}\x01{fold(record.message_pattern)}"
    return hashlib.blake2b(identity.encode(), digest_size=16).hexdigest()


def _link_disagrees(record: Record) -> bool:
    match = _LINK.match(record.github_url)
    if match is None:
        return False
    repo, commit, path = match.groups()
    same_file = record.file_path in (path, unquote(path))
    return not (fold(repo) == fold(record.repo) and record.analyzed_sha.startswith(commit) and same_file)


def _is_opaque(slug: str, code: str | None) -> bool:
    """Whether nothing in the slug speaks; one that was made from the error code does."""
    if code and re.sub(r"[^a-z0-9]+", "-", code.lower()).strip("-") in (slug, slug.rpartition("-")[0]):
        return False
    words = [word for word in slug.split("-") if word not in _EMPTY_WORDS and not _HEX_NUMBER.fullmatch(word)]
    return not any(len(word) > 1 for word in words)


def _snippet_disagrees(record: Record) -> bool:
    code, start, end, line = record.source_code, record.source_code_start, record.source_code_end, record.line_number
    if code is None:
        return start is not None or end is not None
    if start is None or end is None:
        return True
    breaks = code.count("\n")
    counts = (breaks, breaks + 1) if code.endswith("\n") else (breaks + 1,)  # an empty last line, or none
    return end - start + 1 not in counts or (line is not None and line > end)
