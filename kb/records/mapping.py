"""The careful way to read a JSON object: it survives anything and names every broken rule with its place and value.

Used for records that the fast path refuses and for all other documents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from kb.records.jsonvalues import BAD, Oversized, clean_key, clean_value, path_step, refuse
from kb.records.problems import Problems
from kb.records.rules import HARVEST_ORIGIN, MAX_DEPTH, Field, attribute_of
from kb.records.text import clean_text

__all__ = ["Checked", "check_object", "note_undocumented"]


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What an object holds: checked values by attribute, dataset names of absent optional fields, unknown fields.

    Values that broke a rule are missing from ``values``.
    """

    values: dict[str, Any]
    absent: frozenset[str]
    extra: dict[str, Any]


def check_object(
    fields: Sequence[Field], mapping: Mapping[Any, Any], problems: Problems, *, path: str = "$"
) -> Checked:
    """Check a mapping against a table of fields; every broken rule becomes a problem below ``path``."""
    harvested = mapping.get("origin") == HARVEST_ORIGIN
    values: dict[str, Any] = {}
    absent: list[str] = []
    for field in _version_first(tuple(fields)):
        if field.name in mapping:
            value = _value(field, mapping[field.name], f"{path}.{field.name}", problems, harvested=harvested)
            if value is not BAD:
                values[attribute_of(field.name)] = value
        elif field.required:
            problems.add("missing_field", f"{path}.{field.name}", f"{field.name} is required.")
        else:
            absent.append(field.name)
    extra = _unknown_fields(_names(tuple(fields)), mapping, problems, path)
    return Checked(values=values, absent=frozenset(absent), extra=extra)


def _unknown_fields(known: frozenset[str], mapping: Mapping[Any, Any], problems: Problems, path: str) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    for name, raw in mapping.items():
        if name in known or (key := clean_key(name, path, problems, taken=extra)) is None:
            continue
        extra[key] = clean_value(raw, path + path_step(name), problems, MAX_DEPTH)
    return {key: value for key, value in extra.items() if value is not BAD}


@cache
def _names(fields: tuple[Field, ...]) -> frozenset[str]:
    return frozenset(field.name for field in fields)


@cache
def _version_first(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """A foreign version explains all other problems, so it is told before them."""
    return tuple(sorted(fields, key=lambda field: field.name != "schemaVersion"))


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
        return refuse(problems, "non_finite", path, "", value)
    if isinstance(value, Oversized):
        return refuse(problems, "number_too_large", path, "", value)
    if not isinstance(value, int) or isinstance(value, bool):
        return refuse(problems, "wrong_type", path, f"{field.name} must be an integer{_or_null(field)}.", value)
    low, high = field.minimum, field.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    if field.name == "schemaVersion":
        message = f"schemaVersion must be {low}; this program reads no other version."
        return refuse(problems, "unsupported_schema_version", path, message, value)
    return refuse(problems, "out_of_range", path, f"{field.name} must be from {low} to {high}.", value)


def _string(field: Field, value: Any, path: str, problems: Problems, *, harvested: bool = False) -> Any:
    if not isinstance(value, str) or isinstance(value, Oversized):
        noun = "a string" if field.kind == "string" else "a list of strings"
        return refuse(problems, "wrong_type", path, f"{field.name} must be {noun}{_or_null(field)}.", value)
    text, replaced = clean_text(value)
    if replaced:
        problems.add("replaced_characters", path, value=value)
    if field.filled and not text.strip():
        if harvested and field.blank_in_harvest:
            return text
        return refuse(problems, "empty_text", path, f"{field.name} must not be empty.", value)
    if field.values and text not in field.values:
        if text in field.tolerated:
            note_undocumented(field, text, path, problems)
            return text
        return refuse(problems, "unknown_value", path, f"{field.name} must be one of {_list(field.values)}.", value)
    return _form(field, text, path, problems)


def note_undocumented(field: Field, text: str, path: str, problems: Problems) -> None:
    """Warn of a tolerated value of the field."""
    message = f"{field.name} is in use but not documented; it is kept. Documented are {_list(field.values)}."
    problems.add("undocumented_value", path, message, value=text)


def _form(field: Field, text: str, path: str, problems: Problems) -> Any:
    """The text when length, pattern and check allow it."""
    if field.max_length is not None and len(text) > field.max_length:
        message = f"{field.name} must have at most {field.max_length} characters; this has {len(text)}."
        return refuse(problems, "too_long", path, message, text)
    if field.pattern is not None and not whole(field.pattern).match(text):
        message = field.pattern_message
        if field.pattern_code == "malformed_value":
            message = message or f"{field.name} must match ^{field.pattern}$."
        return refuse(problems, field.pattern_code, path, message, text)
    if field.check is not None and (complaint := field.check(text)) is not None:
        code, message = complaint
        problems.add(code, path, message, value=text)
        return text if code == "foreign_host" else BAD
    return text


def _strings(field: Field, value: Any, path: str, problems: Problems) -> Any:
    if not isinstance(value, (list, tuple)):
        return refuse(problems, "wrong_type", path, f"{field.name} must be a list of strings.", value)
    items = [_string(field, item, f"{path}[{index}]", problems) for index, item in enumerate(value)]
    return BAD if BAD in items else tuple(items)


def _nested(field: Field, value: Any, path: str, problems: Problems) -> Any:
    """The value of a field whose kind is object, objects or map; its parts are made by the field's shape."""
    if field.kind == "objects":
        if not isinstance(value, (list, tuple)):
            return refuse(problems, "wrong_type", path, f"{field.name} must be a list of objects.", value)
        parts = [_made(field, item, f"{path}[{index}]", problems) for index, item in enumerate(value)]
        return BAD if BAD in parts else tuple(parts)
    if field.kind == "object" or not isinstance(value, Mapping):
        return _made(field, value, path, problems)
    named: dict[str, Any] = {}
    for name, item in value.items():
        if (key := clean_key(name, path, problems, taken=named)) is None:
            return BAD
        named[key] = _made(field, item, f"{path}{path_step(name)}", problems)
    return BAD if BAD in named.values() else named


def _made(field: Field, value: Any, path: str, problems: Problems) -> Any:
    """One nested object; bad when anything in it broke a rule."""
    if not isinstance(value, Mapping):
        return refuse(problems, "wrong_type", path, f"{field.name} must be an object{_or_null(field)}.", value)
    if field.shape is None:
        msg = f"{field.name} has no shape"
        raise TypeError(msg)
    inner = Problems()
    checked = check_object(field.shape.fields, value, inner, path=path)
    for problem in inner.found():
        problems.take(problem)
    if inner.rejected:
        return BAD
    return field.shape.make(**checked.values, absent=checked.absent, extra=checked.extra)


def _or_null(field: Field) -> str:
    return " or null" if field.nullable else ""


def _list(values: Sequence[str]) -> str:
    return ", ".join(values)


@cache
def whole(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled so that ``match`` accepts whole texts only."""
    return re.compile(rf"(?:{pattern})\Z")
