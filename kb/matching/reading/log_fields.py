"""The fields between a log line's time and its message: levels, loggers, threads, process numbers, places; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.times import LEVEL, UPPER_LEVEL

__all__ = ["fields_end", "is_error_name"]

_FIELD: Final = re.compile(
    rf"""(?:
      (?P<last>
        [ ](?:stdout|stderr)[ ][FP](?=[ ]|$)
      | [ ][0-9]{{2}}[OE](?:[+]|(?=[ ]|$))
      | [ ](?:[\w.-]{{1,80}}[ ])?[\w./@-]{{1,60}}\[(?:[0-9]{{1,8}}|[a-z_-]{{1,40}}[.][0-9]{{1,4}})\]:(?=\s|$)
      | [ ][\w.-]{{1,80}}[ ]kernel:(?=\s|$))
    | (?P<level>[ \t]{{0,8}}(?:[\[<(][ ]{{0,3}}{LEVEL}[ ]{{0,8}}[\])>]|{UPPER_LEVEL}(?=[\s:|\]-]|$)
                 |{LEVEL}(?=[ ]{{1,6}}[|]|\t)):?)
    | (?P<sure>
        [ \t]{{0,6}}(?:\[[0-9]{{1,8}}(?:[:\#,.][0-9]{{1,20}}){{0,2}}\]:?|\([0-9]{{1,8}}\)(?!:)
                        |[0-9]{{1,8}}\#[0-9]{{1,8}}:)
      | [ \t][0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}(?=[\s:]|$)
      | [ ]\{{[\w./-]{{1,80}}:[0-9]{{1,6}}\}}
      | [ ]\[?[\w./-]{{1,120}}[.][a-z]{{1,4}}:[0-9]{{1,6}}\](?=[ ]|$)
      | :?[ ][IWEFD][ ][\w./-]{{1,120}}:[0-9]{{1,6}}\]
      | [ ]?[\w.<>]{{1,100}}:[\w<>.]{{1,80}}:[0-9]{{1,6}}(?=[ ]-[ ])
      | [ \t][\w-][\w./-]{{0,120}}[.]go:[0-9]{{1,6}}(?::(?=\s|$)|(?=\t))
      | [ ]\*[0-9]{{1,9}}(?=[ ]))
    | (?P<bracket>[ \t]{{0,6}}\[[^\[\]]{{1,120}}\]:?)
    | (?P<number>[ \t]{{1,6}}[0-9]{{1,8}}(?=\s))
    | (?P<rule>[ ]?-{{2,3}}(?:[ ]:)?(?=[ ]))
    | (?P<separator>[ ][-|:\u2013\u00b7](?=[ ])|:(?=\s|$)|\t)
    | (?P<logger>[ ]?(?P<name>[A-Za-z_$][\w.$/-]{{0,120}}(?:::\w{{1,60}}){{0,8}})
        (?P<end>[ ]{{1,40}}(?:[:|-]|--[ ]:)(?=[ ])|:(?=\s|$)|(?=\t)))
    )""",
    re.VERBOSE,
)
_MOST_FIELDS: Final = 14
_THREAD: Final = re.compile(
    r"\bmain|thread|pool|exec-|worker|\b(?:nio|pid|tid|client|async)\b|upstream|^[a-z_]+:[a-z]+$"
)
_DOTTED: Final = re.compile(r"[a-z_]\w{0,60}(?:[.]\w{1,60}){1,8}")
_NOT_A_FIELD: Final = ("errno", "winerror", "ssl", "error", "code ", "http", "[", "'", '"')
_ERROR_ENDINGS: Final = ("error", "exception", "warning", "exit", "interrupt", "failure", "fault", "panic", "timeout")
_OWN_WORDS: Final = frozenset(
    {"error", "fatal", "panic", "warning", "uncaught", "caused", "cause", "message", "failed"}
)


def is_error_name(name: str) -> bool:
    """Whether a dotted name is rather a class of an error than a logger."""
    last = name.replace("::", ".").rsplit(".", 1)[-1].casefold()
    return last.endswith(_ERROR_ENDINGS) or last in _OWN_WORDS


def fields_end(text: str, position: int) -> tuple[int, bool]:
    """Where the fields end that begin at ``position``, the end of the time, and whether padding may follow them.

    What is doubtful counts only when something sure follows. What a collector put there is followed by one blank.
    """
    start = end = position
    leveled = piped = False
    for _ in range(_MOST_FIELDS):
        found = _FIELD.match(text, position)
        if found is None:
            break
        if found.lastgroup == "last":
            return found.end(), False
        sure = _is_sure(found, leveled=leveled, adjacent=position == end)
        if sure is None:
            break
        position = found.end()
        leveled = leveled or found.lastgroup == "level"
        piped = piped or text.endswith("|", 0, position)
        if piped and found.lastgroup == "level":
            position = _past_pipe(text, position)
        if sure:
            end = position
    return end, end > start


def _is_sure(found: re.Match[str], *, leveled: bool, adjacent: bool) -> bool | None:
    """Whether a field is one in itself, is one if a sure one follows (false), or is none (``None``)."""
    match found.lastgroup:
        case "level" | "sure":
            return True
        case "bracket":
            return _bracket(found[0].strip(" \t:")[1:-1], leveled=leveled)
        case "number":
            return False
        case "rule" | "separator":
            return adjacent
        case _:
            return _logger(found["name"], found["end"], leveled=leveled)


def _bracket(inner: str, *, leveled: bool) -> bool | None:
    folded = inner.casefold()
    if folded.startswith(_NOT_A_FIELD) or "'" in inner or '"' in inner:
        return None
    return _THREAD.search(folded) is not None or (leveled and _DOTTED.fullmatch(inner) is not None)


def _logger(name: str, end: str, *, leveled: bool) -> bool | None:
    if is_error_name(name):
        return None
    if end != ":":
        return leveled
    last = name.replace("::", ".").rsplit(".", 1)[-1]
    return True if leveled and last[:1].islower() and last == last.casefold() else None


def _past_pipe(text: str, position: int) -> int:
    """Past the blanks and the ``|`` after a padded level."""
    rest = text[position : position + 8].lstrip(" ")
    return position + len(text[position : position + 8]) - len(rest) + 1 if rest.startswith("|") else position
