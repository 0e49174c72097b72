"""The rules of a record as data: one row a field, one row a relation between fields.

Decoding, the fast path and the published JSON Schema are all made from these tables. Patterns are written without
anchors and without Python-only syntax; they must fit the whole text (or each text of a list).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal

import msgspec

from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SCHEMA_VERSION, SEVERITIES
from kb.records.timestamps import TIMESTAMP_PATTERN, parse_timestamp

__all__ = [
    "CROSS_RULES",
    "FIELDS",
    "HARVEST_ORIGIN",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_NUMBER",
    "MAX_RECORD_BYTES",
    "MAX_SNIPPET_LINES",
    "CrossRule",
    "Field",
    "Shape",
    "attribute_of",
]

MAX_RECORD_BYTES = 8 * 1024 * 1024
MAX_SNIPPET_LINES = 40
MAX_DEPTH = 64
MAX_DIGITS = 1000
MAX_NUMBER = 2**31 - 1  # what an integer column of PostgreSQL holds
HARVEST_ORIGIN = "harvest"
"""The value of the extra field ``origin`` in records made from installed packages; some of their texts may be empty."""

ID = r"[0-9a-f]{16}"
SHA = r"[0-9a-f]{40}"
SLUG = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
TAG = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
REPO = r"(?!\.{1,2}/)[\w.~+-]+/(?!\.{1,2}$)[\w.~+-]+"
RELATIVE_PATH = r"(?![/\\])(?![A-Za-z]:[/\\])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\x00-\x1f\x7f]*"
SNIPPET = rf"(?:[^\n]*\n){{0,{MAX_SNIPPET_LINES - 1}}}[^\n]*\n?"

# In JSON Schema \w knows ASCII only: there, anything but ASCII punctuation, white space and control characters.
_REPO_CHARACTER = r"[^\x00-*,:-@\[-\^`{-}\x7f-\xa0\s/]"
REPO_FOR_SCHEMA = rf"(?!\.{{1,2}}/){_REPO_CHARACTER}+/(?!\.{{1,2}}$){_REPO_CHARACTER}+"

_PINNED = r"https://github\.com/[^/\s\x00-\x1f\x7f]+/[^/\s\x00-\x1f\x7f]+/(?:blob|tree|raw|blame|commit)/[0-9a-f]{7,64}"
_GITHUB = r"https://github\.com(?:[/?#]|$)"
_HOST = r"https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
_REST = r"(?:[/?#][^\x00-\x1f\x7f]*)?"
LINK = rf"(?!{_GITHUB}){_HOST}{_REST}|{_PINNED}{_REST}"

Kind = Literal["string", "integer", "strings", "object", "objects", "map"]
Complaint = tuple[str, str]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a nested object and what makes a value of it from checked keyword arguments."""

    fields: tuple[Field, ...]
    make: Callable[..., Any]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One field and its rules.

    ``name`` is the dataset's name. ``required`` fields must be present, ``nullable`` ones may be null. ``filled`` texts
    must have more than white space; ``blank_in_harvest`` lifts that for harvested records. ``pattern`` must fit the
    whole text, else the problem is ``pattern_code`` with ``pattern_message``. ``values`` are the documented values,
    ``tolerated`` those accepted with a warning. ``check`` gets a text that fits the pattern and returns a code and a
    message, or None. For ``strings`` the rules on text hold for each item. ``about`` is one sentence for the schema.
    """

    name: str
    kind: Kind
    about: str
    required: bool = False
    nullable: bool = False
    filled: bool = False
    blank_in_harvest: bool = False
    pattern: str | None = None
    pattern_code: str = "malformed_value"
    pattern_message: str = ""
    schema_pattern: str | None = None
    values: tuple[str, ...] = ()
    tolerated: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    max_length: int | None = None
    check: Callable[[str], Complaint | None] | None = None
    shape: Shape | None = None


class CrossRule(msgspec.Struct, frozen=True, kw_only=True):
    """A relation between two fields; it holds when either has no value."""

    fields: tuple[str, str]
    code: str
    holds: Callable[[int, int], bool]


@cache
def attribute_of(name: str) -> str:
    """The attribute of a dataset name: ``sourceCodeStart`` gives ``source_code_start``."""
    return re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), name)


def check_timestamp(text: str) -> Complaint | None:
    """A time that fits the pattern must also exist: no 31 June, no hour 24."""
    return None if parse_timestamp(text) else ("bad_timestamp", "The time names a day or an hour that does not exist.")


_pinned = re.compile(rf"{_PINNED}{_REST}\Z")
_github = re.compile(_GITHUB)
_foreign = re.compile(rf"{_HOST}{_REST}\Z")


def check_link(text: str) -> Complaint | None:
    """A permalink: https, and on github.com pinned to a commit; another host is worth a warning."""
    if _pinned.match(text):
        return None
    if not _foreign.match(text):
        return ("unsafe_url", "")
    if _github.match(text):
        return ("unpinned_url", "A link to github.com must name a commit, as in /blob/{commit}/path.")
    return ("foreign_host", "")


def _text(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="string", about=about, **rules)


def _optional_text(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="string", about=about, nullable=True, **rules)


def _line(name: str, about: str) -> Field:
    return Field(name=name, kind="integer", about=about, nullable=True, minimum=1, maximum=MAX_NUMBER)


def _texts(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="strings", about=about, **rules)


def time_field(name: str, about: str, **rules: Any) -> Field:
    """A row for a point in time."""
    return Field(
        name=name,
        kind="string",
        about=about,
        pattern=TIMESTAMP_PATTERN,
        pattern_code="bad_timestamp",
        check=check_timestamp,
        **rules,
    )


REPO_FIELD: Final = _text(
    "repo",
    "The repository as owner/name.",
    required=True,
    pattern=REPO,
    schema_pattern=REPO_FOR_SCHEMA,
    max_length=255,
)

FIELDS: Final[tuple[Field, ...]] = (
    _text("id", "The permanent key: 16 hex digits.", required=True, pattern=ID),
    REPO_FIELD,
    _text(
        "slug",
        "The name in URLs, unique in the repository.",
        required=True,
        pattern=SLUG,
        max_length=255,
    ),
    _optional_text("errorCode", "The code that the program gives the error, such as E0308.", max_length=500),
    _text("errorMessage", "The message as it stands in the source, with its placeholders.", required=True, filled=True),
    _text("messagePattern", "The message as an unanchored regular expression; untrusted.", required=True),
    _text(
        "errorType",
        "The kind of the error.",
        required=True,
        values=ERROR_TYPES,
        tolerated=("io", "network", "config", "assertion", "auth", "database", "timeout"),
    ),
    _optional_text("errorClass", "The class that is raised, such as TypeError.", max_length=500),
    Field(
        name="httpStatus",
        kind="integer",
        about="The HTTP status that the error answers with.",
        nullable=True,
        minimum=100,
        maximum=599,
    ),
    _text("severity", "How bad it is.", required=True, values=SEVERITIES),
    _text(
        "filePath",
        "The file that raises it, relative to the root of the repository.",
        required=True,
        filled=True,
        pattern=RELATIVE_PATH,
        pattern_code="unsafe_path",
        max_length=4096,
    ),
    _line("lineNumber", "The line that raises it, from 1; not before sourceCodeStart."),
    _optional_text(
        "sourceCode",
        "The raising region of the file, at most 40 lines.",
        pattern=SNIPPET,
        pattern_code="snippet_too_long",
    ),
    _line("sourceCodeStart", "The first line of sourceCode in the file, from 1."),
    _line("sourceCodeEnd", "The last line of sourceCode in the file; not before sourceCodeStart."),
    _text(
        "githubUrl",
        "The permalink to the place, pinned to a commit; empty only in harvested records.",
        required=True,
        filled=True,
        blank_in_harvest=True,
        schema_pattern=LINK,
        check=check_link,
    ),
    _text("documentation", "What the error means; Markdown.", required=True, filled=True),
    _text(
        "triggerScenarios",
        "What provokes it; Markdown. Empty only in harvested records.",
        required=True,
        filled=True,
        blank_in_harvest=True,
    ),
    _text(
        "commonSituations",
        "When people meet it; Markdown. Empty only in harvested records.",
        required=True,
        filled=True,
        blank_in_harvest=True,
    ),
    _texts("solutions", "Ways to fix it, the most likely first; Markdown."),
    _optional_text("exampleFix", "Code that shows a fix."),
    _optional_text(
        "handlingStrategy",
        "How callers should handle it.",
        values=HANDLING_STRATEGIES,
        tolerated=("fail-fast",),
    ),
    _optional_text("validationCode", "Code that checks before the call."),
    _optional_text("typeGuard", "Code that narrows the type."),
    _optional_text("tryCatchPattern", "Code that catches and handles it."),
    _texts("preventionTips", "Ways to keep it from happening."),
    _texts("tags", "Subjects, in lower case with hyphens.", pattern=TAG, max_length=255),
    _optional_text("backgroundTag", "The error family across repositories.", pattern=TAG, max_length=255),
    _text("analyzedSha", "The commit that was analyzed: 40 hex digits.", required=True, pattern=SHA),
    time_field("analyzedAt", "When it was analyzed: ISO 8601 in UTC.", required=True),
    time_field("contentChangedAt", "When its text last changed: ISO 8601 in UTC.", nullable=True),
    Field(
        name="schemaVersion",
        kind="integer",
        about="The version of this contract.",
        required=True,
        minimum=SCHEMA_VERSION,
        maximum=SCHEMA_VERSION,
    ),
)
"""The fields in the order of the contract."""

CROSS_RULES: Final[tuple[CrossRule, ...]] = (
    CrossRule(
        fields=("lineNumber", "sourceCodeStart"),
        code="line_before_snippet",
        holds=lambda line, start: line >= start,
    ),
    CrossRule(
        fields=("sourceCodeEnd", "sourceCodeStart"),
        code="snippet_reversed",
        holds=lambda end, start: end >= start,
    ),
)
