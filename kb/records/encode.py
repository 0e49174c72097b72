"""From a record back to the dataset's own form: the exact inverse of decoding."""

from __future__ import annotations

from typing import Any

import msgspec

from kb.records.record import Record
from kb.records.rules import FIELDS, attribute_of

__all__ = ["encode", "encode_json"]

_ROWS = tuple((field.name, attribute_of(field.name), field.kind == "strings") for field in FIELDS)
_encoder = msgspec.json.Encoder()


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
