"""The published JSON Schema says what decoding does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kb.records.decode import decode_record
from kb.records.rules import FIELDS
from kb.records.schema import json_schema, schema_text

ROOT = Path(__file__).resolve().parents[2]
SHA = "0132848349585cfe6aae51c4941cbae872505f8a"

# What JSON Schema cannot say: relations between fields, days that do not exist, sizes and depths.
NOT_IN_SCHEMA = {
    "line_before_snippet", "snippet_reversed", "bad_timestamp", "too_deep", "number_too_large", "non_finite",
    "too_large",
}  # fmt: skip

VALUES: list[Any] = [
    None, True, -1, 0, 1, 2, 3, 99, 100, 599, 600, 1261, 1262, 1298, 2**31 - 1, 2**31, 2.5, "", " \n", "a", "A",
    "a-b", "a_b", "-a", "1a", "é", "a b", "a/b", "a/b/c", "./a", "../a", "a/..", "a/../b", "/a", "C:\\a",
    "a\\..", "a\x1b", "x" * 255, "x" * 256, "x" * 500, "x" * 501, "x" * 4096, "x" * 4097,
    "12c38bb1afed0ec1", "12C38BB1AFED0EC1", SHA, SHA.upper(),
    "exception", "io", "fatal", "critical", "try-catch", "fail-fast", "x\n" * 40, "x\n" * 41, "2026-08-28T05:10:05Z",
    "2026-08-28T05:10:05.995123+00:00", "2026-08-28", "http://github.com/o/r", "https://github.com/o/r/blob/main/a",
    f"https://github.com/o/r/blob/{SHA}/a b#L1", "https://gitlab.com/o/r", "https://a@b/", "javascript:alert(1)",
    "名前/проект", "a<b>/c", [], ["a"], ["A"], [""], ["x" * 256], [1], [None], [["a"]], {}, {"a": 1},
]  # fmt: skip


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(json_schema())


def agrees(validator: Draft202012Validator, mapping: dict[str, Any]) -> bool:
    decoded = decode_record(mapping)
    codes = {problem.code for problem in decoded.problems if problem.severity == "error"}
    if codes and codes <= NOT_IN_SCHEMA:
        return True
    return validator.is_valid(mapping) == (decoded.record is not None)


def test_the_schema_is_valid_json_schema():
    Draft202012Validator.check_schema(json_schema())


def test_the_published_file_is_current():
    assert (ROOT / "docs" / "schema.json").read_text(encoding="utf-8") == schema_text()


def test_the_seed_record_fits(validator, seed):
    assert validator.is_valid(seed)
    assert validator.is_valid(seed | {"anything": [1]})


@pytest.mark.parametrize("field", [field.name for field in FIELDS])
def test_schema_and_decoding_agree_on_a_field(validator, seed, field):
    verdicts = set()
    for value in VALUES:
        for origin in ({}, {"origin": "harvest"}):
            mapping = seed | {field: value} | origin
            assert agrees(validator, mapping), (field, value, origin)
            verdicts.add(validator.is_valid(mapping))
    assert verdicts == {True, False}


@pytest.mark.parametrize("field", [field.name for field in FIELDS])
def test_schema_and_decoding_agree_on_what_must_be_there(validator, seed, field):
    seed.pop(field, None)
    assert agrees(validator, seed)


def test_schema_and_decoding_agree_on_the_broken_records(validator, datasets):
    not_in_schema = set()
    for path in sorted((datasets / "broken").glob("*.json")):
        if path.stem in ("not_json", "not_an_object", "unknown_shape"):
            continue
        mapping = json.loads(path.read_text(encoding="utf-8"))
        if validator.is_valid(mapping) != (decode_record(mapping).record is not None):
            not_in_schema.add(path.stem)
    assert not_in_schema == NOT_IN_SCHEMA - {"too_large"}  # which is no .json


def test_the_program_prints_and_checks(tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kb.records.schema", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)

    assert run().stdout == schema_text()
    assert run("--check", "docs/schema.json").returncode == 0
    stale = tmp_path / "schema.json"
    stale.write_text("{}", encoding="utf-8")
    assert run("--check", str(stale)).returncode == 1
    assert run("--check", str(tmp_path / "none.json")).returncode == 1
