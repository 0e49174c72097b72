"""Terminal control sequences: colors, cursor moves, titles and links, also when printed literally; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft, remove_spans

__all__ = ["ANSI_SIGNS", "sequence_spans", "strip_ansi"]

_ESCAPE: Final = r"(?:\x1b|\^\[|\\x1[bB]|\\u001[bB]|\\u\{1[bB]\}|\\033|\\e(?=[\[\]])|␛)"
_SEQUENCE: Final = re.compile(
    rf"""(?:{_ESCAPE}(?:
      \[[0-?]{{0,40}}+[ -/]{{0,4}}+[@-~]                       # CSI
    | \][^\x07\x1b\\^]{{0,2000}}+(?:\x07|{_ESCAPE}\\|\\a|\\x07|\^G)?  # OSC: a title or a link
    | (?<=\x1b)[()*+][0-9A-Za-z]                              # character set
    | (?<=\x1b)[PX^_][^\x1b]{{0,2000}}+(?:\x1b\\)?             # strings to the terminal
    | (?<=\x1b)[ -~]?
    )
    | \x9b[0-?]{{0,40}}+[ -/]{{0,4}}+[@-~])++""",
    re.VERBOSE,
)
_BARE: Final = re.compile(r"\[(?:(?:[0-4]|2[2-9]|[34][0-9]|9[0-7])(?:;[0-9]{1,3}){0,5})?m")
"""A color whose escape character was lost on the way; ``[5m`` is rather a time."""
_SIGNS: Final = ("\x1b", "\x9b", "^[", "\\x1b", "\\x1B", "\\u001b", "\\u001B", "\\u{1b}", "\\033", "\\e[", "\\e]", "␛")
_RESETS: Final = ("[0m", "[39m", "[22m", "[39;49m", "[1;31m", "[31m")
ANSI_SIGNS: Final = _SIGNS + _RESETS
"""Strings of which a text holds at least one when it holds such a sequence."""


def sequence_spans(text: str) -> list[tuple[int, int]]:
    """Where the control sequences of a text stand."""
    return [found.span() for found in _SEQUENCE.finditer(text)] if any(sign in text for sign in _SIGNS) else []


def strip_ansi(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Take the sequences out of every line that has one."""
    for draft in drafts:
        text = draft.text
        if any(sign in text for sign in _SIGNS):
            pattern = _SEQUENCE
        elif "m" in text and any(reset in text for reset in _RESETS):
            pattern = _BARE
        else:
            continue
        spans = [found.span() for found in pattern.finditer(text)]
        if spans:
            seen.add("ansi")
            remove_spans(draft, spans)
            draft.keep(len(draft.text.rstrip()))
    return drafts
