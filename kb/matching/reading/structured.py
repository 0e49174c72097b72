"""Log lines that are data: JSON objects, members of one, logfmt, and traces with their line breaks escaped; pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from kb.matching.reading.drafts import Draft
from kb.matching.reading.json_errors import MEMBERS, error_texts
from kb.matching.reading.quoted import STRING, Strings, drafts_of, unescaped

__all__ = ["STRUCTURE_SIGNS", "decode_structured"]

_MOST_LINES: Final = 10_000
_MEMBER: Final = re.compile(rf'\s{{0,80}}"([\w.@]{{1,40}})"[ ]{{0,3}}:[ ]{{0,3}}({STRING}),?$')
_PAIR: Final = re.compile(rf"(?<![^\s])([\w.@-]{{1,60}})=({STRING}|[^\s\"]{{0,2000}}+)")
_TRACE_SIGNS: Final = (
    "(most recent call last):\\n",
    "\\n    at ",
    "\\n\\tat ",
    '\\n  File \\"',
    '\\n  File "',
    "\\n\\n\\tgoroutine ",
    "\\ngoroutine ",
    "\\n   at ",
)

STRUCTURE_SIGNS: Final = ('":', '" :', "level=", "\\n")

Clean = Callable[[list[Draft]], list[Draft]]


def decode_structured(drafts: list[Draft], seen: set[str], clean: Clean) -> list[Draft]:
    """Put the lines that data holds in its place. Decoded lines in a row are cleaned together, by ``clean``.

    Of very many lines only the last are looked at, where a log tells what stopped it.
    """
    result = drafts[:-_MOST_LINES]
    run: list[Draft] = []
    for draft in drafts[-_MOST_LINES:]:
        decoded = _decoded(draft, seen)
        if decoded is not None:
            run += decoded
            continue
        if run:
            result += clean(run)
            run = []
        result.append(draft)
    return result + clean(run) if run else result


def _decoded(draft: Draft, seen: set[str]) -> list[Draft] | None:
    """The lines that a line holds as data; ``None`` when it is none."""
    text = draft.text
    if '"' in text:
        head = text.lstrip()[:1]
        if head == "{" and text[-1] == "}" and (lines := _json(draft)) is not None:
            seen.add("json")
            return lines
        if head == '"' and (found := _MEMBER.match(text)) and found[1] in MEMBERS:
            seen.add("json")
            return _lines(Strings(draft).parts(unescaped(found[2][1:-1], 0)[0]))
        if "level=" in text and "msg=" in text and (lines := _logfmt(draft)) is not None:
            seen.add("logfmt")
            return lines
    if "\\n" in text and any(sign in text for sign in _TRACE_SIGNS):
        seen.add("escaped")
        _open(draft)
        value, columns = unescaped(draft.text, 0)
        return _lines(Draft(value, draft.start, [draft.place(column) for column in columns], draft.removed))
    return None


def _open(draft: Draft) -> None:
    """Take off the quotes that an escaped text ends in, with what stands before them."""
    quote = draft.text[-1]
    begin = draft.text.find(quote, 0, draft.text.find("\\n"))
    if quote in "\"'" and begin >= 0:
        draft.keep(len(draft.text) - 1)
        draft.cut(begin + 1)


def _json(draft: Draft) -> list[Draft] | None:
    try:
        value = json.loads(draft.text, strict=False)
    except (ValueError, RecursionError):
        return None
    strings = Strings(draft)
    return [line for text in error_texts(value) for line in _lines(strings.parts(*text))] or None


def _logfmt(draft: Draft) -> list[Draft] | None:
    pairs = {
        found[1]: unescaped(found[2][1:-1], 0)[0] if found[2].startswith('"') else found[2]
        for found in _PAIR.finditer(draft.text)
    }
    strings = Strings(draft)
    return [line for text in error_texts(pairs) for line in _lines(strings.parts(*text))] or None


def _lines(draft: Draft) -> list[Draft]:
    return list(drafts_of(draft))
