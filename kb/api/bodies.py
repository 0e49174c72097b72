"""JSON bodies as tables of members: one row says what is valid, what a client is told, what the OpenAPI document says.

Reading is as strict as that of parameters: a member that is unknown, missing, repeated or of another type is an error
that names what is valid. No fault repeats a value: texts are not ours to show or to keep.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from django.http import HttpRequest

from kb.api.answers import ParameterProblem
from kb.api.json_body import Repeated, json_object
from kb.api.parameters import nearest
from kb.api.problems import Problem
from kb.records.text import clean_text

__all__ = ["Body", "Member", "read"]

_MOST_FAULTS = 100  # of a body that are told
_SHOWN = 40  # characters of a foreign name: enough to recognize it


@dataclass(frozen=True, kw_only=True)
class Member:
    """One member of a body.

    ``kind`` text is any string, in which NUL and lone surrogates become U+FFFD; texts are ``least`` to ``most`` of
    them; names are at most ``most`` short strings that fit ``pattern``, in words ``shape``; integer lies between
    ``least`` and ``most``; choice is one of ``choices``; flag is true or false; object has ``members``.
    """

    name: str
    description: str
    kind: Literal["text", "texts", "names", "integer", "choice", "flag", "object"]
    choices: tuple[str, ...] = ()
    pattern: str = r"[^\x00]+"
    shape: str = "a name"
    longest: int = 0
    least: int = 0
    most: int = 0
    default: Any = None
    members: tuple[Member, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value."""
        text = {"type": "string"}  # its limit is one of bytes, which a schema cannot say
        name = {"type": "string", "minLength": 1, "maxLength": self.longest, "pattern": f"^{self.pattern}$"}
        found: dict[str, Any]
        match self.kind:
            case "text":
                found = text
            case "texts":
                found = {"type": "array", "items": text, "minItems": self.least, "maxItems": self.most}
            case "names":
                found = {"type": "array", "items": name, "maxItems": self.most}
            case "integer":
                found = {"type": "integer", "minimum": self.least, "maximum": self.most}
            case "choice":
                found = {"type": "string", "enum": list(self.choices)}
            case "flag":
                found = {"type": "boolean"}
            case "object":
                found = _object_schema(self.members)
        return (
            {"description": self.description} | found | ({"default": self.default} if self.default is not None else {})
        )


@dataclass(frozen=True, kw_only=True)
class Body:
    """What an operation takes: ``name`` of its component, its members, and those of which it takes exactly one."""

    name: str
    description: str
    members: tuple[Member, ...]
    one_of: tuple[str, ...] = field(default=())

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the body."""
        either = {"oneOf": [{"required": [name]} for name in self.one_of]} if self.one_of else {}
        return {"description": self.description} | _object_schema(self.members) | either


def _object_schema(members: Sequence[Member]) -> dict[str, Any]:
    properties = {row.name: row.schema() for row in members}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def read(request: HttpRequest, body: Body) -> dict[str, Any]:
    """The values of a request's body under the names of its members, with defaults filled in.

    Raises :class:`Problem`: ``unsupported_media_type``, ``body_too_large``, ``invalid_json``, or ``invalid_parameter``
    with every fault found.
    """
    sent = json_object(request)
    faults: list[ParameterProblem] = []
    values = _members(sent, body.members, "", faults)
    given = [name for name in body.one_of if name in sent]
    if body.one_of and len(given) != 1:
        names = " and ".join(given) if given else " or ".join(body.one_of)
        detail = f"Give {'only one of' if given else 'either'} {names}."
        code: Literal["invalid", "missing"] = "invalid" if given else "missing"
        faults.append(ParameterProblem(parameter=given[-1] if given else body.one_of[0], code=code, detail=detail))
    if faults:
        raise Problem("invalid_parameter", " ".join(fault.detail for fault in faults[:5]), errors=faults[:_MOST_FAULTS])
    return values


# --- an object to values ---------------------------------------------------------------------------------------------


def _members(
    sent: Mapping[str, Any], members: Sequence[Member], path: str, faults: list[ParameterProblem]
) -> dict[str, Any]:
    table = {row.name: row for row in members}
    values: dict[str, Any] = {row.name: row.default for row in members}
    if isinstance(sent, Repeated):
        name = path + _shown(sent.name)
        faults.append(ParameterProblem(parameter=name, code="repeated", detail=f"{name} may be given once."))
    for name, value in sent.items():
        if len(faults) >= _MOST_FAULTS:
            break
        if name in table:
            values[name] = _value(value, table[name], path + name, faults)
        else:
            faults.append(_unknown(name, path, tuple(table)))
    return values


def _value(value: Any, row: Member, path: str, faults: list[ParameterProblem]) -> Any:
    """The value as a view gets it; ``None`` with the fault noted."""
    try:
        if row.kind != "object":
            return _READERS[row.kind](value, row)
        if not isinstance(value, dict):
            raise _Fault("must be an object")
        return _members(value, row.members, f"{path}.", faults)
    except _Fault as wrong:
        name = path + wrong.step
        faults.append(ParameterProblem(parameter=name, code=wrong.code, detail=f"{name} {wrong}.", **wrong.more))
    return None


class _Fault(ValueError):
    """What is wrong with a value; ``step`` leads to the item that has it."""

    def __init__(
        self, text: str, *, step: str = "", code: Literal["invalid", "empty"] = "invalid", **more: Any
    ) -> None:
        super().__init__(text)
        self.step, self.code, self.more = step, code, more


def _text(value: Any, step: str = "") -> str:
    if not isinstance(value, str):
        raise _Fault("must be a string", step=step)
    return clean_text(value)[0]


def _texts(value: Any, row: Member) -> tuple[str, ...]:
    return tuple(_text(item, f"[{place}]") for place, item in enumerate(_array(value, row)))


def _names(value: Any, row: Member) -> tuple[str, ...]:
    return tuple(_name(item, row, place) for place, item in enumerate(_array(value, row)))


def _whole(value: Any, row: Member) -> int:
    if type(value) is float and value.is_integer():  # JSON knows one kind of number: 5.0 is 5
        value = int(value)
    if type(value) is not int or not row.least <= value <= row.most:
        raise _Fault(f"must be a whole number from {row.least} to {row.most}")
    return value


def _array(value: Any, row: Member) -> list[Any]:
    if not isinstance(value, list):
        raise _Fault("must be an array of strings")
    if not row.least <= len(value) <= row.most:
        bounds = f"{row.least} to {row.most}" if row.least else f"at most {row.most}"
        raise _Fault(f"must have {bounds} items", code="invalid" if value else "empty")
    return value


def _name(value: Any, row: Member, place: int) -> str:
    step = f"[{place}]"
    if not isinstance(value, str):
        raise _Fault("must be a string", step=step)
    if not value:
        raise _Fault("is empty; leave it out", step=step, code="empty")
    if len(value) > row.longest:
        raise _Fault(f"is longer than {row.longest} characters", step=step)
    if clean_text(value)[1]:
        raise _Fault("holds a NUL character or a lone surrogate", step=step)
    if not re.fullmatch(row.pattern, value):
        raise _Fault(f"must be {row.shape}", step=step)
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Fault("must be true or false")
    return value


def _choice(value: Any, row: Member) -> str:
    if not isinstance(value, str) or value not in row.choices:
        near = nearest(value, row.choices) if isinstance(value, str) else {}
        hint = f" (did you mean {near['nearest']}?)" if near else ""
        raise _Fault(f"must be one of {', '.join(row.choices)}{hint}", valid=list(row.choices), **near)
    return value


_READERS: Mapping[str, Callable[[Any, Member], Any]] = {
    "text": lambda value, _: _text(value),
    "texts": _texts,
    "names": _names,
    "integer": _whole,
    "choice": _choice,
    "flag": lambda value, _: _flag(value),
}


def _unknown(name: str, path: str, valid: tuple[str, ...]) -> ParameterProblem:
    near = nearest(name, valid)
    hint = f" Did you mean {near['nearest']}?" if near else ""
    where = f"of {path.removesuffix('.')}" if path else "of the body"
    shown = path + _shown(name)
    detail = f"{shown} is no member {where}.{hint}"
    return ParameterProblem(parameter=shown, code="unknown", detail=detail, valid=sorted(valid), **near)


def _shown(name: str) -> str:
    """A name as a client can be told it."""
    text = clean_text(name)[0]
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
