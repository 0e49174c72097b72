"""Which strings of a JSON value say what went wrong: messages, classes, stacks; pure.

The names are those of the common logging libraries, of log collectors and of APIs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

__all__ = ["MEMBERS", "Text", "error_texts"]

Text = tuple[str, ...]
"""One text, in the parts that it is put together from."""


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_MESSAGES: Final = _names(
    """message msg @message Message MESSAGE event log text textPayload short_message error_message errorMessage
    error.message exception.message exc_value value detail error_description errmsg title reason"""
)
_CLASSES: Final = _names("errorType error.type exception.type exc_type exception_class exception_type")
_ERROR_CLASSES: Final = (*_CLASSES, "type", "__type", "name", "class", "kind")
"""Only inside an error: elsewhere they name programs and loggers."""
_STACKS: Final = _names(
    """stack stack_trace stackTrace stacktrace traceback trace exc_info exc_text exception.stacktrace error.stack
    error.stack_trace full_message errorVerbose StackTrace"""
)
_ERRORS: Final = _names(
    """error err errors exception Exception exc thrown cause exc_info jsonPayload fields record attributes body data
    values response InnerException innerError extensions log"""
)
_HOLDERS: Final = frozenset({"record", "fields", "data", "log"})
"""Members that hold what a log line is about, not an error."""
_CODES: Final = ("code", "statusCode", "status_code", "status", "errno", "sqlState")
_STACK_NAMES: Final = frozenset((*_STACKS, "frames"))
_ERROR_NAMES: Final = frozenset(_ERRORS)
MEMBERS: Final = frozenset((*_MESSAGES, *_STACKS, "error", "err", "exception"))
"""The members whose value is worth reading when only a piece of an object is there."""
_DEEPEST: Final = 5
_MOST_MEMBERS: Final = 20
_MOST_FRAMES: Final = 400
_MOST_TEXTS: Final = 40


def error_texts(value: Any) -> list[Text]:
    """The texts of a JSON value, each once, outermost first."""
    texts: list[Text] = []
    for text in islice(_texts(value, error=False, depth=0), _MOST_TEXTS):
        whole = "".join(text).strip()
        if whole and not any(whole in "".join(other) for other in texts[-_MOST_MEMBERS:]):
            texts = [other for other in texts if "".join(other).strip() not in whole]
            texts.append(text)
    return texts


def _texts(value: Any, *, error: bool, depth: int) -> Iterator[Text]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        yield (value,)
    elif isinstance(value, list):
        for item in value[:_MOST_MEMBERS]:
            yield from _texts(item, error=error, depth=depth + 1)
    elif isinstance(value, dict):
        yield from _of_mapping(value, error=error, depth=depth)


def _of_mapping(value: Mapping[str, Any], *, error: bool, depth: int) -> Iterator[Text]:
    head = _head(value, error=error)
    stack = () if _STACK_NAMES.isdisjoint(value) else _stack(value)
    if stack and stack[0].lstrip().startswith('File "') and head:
        yield (
            "Traceback (most recent call last):\n",
            *stack,
            "" if "".join(stack[-2:]).endswith("\n") else "\n",
            *head,
        )
    else:
        if head:
            yield head
        if stack:
            yield stack
    if error:
        for name in _CODES:
            code = value.get(name)
            if isinstance(code, str | int) and not isinstance(code, bool) and str(code):
                yield (f"{name}: ", str(code))
    for name in () if _ERROR_NAMES.isdisjoint(value) else _ERRORS:
        inner = value.get(name)
        if inner is not None and not (isinstance(inner, str) and inner in (*head, *stack)):
            yield from _texts(inner, error=name not in _HOLDERS, depth=depth + 1)


def _head(value: Mapping[str, Any], *, error: bool) -> Text:
    """The message, behind the class when there is one."""
    if len(value) == 1 and not error:
        ((name, only),) = value.items()
        return (only,) if name in _MESSAGES and isinstance(only, str) and only else ()
    message = _first(value, _MESSAGES)
    cls = _first(value, _ERROR_CLASSES if error else _CLASSES)
    if not cls or " " in cls or message.startswith(cls):
        return (message,) if message else ()
    return (cls, ": ", message) if message else (cls,)


def _first(value: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of some members that is a string with something in it, else nothing."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found:
            return found
    return ""


def _stack(value: Mapping[str, Any]) -> Text:
    for name in _STACKS:
        stack = value.get(name)
        if isinstance(stack, str) and stack:
            return (stack,)
        if isinstance(stack, list):
            lines = [line for line in stack if isinstance(line, str)]
            if lines:
                return tuple(part for line in lines for part in (line, "" if line.endswith("\n") else "\n"))
    frames = value.get("frames")
    return tuple(_frames(frames)) if isinstance(frames, list) else ()


def _frames(frames: Sequence[Any]) -> Iterator[str]:
    """Frames that were logged as objects, as Python prints them."""
    for frame in frames[:_MOST_FRAMES]:
        if isinstance(frame, dict):
            path = _first(frame, ("filename", "file", "abs_path"))
            name = _first(frame, ("name", "function")) or "?"
            if path:
                yield f'  File "{path}", line {frame.get("lineno") or frame.get("line") or 0}, in {name}\n'
