"""The values that a pasted text gave the placeholders of a record: in its message, and where its advice names them.

Everything is plain text; who prints it escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kb.matching.answers import Capture
from kb.records.messages import split_message
from kb.records.text import one_line

__all__ = ["FilledPart", "captured_label", "captured_value", "filled_message", "named_in_code", "named_in_prose"]

_LONGEST_VALUE: Final = 240  # characters
_SHORTEST_NAME: Final = 2  # a loop variable says nothing about the advice that happens to use one
_MOST_CODE: Final = 20_000  # characters of code in which names are looked for


class FilledPart(NamedTuple):
    """A run of a message: as written, or a value that stands where a placeholder was."""

    text: str
    filled: bool


def captured_value(capture: Capture) -> str:
    """The value on one line, cut where it is long."""
    return one_line(capture.value, _LONGEST_VALUE)


def captured_label(capture: Capture) -> str:
    """What the value is called: the bare name, else the placeholder as written."""
    return capture.name or capture.placeholder


def filled_message(message: str, captures: Sequence[Capture]) -> tuple[FilledPart, ...]:
    """The message with its placeholders filled in, in their order; one without a value stays as written."""
    return tuple(_filled(message, captures))


def _filled(message: str, captures: Sequence[Capture]) -> Iterator[FilledPart]:
    left = list(captures)
    for kind, text in split_message(message):
        taken = next((capture for capture in left if capture.placeholder == text), None) if kind != "text" else None
        if taken is None:
            yield FilledPart(text, filled=False)
        else:
            left.remove(taken)
            yield FilledPart(captured_value(taken), filled=True)


def named_in_code(code: str | None, captures: Sequence[Capture]) -> tuple[Capture, ...]:
    """The captures whose name is an identifier of ``code``."""
    searched = (code or "")[:_MOST_CODE]
    return _once(capture for capture in captures if _is_word(capture.name, searched))


def named_in_prose(text: str, captures: Sequence[Capture]) -> tuple[Capture, ...]:
    """The captures that prose names as code: within back-quotes, or as a placeholder written out.

    A plain word is no name: "the path" is said in many a text that has nothing to do with ``{path}``.
    """
    code = "\n".join(text[:_MOST_CODE].split("`")[1::2])
    return _once(
        capture
        for capture in captures
        if (capture.name and capture.placeholder in text) or _is_word(capture.name, code)
    )


def _once(captures: Iterator[Capture]) -> tuple[Capture, ...]:
    """The captures, each name with its first value."""
    return tuple({capture.name: capture for capture in reversed(tuple(captures))}.values())[::-1]


def _is_word(name: str, text: str) -> bool:
    """Whether ``name`` stands in ``text`` as an identifier of its own; dots belong to neither side."""
    if len(name) < _SHORTEST_NAME:
        return False
    position = text.find(name)
    while position != -1:
        end = position + len(name)
        if not _continues(text[position - 1 : position]) and not _continues(text[end : end + 1]):
            return True
        position = text.find(name, end)
    return False


def _continues(character: str) -> bool:
    return character.isalnum() or character in {"_", "$"}
