"""Where a message of several lines ends: lines that clearly begin something else; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kb.matching.shapes import Line

__all__ = ["begins_entry", "begins_other", "entry_of", "is_access", "is_exit", "is_rule", "log_prefix", "message_last"]

_MOST_LINES: Final = 200
"""Lines of one message; what is longer is a log."""

_LONGEST: Final = 400
"""Characters of a line that may tell what it begins."""

_TIME: Final = re.compile(
    r"""[\[(]?(?:
        \d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d?:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?)?
      | (?:[A-Z][a-z]{2},?[ ])?[A-Z][a-z]{2}[ ]{1,2}\d{1,2}[ ](?:\d{4}[ ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?
      | \d\d[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{2,4}[ :]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?
      | \d\d:\d\d:\d\d(?:[.,]\d{1,9})?
    )(?=[\s:\],;|)-]|$)""",
    re.VERBOSE,
)
_LEVEL: Final = re.compile(
    r"[\[(<|*]?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|FATAL|SEVERE|ALERT|EMERG)\b[\])>|*]?[:\s-]",
)
_PREFIX_PART: Final = re.compile(
    r"""[\s,;|:-]{0,12}(?:
        [\[(][^\[\]()\n]{1,80}[\])]                         # [thread], [ERROR], (main)
      | (?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|FATAL|SEVERE)(?=[\s:/|\]-]|$)(?:/\w{1,40})?
      | [\w.$-]{1,80}(?::[\w.]{1,60}){1,3}(?=\s-\s|:\s)      # module:function:line, host:port
      | [\w.$/-]{2,80}(?=\[\d{1,7}\]|\s-\s|:\s\[)            # logger - , program[pid]
      | \[\d{1,7}\]
      | \d{1,7}(?=\s-{1,3}\s|\s\[)
    )""",
    re.VERBOSE,
)
_MOST_PARTS: Final = 6
_ACCESS: Final = re.compile(
    r"""(?:[\da-fA-F.:]{3,45}|[\w.-]{1,80})[ ](?:-|\S{1,40})[ ](?:-|\S{1,40})[ ]\["""
    r"""|(?:[\da-fA-F.:]{3,45}:\d{1,5}[ ]-[ ])?"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ ]"""
)
_PROMPT: Final = re.compile(
    r"""\$\s\S|>>>(?:\s|$)|\.\.\.\s\S|In\s\[\d{0,6}\]:|PS\s[A-Z]:\\|[A-Z]:\\[^<>|"]{0,200}>
      |\([\w.-]{1,60}\)\s(?:[A-Z]:\\[^<>|"]{0,200}>|[^\n]{0,120}[$%#>](?:\s|$))|[\w.-]{1,60}@[\w.-]{1,60}[:\s][^\n]{0,120}[$%#](?:\s|$)
      |➜\s|%\s\w""",
    re.VERBOSE,
)
_PROMPT_SIGN: Final = re.compile(r"[$>%#\u279c]|\.\.\. |In \[")
_WARNED: Final = re.compile(r"[^\s:][^\n:]{0,250}(?::[^\s:][^\n:]{0,250})?:\d{1,7}:[ ](?:[A-Z]\w{0,80})?Warning:[ ]")
_STOPPED: Final = re.compile(r"[\w./-]{1,80} exited with code \d{1,5}$")
"""What tells that a container is gone."""
_REPORTED: Final = re.compile(r"[^\s:][^\n:]{0,250}(?::[^\s:][^\n:]{0,250})?\.pyx?:\d{1,7}:[ ][A-Z]\w{1,80}$")
"""Where pytest says an error was raised, below the error."""
_STEP: Final = re.compile(r"#\d{1,4}[ ](?:ERROR|DONE|CANCELED|CACHED|\[)")
"""A step of an image build begins or ends."""
_HEADS: Final = (
    "Traceback (most recent call",
    "Exception in thread ",
    "Exception ignored ",
    "Exception Group Traceback",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "[end of output]",
    "exit status ",
    "make: ***",
    "make[",
    "##[",
    "::error",
    "::group",
    "npm ERR!",
    "npm error",
    "Process finished with exit code",
    "Error: Process completed with exit code",
    "Process completed with exit code",
    "ERROR: Job failed",
    "Cleaning up project directory",
    "Uploading artifacts",
    "command terminated with exit code",
    "note: This ",
    "note: run with `RUST_BACKTRACE",
    "panic: ",
    "goroutine ",
    "thread '",
    "(node:",
    "runfile(",
    "Caused by: ",
    "stack backtrace:",
    '"""',
    "'''",
    "FAILED ",
    "#0 ",
)
_EXITS: Final = (
    "exit status ",
    "make: ***",
    "Process finished with exit code",
    "Error: Process completed with exit code",
    "Process completed with exit code",
    "ERROR: Job failed",
    "Cleaning up project directory",
    "Uploading artifacts",
    "command terminated with exit code",
)
_WORDS: Final = re.compile(
    r"(?:I|I'm|I've|I'd|My|Any|Thanks|Thank|Please help|Can (?:some|any)one|Does (?:some|any)one|How (?:can|do|to)|"
    r"What (?:is|am|could)|Here is|Here's|Expected behaviou?r|Environment|Steps to reproduce|Versions?:|"
    r"Python version)\b"
)


def is_rule(text: str) -> bool:
    """Whether a line is drawn, not written: ``-----``, ``=====``, ``_ _ _ _``, a pytest heading ``___ name ___``."""
    bare = text.strip()
    if len(bare) < 5:  # noqa: PLR2004  "---" may be a message's own
        return False
    if bare[0] not in "-=_*~#+":
        return False
    if bare[1] in "-=_*~#+ " and not bare.strip("-=_*~#+ 0123456789"):
        return True
    return bare[0] == bare[-1] and bare[:3] == bare[0] * 3 == bare[-3:]


def is_exit(text: str) -> bool:
    """Whether a line only tells that a program failed, as a shell, ``make`` or a build service puts it."""
    bare = text[:_LONGEST].strip()
    return bare.startswith(_EXITS) or (" exited with " in bare and _STOPPED.match(bare) is not None)


def log_prefix(text: str) -> int:
    """The length of the time, level, thread and logger that a line begins with; 0 when it does not."""
    head = text[:_LONGEST]
    indent = len(head) - len(head.lstrip())
    if not _may_be_prefix(head[indent : indent + 1]):
        return 0
    time = _TIME.match(head, indent)
    if time is None:
        return _level_prefix(head, indent)
    end = time.end() + (head[time.end() : time.end() + 1] in ("]", ")"))
    for _ in range(_MOST_PARTS):
        part = _PREFIX_PART.match(head, end)
        if part is None:
            break
        end = part.end()
    while end < len(head) and head[end] in " \t:|-,]":
        end += 1
    return end


def _may_be_prefix(first: str) -> bool:
    """Whether a time or a level can begin with this character."""
    return first.isupper() or first.isdigit() or (first != "" and first in "[(<|*")


def _level_prefix(head: str, start: int) -> int:
    """``[ERROR] x``, ``ERROR:logger:x``, ``ERROR - x``, ``INFO: x``; not ``Error: x``."""
    level = _LEVEL.match(head, start)
    if level is None:
        return 0
    end = level.end()
    if head[end - 1] == ":" and not head[end : end + 1].isspace():  # ERROR:root:message
        name, colon, _ = head[end:].partition(":")
        if colon and name and len(name) < 80 and " " not in name:  # noqa: PLR2004  a logger's name
            end += len(name) + 1
    while end < len(head) and head[end] in " \t:|-":
        end += 1
    return end


def entry_of(removed: str) -> str | None:
    """The level, or the empty text for a time alone, in what was taken off a line; ``None`` when there is neither."""
    tail = removed[-_LONGEST:]
    level = _LEVEL.search(tail)
    if level is not None:
        return level[0].strip()
    return "" if _TIME.search(tail) else None


def begins_entry(first: Line, line: Line) -> bool:
    """Whether what was taken off ``line`` begins a log entry, seen from ``first``, the first line of a message: a time
    or level that ``first`` did not have, or another level.
    """
    entry, before = entry_of(line.removed), entry_of(first.removed)
    return entry is not None and (before is None or bool(entry and entry != before))


def is_access(text: str) -> bool:
    """Whether a line is a web server's note of one request."""
    return _ACCESS.match(text[:_LONGEST].lstrip()) is not None


def begins_other(text: str) -> bool:
    """Whether a line clearly begins something else than the text before it."""
    head = text[:_LONGEST]
    bare = head.lstrip(" \t|+")
    if bare.startswith(_HEADS) or (bare.startswith("at ") and bare.endswith(")") and "(" in bare and ":" in bare):
        return True
    if _may_be_prefix(bare[:1]) and (_TIME.match(bare) or _LEVEL.match(head)):
        return True
    if ('"' in bare or "[" in bare) and _ACCESS.match(bare):
        return True
    if _PROMPT_SIGN.search(bare) and _PROMPT.match(head.lstrip()):
        return True
    return (
        (bare[:1] == "#" and _STEP.match(bare) is not None)
        or (" exited with " in bare and _STOPPED.match(bare.rstrip()) is not None)
        or bare.rstrip() == "Traceback:"
        or (".py" in bare and _REPORTED.match(bare.rstrip()) is not None)
        or ("Warning: " in bare and _WARNED.match(bare) is not None)
    )


def message_last(lines: Sequence[Line], start: int, stop: int) -> int:
    """The last line of a message that begins in line ``start``; lines from ``stop`` on are not looked at.

    A blank line may stand inside; two, a drawn line after one, and everything that begins something else end it.
    """
    last = start
    blank = 0
    for at in range(start + 1, min(stop, start + _MOST_LINES)):
        text = lines[at].text
        if lines[at].removed != lines[start].removed and begins_entry(lines[start], lines[at]):
            break
        if not text.strip():
            blank += 1
            if blank > 1:
                break
            continue
        if begins_other(text) or (is_rule(text) and (blank or len(text.strip()) > 40)):  # noqa: PLR2004
            break
        if blank and _WORDS.match(text):
            break
        last, blank = at, 0
    return last
