"""The careful way to read a JSON object: it survives anything and names every broken rule with its place and value.

Used for records that the fast path refuses and for all other documents.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from kb.records.problems import Problems, describe
from kb.records.rules import HARVEST_ORIGIN, MAX_DEPTH, MAX_DIGITS, Field, attribute_of
from kb.records.text import clean_text

__all__ = ["Checked", "check_object", "note_undocumented", "parse_object"]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BIGGEST: Final = 10**MAX_DIGITS
_BAD: Final = object()  # stands for a value that broke a rule


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What an object holds: checked values by attribute, dataset names of absent optional fields, unknown fields.

    Values that broke a rule are missing from ``values``.
    """

    values: dict[str, Any]
    absent: frozenset[str]
    extra: dict[str, Any]


class _Oversized(str):
    """The digits of an integer that is too long to be made."""

    __slots__ = ()


def _integer(digits: str) -> int | _Oversized:
    return int(digits) if len(digits) <= MAX_DIGITS else _Oversized(digits)


def parse_object(raw: bytes, problems: Problems) -> dict[Any, Any] | None:
    """The JSON object in the bytes, or None with the problem noted.

    NaN, Infinity, oversized integers and lone surrogates pass: :func:`check_object` names them with their place.
    """
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_int=_integer)
    except UnicodeDecodeError as error:
        problems.add("not_json", "$", f"The text is not UTF-8 at byte {error.start}.", value=raw[error.start :][:16])
        return None
    except json.JSONDecodeError as error:
        near = error.doc[max(0, error.pos - 40) : error.pos + 40]
        problems.add("not_json", "$", f"{error.msg} at character {error.pos}.", value=near)
        return None
    except RecursionError:
        problems.add("too_deep", "$")
        return None
    if not isinstance(value, dict):
        problems.add("not_an_object", "$", value=value)
        return None
    return value


def check_object(
    fields: Sequence[Field], mapping: Mapping[Any, Any], problems: Problems, *, path: str = "$"
) -> Checked:
    """Check a mapping against a table of fields; every broken rule becomes a problem below ``path``."""
    known = _by_name(tuple(fields))
    extra = {
        key: value
        for name, raw in mapping.items()
        if name not in known and (key := _key(name, path, problems)) is not None
        if (value := _clean(raw, f"{path}{_step(name)}", problems, MAX_DEPTH)) is not _BAD
    }
    harvested = extra.get("origin") == HARVEST_ORIGIN
    values: dict[str, Any] = {}
    absent: list[str] = []
    for field in fields:
        if field.name in mapping:
            value = _value(field, mapping[field.name], f"{path}.{field.name}", problems, harvested=harvested)
            if value is not _BAD:
                values[attribute_of(field.name)] = value
        elif field.required:
            problems.add("missing_field", f"{path}.{field.name}", f"{field.name} is required.")
        else:
            absent.append(field.name)
    return Checked(values=values, absent=frozenset(absent), extra=extra)


@cache
def _by_name(fields: tuple[Field, ...]) -> frozenset[str]:
    return frozenset(field.name for field in fields)


def _value(field: Field, value: Any, path: str, problems: Problems, *, harvested: bool) -> Any:
    if value is None and field.nullable:
        return None
    if field.kind == "integer":
        return _number(field, value, path, problems)
    if field.kind == "string":
        return _string(field, value, path, problems, harvested=harvested)
    if field.kind == "strings":
        return _strings(field, value, path, problems)
    return _nested(field, value, path, problems)


def _number(field: Field, value: Any, path: str, problems: Problems) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return _broken(problems, "non_finite", path, "", value)
    if isinstance(value, _Oversized):
        return _broken(problems, "number_too_large", path, "", value)
    if not isinstance(value, int) or isinstance(value, bool):
        return _broken(problems, "wrong_type", path, f"{field.name} must be an integer{_or_null(field)}.", value)
    low, high = field.minimum, field.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    if field.name == "schemaVersion":
        message = f"schemaVersion must be {low}; this program reads no other version."
        return _broken(problems, "unsupported_schema_version", path, message, value)
    return _broken(problems, "out_of_range", path, f"{field.name} must be from {low} to {high}.", value)


def _string(field: Field, value: Any, path: str, problems: Problems, *, harvested: bool = False) -> Any:
    if not isinstance(value, str) or isinstance(value, _Oversized):
        noun = "a string" if field.kind == "string" else "a list of strings"
        return _broken(problems, "wrong_type", path, f"{field.name} must be {noun}{_or_null(field)}.", value)
    text, replaced = clean_text(value)
    if replaced:
        problems.add("replaced_characters", path, value=value)
    if field.filled and not text.strip():
        if harvested and field.blank_in_harvest:
            return text
        return _broken(problems, "empty_text", path, f"{field.name} must not be empty.", value)
    if field.values and text not in field.values:
        if text in field.tolerated:
            note_undocumented(field, text, path, problems)
            return text
        return _broken(problems, "unknown_value", path, f"{field.name} must be one of {_list(field.values)}.", value)
    return _form(field, text, path, problems)


def note_undocumented(field: Field, text: str, path: str, problems: Problems) -> None:
    """Warn of a tolerated value of the field."""
    problems.add("undocumented_value", path, f"{field.name} is not one of {_list(field.values)}.", value=text)


def _form(field: Field, text: str, path: str, problems: Problems) -> Any:
    """The text when length, pattern and check allow it."""
    if field.max_length is not None and len(text) > field.max_length:
        message = f"{field.name} must have at most {field.max_length} characters; this has {len(text)}."
        return _broken(problems, "too_long", path, message, text)
    if field.pattern is not None and not whole(field.pattern).match(text):
        message = f"{field.name} must match {field.pattern}" if field.pattern_code == "malformed_value" else ""
        return _broken(problems, field.pattern_code, path, message, text)
    if field.check is not None and (complaint := field.check(text)) is not None:
        code, message = complaint
        problems.add(code, path, message, value=text)
        return text if code == "foreign_host" else _BAD
    return text


def _strings(field: Field, value: Any, path: str, problems: Problems) -> Any:
    if not isinstance(value, (list, tuple)):
        return _broken(problems, "wrong_type", path, f"{field.name} must be a list of strings.", value)
    items = [_string(field, item, f"{path}[{index}]", problems) for index, item in enumerate(value)]
    return _BAD if _BAD in items else tuple(items)


def _nested(field: Field, value: Any, path: str, problems: Problems) -> Any:
    """The value of a field whose kind is object, objects or map; its parts are made by the field's shape."""
    if field.kind == "objects":
        if not isinstance(value, (list, tuple)):
            return _broken(problems, "wrong_type", path, f"{field.name} must be a list of objects.", value)
        parts = [_made(field, item, f"{path}[{index}]", problems) for index, item in enumerate(value)]
        return _BAD if _BAD in parts else tuple(parts)
    if field.kind == "object" or not isinstance(value, Mapping):
        return _made(field, value, path, problems)
    named = {}
    for name, item in value.items():
        if (key := _key(name, path, problems)) is None:
            return _BAD
        named[key] = _made(field, item, f"{path}{_step(name)}", problems)
    return _BAD if _BAD in named.values() else named


def _made(field: Field, value: Any, path: str, problems: Problems) -> Any:
    """One nested object; bad when anything in it broke a rule."""
    if not isinstance(value, Mapping):
        return _broken(problems, "wrong_type", path, f"{field.name} must be an object{_or_null(field)}.", value)
    if field.shape is None:
        msg = f"{field.name} has no shape"
        raise TypeError(msg)
    inner = Problems()
    checked = check_object(field.shape.fields, value, inner, path=path)
    for problem in inner.found():
        problems.take(problem)
    if inner.rejected:
        return _BAD
    return field.shape.make(**checked.values, absent=checked.absent, extra=checked.extra)


def _clean(value: Any, path: str, problems: Problems, depth: int) -> Any:
    """An unknown field's value with texts made storable, or bad when it is not JSON."""
    if isinstance(value, _Oversized) or (isinstance(value, int) and not -_BIGGEST < value < _BIGGEST):
        return _broken(problems, "number_too_large", path, "", value)
    if isinstance(value, str):
        text, replaced = clean_text(value)
        if replaced:
            problems.add("replaced_characters", path, value=value)
        return text
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _broken(problems, "non_finite", path, "", value)
    if not isinstance(value, (Mapping, list, tuple)):
        return _broken(problems, "wrong_type", path, "The value must be one that JSON knows.", value)
    if depth <= 1:
        return _broken(problems, "too_deep", path, "", value)
    return _clean_container(value, path, problems, depth - 1)


def _clean_container(value: Mapping[Any, Any] | Sequence[Any], path: str, problems: Problems, depth: int) -> Any:
    if not isinstance(value, Mapping):
        items = [_clean(item, f"{path}[{index}]", problems, depth) for index, item in enumerate(value)]
        return _BAD if any(item is _BAD for item in items) else items
    cleaned = {}
    for name, item in value.items():
        if (key := _key(name, path, problems)) is None:
            return _BAD
        cleaned[key] = _clean(item, f"{path}{_step(name)}", problems, depth)
    return _BAD if any(item is _BAD for item in cleaned.values()) else cleaned


def _key(name: Any, path: str, problems: Problems) -> str | None:
    """A field name made storable, or None when it is not a string."""
    if not isinstance(name, str):
        problems.add("wrong_type", path, "Field names must be strings.", value=name)
        return None
    text, replaced = clean_text(name)
    if replaced:
        problems.add("replaced_characters", path, "A field name held NUL or a lone surrogate.", value=name)
    return text


def _step(name: Any) -> str:
    """One step of a JSON path, bounded like a value."""
    if isinstance(name, str) and len(name) <= MAX_DEPTH and _PLAIN_KEY.fullmatch(name):
        return f".{name}"
    return f"[{describe(name)}]"


def _broken(problems: Problems, code: str, path: str, message: str, value: Any) -> Any:
    problems.add(code, path, message, value=value)
    return _BAD


def _or_null(field: Field) -> str:
    return " or null" if field.nullable else ""


def _list(values: Sequence[str]) -> str:
    return ", ".join(values)


@cache
def whole(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled so that ``match`` accepts whole texts only."""
    return re.compile(rf"(?:{pattern})\Z")
