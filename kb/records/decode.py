"""From foreign data to a record: the only place where one is made.

``decode_record`` never raises for bad data. It answers the record or the problems, and what could be read of the
identity either way, because a rejected record still counts as present.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from kb.records.encode import encode_json
from kb.records.fastpath import decode_fast
from kb.records.jsonvalues import parse_object
from kb.records.mapping import Checked, check_object, note_undocumented
from kb.records.problems import Problem, Problems
from kb.records.record import Record
from kb.records.rules import CROSS_RULES, FIELDS, MAX_RECORD_BYTES, Field, attribute_of

__all__ = ["Decoded", "decode_record"]

_TOO_LARGE: Final = "A record must not be larger than 8 MiB; this one has {size:,} bytes."


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one piece of data.

    ``record`` is None when it was rejected; ``id`` and ``repo`` are given whenever they could be read and are valid.
    ``unknown`` holds the names of the fields that the contract does not name.
    """

    record: Record | None
    id: str | None
    repo: str | None
    problems: tuple[Problem, ...] = ()
    unknown: frozenset[str] = frozenset()


def decode_record(raw: bytes | Mapping[str, Any], *, origin: str = "", position: int = 0) -> Decoded:
    """Read one bare record (no envelope) from JSON bytes or from decoded JSON.

    ``origin`` and ``position`` say where it stood and go into the problems.
    """
    if isinstance(raw, Mapping):
        return _decode_mapping(raw, Problems(origin=origin, position=position))
    if len(raw) <= MAX_RECORD_BYTES:
        fast = decode_fast(raw)
        if fast is not None:
            return _decoded_fast(*fast, origin=origin, position=position)
    return _decode_bytes(raw, Problems(origin=origin, position=position))


def _decoded_fast(record: Record, tolerant: tuple[Field, ...], *, origin: str, position: int) -> Decoded:
    if not tolerant:
        return Decoded(record=record, id=record.id, repo=record.repo)
    problems = Problems(origin=origin, position=position)
    for field in tolerant:
        note_undocumented(field, getattr(record, attribute_of(field.name)), f"$.{field.name}", problems)
    return Decoded(record=record, id=record.id, repo=record.repo, problems=problems.found())


def _decode_bytes(raw: bytes, problems: Problems) -> Decoded:
    if len(raw) > MAX_RECORD_BYTES:
        problems.add("too_large", "$", _TOO_LARGE.format(size=len(raw)))
        return Decoded(record=None, id=None, repo=None, problems=problems.found())
    mapping = parse_object(raw, problems)
    if mapping is None:
        return Decoded(record=None, id=None, repo=None, problems=problems.found())
    return _decode_checked(check_object(FIELDS, mapping, problems), problems)


def _decode_mapping(mapping: Mapping[str, Any], problems: Problems) -> Decoded:
    decoded = _decode_checked(check_object(FIELDS, mapping, problems), problems)
    if decoded.record is not None and (size := len(encode_json(decoded.record))) > MAX_RECORD_BYTES:
        problems.add("too_large", "$", _TOO_LARGE.format(size=size))
        return msgspec.structs.replace(decoded, record=None, problems=problems.found())
    return decoded


def _decode_checked(checked: Checked, problems: Problems) -> Decoded:
    values = checked.values
    for rule in CROSS_RULES:
        left, right = (values.get(attribute_of(name)) for name in rule.fields)
        if left is not None and right is not None and not rule.holds(left, right):
            problems.add(rule.code, f"$.{rule.fields[0]}", value=left)
    record = None if problems.rejected else Record(**values, absent=checked.absent, extra=checked.extra)
    return Decoded(
        record=record,
        id=values.get("id"),
        repo=values.get("repo"),
        problems=problems.found(),
        unknown=frozenset(checked.extra),
    )
