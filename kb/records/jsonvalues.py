"""JSON of any shape: read without trusting it, and made storable.

What cannot be a JSON value of ours (NaN, an integer of a million digits, values nested a thousand deep) is read as far
as that is possible, so that it can be named with its place, and then refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from kb.records.problems import Problems, describe
from kb.records.rules import MAX_DEPTH, MAX_DIGITS
from kb.records.text import clean_text

__all__ = ["BAD", "Oversized", "clean_key", "clean_value", "parse_object", "path_step", "refuse"]

BAD: Final = object()
"""Stands for a value that broke a rule."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BIGGEST: Final = 10**MAX_DIGITS


class Oversized(str):
    """The digits of an integer that is too long to be made."""

    __slots__ = ()


def _integer(digits: str) -> int | Oversized:
    return int(digits) if len(digits) <= MAX_DIGITS else Oversized(digits)


def parse_object(raw: bytes, problems: Problems) -> dict[Any, Any] | None:
    """The JSON object in the bytes, or None with the problem noted.

    NaN, Infinity, oversized integers and lone surrogates pass; :func:`clean_value` names them with their place.
    """
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_int=_integer)
    except UnicodeDecodeError as error:
        problems.add("not_json", "$", f"The text is not UTF-8 at byte {error.start}.", value=raw[error.start :][:16])
        return None
    except json.JSONDecodeError as error:
        near = error.doc[max(0, error.pos - 40) : error.pos + 40]
        problems.add("not_json", "$", f"{error.msg.removesuffix(' at')} at character {error.pos}.", value=near)
        return None
    except RecursionError:
        problems.add("too_deep", "$")
        return None
    if not isinstance(value, dict):
        problems.add("not_an_object", "$", value=value)
        return None
    return value


def clean_value(value: Any, path: str, problems: Problems, depth: int) -> Any:
    """The value with its texts made storable, or :data:`BAD` with the problem noted when it is not JSON of ours.

    ``path`` is where it stands, ``depth`` how many levels it may have.
    """
    if _is_storable(value, depth):
        return value
    return _clean(value, path, problems, depth)


def _is_storable(value: Any, depth: int) -> bool:
    """Whether nothing at all is wrong with the value; without the making of paths this takes a tenth of the time."""
    kind = type(value)
    if kind is dict:
        keys = all(type(key) is str and _is_plain(key) for key in value)
        return keys and depth > 1 and all(_is_storable(item, depth - 1) for item in value.values())
    if kind is list:
        return depth > 1 and all(_is_storable(item, depth - 1) for item in value)
    return _is_plain(value) or (kind is float and math.isfinite(value))


def _is_plain(value: Any) -> bool:
    """Whether nothing can be wrong with the value, told from a glance at it."""
    kind = type(value)
    if kind is str:
        return "\x00" not in value and value.isascii()
    return value is None or kind is bool or (kind is int and -_BIGGEST < value < _BIGGEST)


def _clean(value: Any, path: str, problems: Problems, depth: int) -> Any:
    if (code := _fault(value, depth)) is not None:
        return refuse(problems, code, path, "", value)
    if isinstance(value, str):
        text, replaced = clean_text(value)
        if replaced:
            problems.add("replaced_characters", path, value=value)
        return text
    return value if isinstance(value, (int, float)) else _clean_container(value, path, problems, depth - 1)


def _fault(value: Any, depth: int) -> str | None:
    """The code of what is wrong with the value itself, not with its parts."""
    if isinstance(value, Oversized):
        return "number_too_large"
    if isinstance(value, int):
        return None if -_BIGGEST < value < _BIGGEST else "number_too_large"
    if isinstance(value, float):
        return None if math.isfinite(value) else "non_finite"
    if isinstance(value, (Mapping, list, tuple)):
        return None if depth > 1 else "too_deep"
    return None if isinstance(value, str) else "wrong_type"


def _clean_container(value: Mapping[Any, Any] | Sequence[Any], path: str, problems: Problems, depth: int) -> Any:
    if not isinstance(value, Mapping):
        items = [
            item if _is_plain(item) else _clean(item, f"{path}[{index}]", problems, depth)
            for index, item in enumerate(value)
        ]
        return BAD if any(item is BAD for item in items) else items
    cleaned: dict[str, Any] = {}
    for name, item in value.items():
        if (key := clean_key(name, path, problems, taken=cleaned)) is None:
            return BAD
        cleaned[key] = item if _is_plain(item) else _clean(item, path + path_step(name), problems, depth)
    return BAD if any(item is BAD for item in cleaned.values()) else cleaned


def clean_key(name: Any, path: str, problems: Problems, *, taken: Container[str]) -> str | None:
    """A field name made storable, or None with the problem noted.

    It must be a string, and not one of ``taken``, the names of its object so far: two names that differ only in what
    cannot be stored would leave one of their values out.
    """
    if not isinstance(name, str):
        problems.add("wrong_type", path, "Field names must be strings.", value=name)
        return None
    text, replaced = clean_text(name)
    if text in taken:
        message = "Two fields have the same name once NUL and lone surrogates are replaced."
        problems.add("malformed_value", path, message, value=text)
        return None
    if replaced:
        problems.add("replaced_characters", path, "A field name held NUL or a lone surrogate.", value=name)
    return text


def path_step(name: Any) -> str:
    """One step of a JSON path, bounded like a value."""
    if isinstance(name, str) and len(name) <= MAX_DEPTH and _PLAIN_KEY.fullmatch(name):
        return f".{name}"
    return f"[{describe(name)}]"


def refuse(problems: Problems, code: str, path: str, message: str, value: Any) -> Any:
    """Note the problem and answer :data:`BAD`."""
    problems.add(code, path, message, value=value)
    return BAD
