"""What logs put before a message, line by line: times and their fields, containers, builds, ranks; pure.

A line whose prefix shows a time or another sure sign loses it wherever it stands; a prefix that could be part of a
message goes only when most lines of its block carry it. The indentation after a prefix stays: traces need it.
"""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft
from kb.matching.reading.log_fields import fields_end, is_error_name
from kb.matching.reading.times import LEVEL, TIME, UPPER_LEVEL

__all__ = ["strip_prefixes"]

_WRAPPER: Final = re.compile(
    r"""(?:
      (?P<buildkit>\#[0-9]{1,4}[ ][0-9]{1,6}[.][0-9]{1,4}(?=[ ]|$))
    | (?P<rank>\[(?:rank|default|Rank[ ]|worker[ ])[0-9]{1,6}\]:?
        |\((?:[\w.:<>]{1,60}[ ]){0,2}pid=[0-9]{1,8}(?:,[ ]ip=[0-9.]{7,15})?\)|\(raylet\))
    | (?P<kubernetes>\[pod/[\w.-]{1,120}/[\w.-]{1,60}\])
    | (?P<ci>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{7}Z(?=[ ]|$)
        |\#\#\[(?:error|warning|notice|debug|command|section|group|endgroup)\]|::(?:error|warning|notice)[^:]{0,200}::)
    )[ ]?
    | (?P<mpi>\[[0-9]{1,6},[0-9]{1,6}\]<std(?:err|out)>:)""",
    re.VERBOSE,
)
_TIME: Final = re.compile(rf"\[{TIME}[^\[\]]{{0,160}}\]:?|\({TIME}\)|{TIME}(?=[\s:|,\]-]|$)")
_UPTIME: Final = re.compile(r"\[[ ]{0,8}[0-9]{1,8}[.][0-9]{3,6}\]")
_WHOLE: Final = re.compile(
    rf"""(?:
      [IWEF][0-9]{{4}}[ ][0-9:.]{{8,15}}[ ]{{1,9}}[0-9]{{1,9}}[ ][^\s\]]{{1,120}}\]
    | [0-9]{{2}}-[0-9]{{2}}[ ][0-9:.]{{8,15}}[ ]{{1,6}}[0-9]{{1,7}}[ ]{{1,6}}[0-9]{{1,7}}[ ][VDIWEFA][ ][^:\n]{{1,60}}:
    | [DIWEFAU],[ ]\[{TIME}[^\[\]]{{0,40}}\][ ]{{1,4}}[A-Z]{{3,7}}[ ]--[ ][^:\n]{{0,60}}:
    | {UPPER_LEVEL}[ ]{{1,5}}[\w.-]{{1,80}}:[\w.-]{{1,60}}[.]\w{{1,4}}:[0-9]{{1,6}}
    | {UPPER_LEVEL}[ ]{{1,5}}(?:{TIME}|[0-9]{{2}}-[0-9]{{2}}[ ][0-9:.,]{{8,15}})
    | \[[ ]{{0,3}}{LEVEL}[ ]{{0,4}}\]:?
    )(?=\s|$)""",
    re.VERBOSE,
)
_PYTHON_DEFAULT: Final = re.compile(r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):([\w.-]{1,80}):")
_LEVEL_CHAIN: Final = re.compile(rf"{UPPER_LEVEL}(?=[ ]{{1,5}}(?:\[|[\w.$]{{3,120}}[ ]{{1,9}}(?:-|:)[ ]))")
_MOST_ROUNDS: Final = 4
_WIDEST: Final = 12
_BLANKS: Final = frozenset(" \t")
_AFTER_BLANKS: Final = frozenset("0123456789[#(")
_FIRST: Final = frozenset("0123456789[(<#:JFMASONDTWVIECLPHUD")


def strip_prefixes(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take the prefixes off, the outermost first, as many times as they are stacked."""
    for draft in drafts:
        if draft.text[:1] in _BLANKS:
            _cut_indentation(draft)
    stacked = drafts
    for _ in range(_MOST_ROUNDS):
        padded: dict[str, list[Draft]] = {}
        stacked = [draft for draft in stacked if draft.text[:1] in _FIRST and _strip_one(draft, seen, padded)]
        _strip_padding(padded)
    return drafts


def _cut_indentation(draft: Draft) -> None:
    """Take the blanks off that stand before a prefix, as in a log pasted as an indented block."""
    text = draft.text
    width = len(text) - len(text.lstrip(" \t"))
    if not 0 < width <= _WIDEST or text[width] not in _AFTER_BLANKS:
        return
    if _TIME.match(text, width) or _WRAPPER.match(text, width):
        draft.cut(width)


def _strip_one(draft: Draft, seen: set[str], padded: dict[str, list[Draft]]) -> bool:
    """Take one prefix off a line. Padding after a field stays, to be judged for all such lines at once."""
    text = draft.text
    if found := _WRAPPER.match(text):
        seen.add(found.lastgroup or "log")
        draft.cut(found.end())
        return True
    prefix = _prefix(text)
    if prefix is None:
        return False
    end, padding = prefix
    seen.add("log")
    if padding:
        draft.cut(end)
        padded.setdefault(draft.removed[-1:], []).append(draft)
    else:
        draft.cut(end + (text[end : end + 1] in {" ", "\t"}))
    return True


def _prefix(text: str) -> tuple[int, bool] | None:
    """Where the prefix of a log line ends, and whether padding may follow it; ``None`` when there is no prefix."""
    if found := _WHOLE.match(text):
        return fields_end(text, found.end())[0], True
    if (found := _PYTHON_DEFAULT.match(text)) and not is_error_name(found[1]):
        return found.end(), True
    if found := _TIME.match(text) or _UPTIME.match(text):
        return fields_end(text, found.end())
    if found := _LEVEL_CHAIN.match(text):
        end, padding = fields_end(text, found.end())
        return (end, padding) if end > found.end() else None
    return None


def _strip_padding(padded: dict[str, list[Draft]]) -> None:
    """Take as many blanks off as all lines with that kind of prefix have; the rest is the message's own indentation."""
    for drafts in padded.values():
        width = min((len(draft.text) - len(draft.text.lstrip(" \t")) for draft in drafts if draft.text), default=0)
        for draft in drafts:
            draft.cut(min(width, len(draft.text)))
