"""The contract of a record as JSON Schema 2020-12, made from the tables of :mod:`kb.records.rules`.

``python -m kb.records.schema`` prints it; ``--check FILE`` says by its exit code whether the file is current. Two kinds
of rules cannot be said in JSON Schema and stand in descriptions: relations between line numbers, and days that do not
exist. JSON Schema calls ``5.0`` an integer; the catalog does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from kb.records.rules import FIELDS, HARVEST_ORIGIN, Field

__all__ = ["json_schema", "schema_text"]

_NOT_BLANK: Final = r"\S"


def json_schema() -> dict[str, Any]:
    """The schema of one bare record. A new object each time."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Error record",
        "description": (
            "One documented error, schema version 2. Fields that are not named here are kept and given back. "
            "lineNumber and sourceCodeEnd must not lie before sourceCodeStart."
        ),
        "type": "object",
        "required": [field.name for field in FIELDS if field.required],
        "properties": {field.name: _property(field) for field in FIELDS},
        "additionalProperties": True,
        "if": {"properties": {"origin": {"const": HARVEST_ORIGIN}}, "required": ["origin"]},
        "else": {
            "properties": {field.name: {"pattern": _NOT_BLANK} for field in FIELDS if field.blank_in_harvest},
        },
    }


def schema_text() -> str:
    """The schema as it stands in ``docs/schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _property(field: Field) -> dict[str, Any]:
    described = {"description": _description(field)}
    if field.kind == "integer":
        return described | _typed("integer", field) | _range(field)
    if field.kind == "strings":
        return described | {"type": "array", "items": {"type": "string"} | _form(field)}
    if field.values:
        legal: list[str | None] = [*field.values, *field.tolerated]
        return described | {"enum": [*legal, None] if field.nullable else legal}
    return described | _typed("string", field) | _form(field)


def _description(field: Field) -> str:
    if not field.tolerated:
        return field.about
    return f"{field.about} In use but not documented: {', '.join(field.tolerated)}."


def _typed(kind: str, field: Field) -> dict[str, Any]:
    return {"type": [kind, "null"] if field.nullable else kind}


def _range(field: Field) -> dict[str, Any]:
    if field.minimum == field.maximum:
        return {"const": field.minimum}
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _form(field: Field) -> dict[str, Any]:
    """Length and pattern of a text."""
    rules: dict[str, Any] = {}
    if field.max_length is not None:
        rules["maxLength"] = field.max_length
    pattern = field.schema_pattern or field.pattern
    if pattern is not None:
        rules["pattern"] = rf"^(?:{pattern}|\s*)$" if field.blank_in_harvest else f"^(?:{pattern})$"
    if field.filled and not field.blank_in_harvest:
        if pattern is None:
            rules["pattern"] = _NOT_BLANK
        else:
            rules["allOf"] = [{"pattern": _NOT_BLANK}]
    return rules


def _main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m kb.records.schema", description="Print the schema of a record.")
    parser.add_argument("--check", metavar="FILE", type=Path, help="compare with a file instead of printing")
    file = parser.parse_args(arguments).check
    if file is None:
        sys.stdout.write(schema_text())
        return 0
    if file.is_file() and file.read_text(encoding="utf-8") == schema_text():
        return 0
    sys.stderr.write(f"{file} is not current: write it again with python -m kb.records.schema > {file}\n")
    return 1


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
