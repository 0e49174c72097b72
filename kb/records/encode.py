"""From a record back to the dataset's own form: the exact inverse of decoding."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from kb.records.record import Record
from kb.records.rules import FIELDS, attribute_of

__all__ = ["Fragments", "encode", "encode_json"]

_ROWS = tuple((field.name, attribute_of(field.name), field.kind == "strings") for field in FIELDS)
_encoder = msgspec.json.Encoder()
_value = _encoder.encode
_STARTS = tuple((name, attribute, f'"{name}":'.encode()) for name, attribute, _ in _ROWS)
_START_OF = {name: start for name, _, start in _STARTS}
_SORTED = tuple(sorted(_START_OF))
_NOTHING: Mapping[str, Any] = {}


def encode(record: Record) -> dict[str, Any]:
    """The record under the dataset's field names, in the order of the contract, unknown fields last.

    Fields that the source did not have are left out. The values of unknown fields are shared with the record: do not
    change them.
    """
    absent = record.absent
    fields: dict[str, Any] = {}
    for name, attribute, is_list in _ROWS:
        if name not in absent:
            value = getattr(record, attribute)
            fields[name] = list(value) if is_list else value
    return fields | record.extra if record.extra else fields


def encode_json(record: Record) -> bytes:
    """The record as compact JSON in UTF-8."""
    return _encoder.encode(encode(record))


class Fragments:
    """A record as JSON, encoded once and put together in several ways.

    Only for records without unknown fields: the order of what those hold is not ours.
    """

    __slots__ = ("_by_name",)

    def __init__(self, record: Record) -> None:
        absent = record.absent
        self._by_name = {
            name: start + _value(getattr(record, attribute)) for name, attribute, start in _STARTS if name not in absent
        }

    def document(self) -> bytes:
        """What :func:`encode_json` gives."""
        return b"{" + b",".join(self._by_name.values()) + b"}"

    def sorted_document(self, *, without: Collection[str] = (), changed: Mapping[str, Any] = _NOTHING) -> bytes:
        """The same with the fields in the order of their names, some left out and some with another value."""
        found = self._by_name
        if changed:
            found = {**found, **{name: _START_OF[name] + _value(value) for name, value in changed.items()}}
        return b"{" + b",".join([found[name] for name in _SORTED if name in found and name not in without]) + b"}"
