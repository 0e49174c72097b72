"""The fast way to read a record: one typed decode by msgspec, for records that break no rule and hold nothing unusual.

It answers None as soon as anything is in doubt; the careful path in :mod:`kb.records.mapping` then decides. Whatever it
accepts, the careful path would accept with the same result; the only warnings are those for tolerated values.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from kb.records.record import Record
from kb.records.rules import CROSS_RULES, FIELDS, Field, attribute_of

__all__ = ["decode_fast"]

_ESCAPED_NUL = b"\\u0000"


def _type_of(field: Field) -> Any:
    """The msgspec type that holds exactly the rules of the field which msgspec can check."""
    if field.kind == "integer":
        plain: Any = Annotated[int, Meta(ge=field.minimum, le=field.maximum)]
    elif field.values:
        plain = Literal[field.values + field.tolerated]
    else:
        pattern = rf"\A(?:{field.pattern})\Z" if field.pattern is not None else None
        plain = Annotated[str, Meta(pattern=pattern, max_length=field.max_length)]
        if field.kind == "strings":
            plain = tuple[plain, ...]
    return plain | None if field.nullable else plain


def _row(field: Field) -> Any:
    """The definition of the field for :func:`msgspec.defstruct`."""
    attribute = attribute_of(field.name)
    if field.required:
        return (attribute, _type_of(field))
    return (attribute, _type_of(field) | UnsetType, msgspec.field(default=UNSET))


_ATTRIBUTES = tuple(attribute_of(field.name) for field in FIELDS)
_Wire = msgspec.defstruct(
    "_Wire",
    [_row(field) for field in FIELDS],
    kw_only=True,
    forbid_unknown_fields=True,
    rename="camel",
    gc=False,
)
_decoder = msgspec.json.Decoder(_Wire)

_OPTIONAL = tuple(
    (attribute_of(field.name), field.name, () if field.kind == "strings" else None)
    for field in FIELDS
    if not field.required
)
_FILLED = tuple(attribute_of(field.name) for field in FIELDS if field.filled)
_CHECKED = tuple((attribute_of(field.name), field.check) for field in FIELDS if field.check is not None)
_TOLERANT = tuple((attribute_of(field.name), field) for field in FIELDS if field.tolerated)
_RELATED = tuple((attribute_of(rule.fields[0]), attribute_of(rule.fields[1]), rule.holds) for rule in CROSS_RULES)


def decode_fast(raw: bytes) -> tuple[Record, tuple[Field, ...]] | None:
    """The record in the bytes with the fields that hold a tolerated value, or None when it must be read carefully."""
    if _ESCAPED_NUL in raw:
        return None
    try:
        wire = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    values = dict(zip(_ATTRIBUTES, msgspec.structs.astuple(wire), strict=True))
    absent = []
    for attribute, name, default in _OPTIONAL:
        if values[attribute] is UNSET:
            values[attribute] = default
            absent.append(name)
    if not _is_sound(values):
        return None
    record = Record(**values, absent=frozenset(absent))
    return record, tuple(field for attribute, field in _TOLERANT if values[attribute] in field.tolerated)


def _is_sound(values: dict[str, Any]) -> bool:
    """Whether the rules hold that msgspec cannot check."""
    for attribute in _FILLED:
        text = values[attribute]
        if not text or text.isspace():
            return False
    for attribute, check in _CHECKED:
        text = values[attribute]
        if text is not None and check(text) is not None:
            return False
    for first, second, holds in _RELATED:
        left, right = values[first], values[second]
        if left is not None and right is not None and not holds(left, right):
            return False
    return True
