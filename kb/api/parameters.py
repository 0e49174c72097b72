"""Query parameters as a table: one row says what is valid, what a client is told, and what the OpenAPI document says.

Parsing is strict. What is unknown, repeated, empty or of another type is an error that names what is valid; nothing is
silently ignored.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote_to_bytes

from kb.api.answers import ParameterProblem
from kb.api.problems import Problem

__all__ = ["FULL_NAME", "MAX_QUERY_BYTES", "MAX_TEXT_BYTES", "Parameter", "check_address", "nearest", "parse"]

MAX_TEXT_BYTES = 2_000  # of q as encoded
MAX_QUERY_BYTES = 6_000  # of the whole query string
MOST_REPEATED = 20
FULL_NAME = r"[^\x00-\x20/]+/[^\x00-\x20/]+"
"""What the name of a repository looks like, owner/name."""
_MAX_FIELDS = 200
_UNDECODED = re.compile(r"%[89A-F][0-9A-F]")
_NO_NUL = r"[^\x00]*"
_INTEGER = re.compile(r"0|[1-9][0-9]{0,8}")

Kind = Literal["text", "choice", "choices", "integer"]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One query parameter.

    ``kind`` choice is one of ``choices``, choices are several of them separated by commas, integer lies between
    ``least`` and ``most``, text has at most ``longest`` characters and fits all of ``pattern``, in words ``shape``.
    ``several`` allows to repeat the parameter and makes its value a tuple. ``may_be_empty`` is for words to search.
    ``required`` says that there is no answer without it.
    """

    name: str
    description: str
    kind: Kind = "text"
    choices: tuple[str, ...] = ()
    pattern: str = ""
    longest: int = 200
    least: int = 0
    most: int = 0
    default: Any = None
    several: bool = False
    may_be_empty: bool = False
    required: bool = False
    example: str = ""
    shape: str = ""

    def read(self, text: str) -> Any:
        """The value of ``text``. Raises ``ValueError`` with an explanation, and ``_NotAChoice`` for a wrong choice."""
        match self.kind:
            case "choice":
                return self._choice(text)
            case "choices":
                values = tuple(self._choice(part) for part in text.split(","))
                if len(set(values)) < len(values):
                    raise ValueError("names a value twice")
                return values
            case "integer":
                if not _INTEGER.fullmatch(text) or not self.least <= int(text) <= self.most:
                    raise ValueError(f"must be a whole number from {self.least} to {self.most}")
                return int(text)
            case "text":
                return self._text(text)

    def _choice(self, text: str) -> str:
        if text not in self.choices:
            raise _NotAChoice(text)
        return text

    def _text(self, text: str) -> str:
        if len(text) > self.longest:
            raise ValueError(f"is longer than {self.longest} characters")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise ValueError(f"must be {self.shape}")
        return text

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its value."""
        one: dict[str, Any]
        if self.kind == "integer":
            one = {"type": "integer", "minimum": self.least, "maximum": self.most}
        elif self.kind == "text":
            one = {"type": "string", "maxLength": self.longest, "minLength": 0 if self.may_be_empty else 1}
            one["pattern"] = f"^{self.pattern or _NO_NUL}$"
        else:
            one = {"type": "string", "enum": list(self.choices)}
        if self.several or self.kind == "choices":
            most = {"maxItems": MOST_REPEATED} if self.several else {"uniqueItems": True}
            one = {"type": "array", "items": one, "minItems": 1, **most}
        if self.default is not None:
            one["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return one

    def openapi(self) -> dict[str, Any]:
        """The Parameter Object of the OpenAPI document."""
        found: dict[str, Any] = {
            "name": self.name,
            "in": "query",
            "description": self.description,
            "schema": self.schema(),
        }
        if self.required:
            found["required"] = True
        if found["schema"]["type"] == "array":
            found |= {"style": "form", "explode": self.several}
        if self.example:
            as_list = found["schema"]["type"] == "array"
            found["example"] = self.example.split(",") if as_list else self.read(self.example)
        return found


class _NotAChoice(ValueError):
    """A value outside of a choice; its text is the value."""


def parse(query_string: str, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The values of ``query_string``, as WSGI gives it, under the names of ``parameters``, with defaults filled in.

    It has passed :func:`check_address`. Raises :class:`Problem` ``invalid_parameter`` with every fault found.
    """
    table = {row.name: row for row in parameters}
    sent: dict[str, list[str]] = {}
    for name, value in _pairs(query_string):
        sent.setdefault(name, []).append(value)
    values: dict[str, Any] = {row.name: row.default for row in parameters}
    faults: list[ParameterProblem] = []
    for name, texts in sent.items():
        if name in table:
            _read_into(values, table[name], texts, faults)
        else:
            faults.append(_unknown(name, table))
    faults += [_missing(row) for row in parameters if row.required and row.name not in sent]
    if faults:
        raise Problem("invalid_parameter", " ".join(fault.detail for fault in faults[:5]), errors=faults)
    return values


def check_address(path: str, query_string: str) -> None:
    """Refuse what no address of ours holds: a NUL, or bytes that are no UTF-8.

    ``path`` is as Django gives it, decoded, with bytes that are no UTF-8 as escapes; ``query_string`` is WSGI's.
    Raises :class:`Problem`: ``query_too_long`` or ``invalid_character``. Lone surrogates are no UTF-8 either.
    """
    if len(query_string) > MAX_QUERY_BYTES:
        raise Problem(
            "query_too_long", f"The query string is over the limit of {MAX_QUERY_BYTES:,} bytes.{_way_out(path)}"
        )
    for part in query_string.split("&"):
        if part.startswith("q=") and len(part) - 2 > MAX_TEXT_BYTES:
            raise Problem(
                "query_too_long", f"q is over the limit of {MAX_TEXT_BYTES:,} bytes as encoded.{_way_out(path)}"
            )
    if "\0" in path or _UNDECODED.search(path):
        raise Problem("invalid_character", "The path holds a NUL character or bytes that are no UTF-8.")
    try:
        readable = "\0" not in unquote_to_bytes(query_string.encode("latin-1", "replace")).decode("utf-8")
    except UnicodeDecodeError:
        readable = False
    if not readable:
        raise Problem("invalid_character", "The query string holds a NUL character or bytes that are no UTF-8.")


def _way_out(path: str) -> str:
    """What to do about a text that is too long for an address, where that can be done."""
    return " Send longer texts with POST, up to 256 KiB each." if path.removesuffix("/").endswith("/match") else ""


def _pairs(query_string: str) -> list[tuple[str, str]]:
    if not query_string:
        return []
    text = query_string.encode("latin-1").decode("utf-8")
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError as error:
        raise Problem("bad_request", f"The query string has more than {_MAX_FIELDS} parameters.") from error


def _read_into(values: dict[str, Any], row: Parameter, texts: list[str], faults: list[ParameterProblem]) -> None:
    if len(texts) > 1 and not row.several:
        faults.append(ParameterProblem(parameter=row.name, code="repeated", detail=f"{row.name} may be given once."))
        return
    if len(texts) > MOST_REPEATED:
        detail = f"{row.name} may be given {MOST_REPEATED} times at most."
        faults.append(ParameterProblem(parameter=row.name, code="repeated", detail=detail))
        return
    found = []
    for text in texts:
        if not text and not row.may_be_empty:
            detail = f"{row.name} is empty; leave it out, or give it a value."
            faults.append(ParameterProblem(parameter=row.name, code="empty", detail=detail, **_choices(row)))
            return
        try:
            found.append(row.read(text))
        except _NotAChoice as wrong:
            faults.append(_not_a_choice(row, str(wrong)))
            return
        except ValueError as wrong:
            faults.append(ParameterProblem(parameter=row.name, code="invalid", detail=f"{row.name} {wrong}."))
            return
    values[row.name] = tuple(found) if row.several else found[0]


def _choices(row: Parameter) -> dict[str, Any]:
    return {"valid": list(row.choices)} if row.choices else {}


def _not_a_choice(row: Parameter, value: str) -> ParameterProblem:
    near = nearest(value, row.choices)
    hint = f" Did you mean {near['nearest']}?" if near else ""
    detail = f"{row.name} has a value that is none of {', '.join(row.choices)}.{hint}"
    return ParameterProblem(parameter=row.name, code="invalid", detail=detail, **_choices(row), **near)


def _missing(row: Parameter) -> ParameterProblem:
    return ParameterProblem(parameter=row.name, code="missing", detail=f"{row.name} is missing.")


def _unknown(name: str, table: Mapping[str, Parameter]) -> ParameterProblem:
    near = nearest(name, tuple(table))
    shown = name if len(name) <= 40 else f"{name[:40]}…"  # noqa: PLR2004  # enough to recognize it
    if not table:
        detail = f"{shown} is no parameter; this endpoint takes none."
    else:
        hint = f" Did you mean {near['nearest']}?" if near else ""
        detail = f"{shown} is no parameter of this endpoint.{hint}"
    return ParameterProblem(parameter=shown, code="unknown", detail=detail, valid=sorted(table), **near)


def nearest(value: str, valid: Sequence[str]) -> dict[str, Any]:
    """The valid name or value that looks most like ``value``, as the member of a problem; empty when none does."""
    found = difflib.get_close_matches(value[:60].lower(), valid, n=1, cutoff=0.5)
    return {"nearest": found[0]} if found else {}
