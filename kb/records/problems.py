"""Problems as values: what is wrong with a piece of foreign data, where, and by which rule.

Nothing in the import raises for bad data; it returns problems. An *error* rejects the record (or the source), a
*warning* is only reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from kb.records.text import clean_text

__all__ = ["MAX_PROBLEMS", "PROBLEM_CODES", "WARNING_CODES", "Problem", "Problems", "describe", "make_problem"]

MAX_PROBLEMS = 100
MAX_VALUE = 200
MAX_PATH = 500

RECORD_CODES: Final[Mapping[str, str]] = {
    "not_json": "The text must be one JSON value in UTF-8.",
    "not_an_object": "A record or document must be a JSON object.",
    "too_large": "A record must not be larger than 8 MiB, a source not larger than its limit.",
    "too_deep": "Values must not be nested deeper than 64 levels.",
    "non_finite": "Numbers must be finite: NaN and Infinity are not JSON.",
    "number_too_large": "An integer must not have more than 1000 digits.",
    "missing_field": "A required field must be present.",
    "wrong_type": "A value must have the type of its field.",
    "unsupported_schema_version": "The schema version must be one that this program reads.",
    "empty_text": "The text must not be empty.",
    "too_long": "The text must not be longer than its field allows.",
    "malformed_value": "The text must have the form that its field asks for.",
    "unknown_value": "The value must be one of the values that its field allows.",
    "out_of_range": "The number must lie in the range of its field.",
    "bad_timestamp": "A time must be ISO 8601 in UTC, as in 2026-08-28T05:10:05.995Z.",
    "unsafe_path": "A path must be relative, without a '..' segment, a drive or control characters.",
    "unsafe_url": "A link must be an https URL with a plain host name and without control characters.",
    "unpinned_url": "A link to github.com must be pinned to a commit.",
    "snippet_too_long": "A source snippet must not be longer than 40 lines.",
    "line_before_snippet": "lineNumber must not lie before sourceCodeStart.",
    "snippet_reversed": "sourceCodeEnd must not lie before sourceCodeStart.",
    "undocumented_value": "The value is in use but not documented; it is kept as it is.",
    "foreign_host": "The link leads to another host than github.com; it is kept as it is.",
    "replaced_characters": "NUL characters and lone surrogates were replaced by U+FFFD.",
}

SOURCE_CODES: Final[Mapping[str, str]] = {
    "truncated": "The source must not end in the middle of its data.",
    "no_manifest": "A published layout must have a manifest.json.",
    "wrong_hash": "A file must have the SHA-256 that the manifest gives for it.",
    "wrong_size": "A file must have the size that the manifest gives for it.",
    "count_mismatch": "The source must hold as many records and repositories as its manifest counts.",
    "unknown_shape": "The source must have one of the documented shapes.",
    "slug_taken": "A slug must belong to one record of a repository.",
    "repeated_id": "An id should occur once in a source; the last one wins.",
    "repo_mismatch": "A record must name the repository in whose file it stands.",
    "too_many_rejections": "A source must not have more rejected records than the limit allows.",
    "missing_file": "A file that the manifest or the command names must exist.",
    "vanished": "A source must not change or disappear while it is read.",
    "unreadable": "The source must be readable.",
    "unsafe_address": "An address must be one that may be fetched from, and so must every address it redirects to.",
    "unreachable": "A server must answer in time and keep answering.",
    "locked": "Only one import can run at a time.",
    "no_space": "The disk must have room for what the import writes.",
}

PROBLEM_CODES: Final[Mapping[str, str]] = {**RECORD_CODES, **SOURCE_CODES}
"""Every code with its rule in one sentence."""

WARNING_CODES: Final = frozenset({"undocumented_value", "foreign_host", "replaced_characters", "repeated_id"})
"""The codes that do not reject anything."""

_NOTHING: Final = object()


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One broken rule.

    ``origin`` is the file or stream, ``position`` the place of the record in it as its reader counts, ``path`` the JSON
    path in the record, ``value`` a bounded description of the offending value (at most 200 characters, "" for none).
    """

    code: str
    origin: str = ""
    path: str = "$"
    severity: str = "error"
    message: str = ""
    value: str = ""
    position: int = 0


def make_problem(
    code: str, message: str = "", *, origin: str = "", path: str = "$", value: object = _NOTHING
) -> Problem:
    """A problem with the severity of its code; without a message the code's rule is the message.

    Raises KeyError for a code that is not in :data:`PROBLEM_CODES`.
    """
    rule = PROBLEM_CODES[code]
    return Problem(
        code=code,
        origin=origin,
        path=path if len(path) <= MAX_PATH else path[: MAX_PATH - 1] + "…",
        severity="warning" if code in WARNING_CODES else "error",
        message=message or rule,
        value="" if value is _NOTHING else describe(value),
    )


class Problems:
    """Collects the problems of one record or document; keeps at most :data:`MAX_PROBLEMS` of them."""

    def __init__(self, *, origin: str = "", position: int = 0) -> None:
        """Start empty; origin and position go into every problem."""
        self._origin = origin
        self._position = position
        self._found: list[Problem] = []
        self.rejected = False

    def take(self, problem: Problem) -> None:
        """Note a problem that was found in a part; its origin and position become those of the whole."""
        self.rejected = self.rejected or problem.severity == "error"
        if len(self._found) < MAX_PROBLEMS:
            whole = msgspec.structs.replace(problem, origin=self._origin, position=self._position)
            self._found.append(whole)

    def add(self, code: str, path: str, message: str = "", *, value: object = _NOTHING) -> None:
        """Note one problem; an error makes ``rejected`` true even when it is not kept."""
        self.take(make_problem(code, message, path=path, value=value))

    def found(self) -> tuple[Problem, ...]:
        """The problems so far, in the order in which they were found."""
        return tuple(self._found)


def describe(value: object) -> str:
    """The value as JSON in at most 200 characters; long texts and large containers are cut, with an ellipsis."""
    text, _ = clean_text(_sketch(value, 3))
    return text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 1] + "…"


def _sketch(value: Any, depth: int) -> str:  # noqa: PLR0911 - one line a type
    """JSON of a small part of the value, whatever its size, its depth or its types."""
    if isinstance(value, str):
        return json.dumps(value[:MAX_VALUE], ensure_ascii=False)
    if isinstance(value, bytes):
        return value[:MAX_VALUE].decode("utf-8", "replace")
    if isinstance(value, int) and value.bit_length() > MAX_VALUE:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, (bool, int, float)) or value is None:
        return json.dumps(value)
    if isinstance(value, Mapping):
        if depth == 0:
            return "{…}"
        items = [f"{_sketch(key, 0)}: {_sketch(value[key], depth - 1)}" for key in islice(value, 8)]
        return "{" + ", ".join(items) + (", …}" if len(value) > len(items) else "}")
    if isinstance(value, (list, tuple)):
        if depth == 0:
            return "[…]"
        parts = [_sketch(item, depth - 1) for item in value[:8]]
        return "[" + ", ".join(parts) + (", …]" if len(value) > len(parts) else "]")
    return f"a {type(value).__name__}"
