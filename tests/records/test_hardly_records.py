"""Data that is hardly a record: odd characters, numbers and depths, and what is no JSON at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.decode import Decoded, decode_record
from kb.records.documents import decode_manifest
from kb.records.jsonvalues import BAD, clean_value
from kb.records.problems import Problems
from kb.records.rules import MAX_RECORD_BYTES
from kb.records.text import clean_text

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
PIN = f"https://github.com/o/r/blob/{SHA}"


def both(mapping: dict[Any, Any]) -> Decoded:
    """Decode as bytes and as a mapping; the answers must agree."""
    from_bytes = decode_record(json.dumps(mapping).encode())
    assert decode_record(mapping) == from_bytes
    return from_bytes


def codes(decoded: Decoded) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in decoded.problems]


# --- characters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "escaped", "path", "cleaned"),
    [
        ("documentation", r'"a\u0000b"', "$.documentation", "a\ufffdb"),
        ("documentation", r'"a\ud83d"', "$.documentation", "a\ufffd"),
        ("errorCode", r'"\ud83d\ud83d\ude00"', "$.errorCode", "\ufffd😀"),
        ("solutions", r'["ok", "\u0000"]', "$.solutions[1]", ("ok", "\ufffd")),
    ],
)
def test_unstorable_characters_are_replaced_with_a_warning(seed, field, escaped, path, cleaned):
    raw = json.dumps(seed | {field: "@@"}).replace('"@@"', escaped).encode()
    decoded = decode_record(raw)
    assert codes(decoded) == [("replaced_characters", path)]
    assert decoded.record is not None
    assert cleaned in (decoded.record.documentation, decoded.record.error_code, decoded.record.solutions)
    assert decode_record(json.loads(raw)) == decoded


def test_unknown_fields_are_cleaned_in_keys_and_values(seed):
    decoded = both(seed | {"a\x00": [{"b\ud83d": "c\x00"}]})
    assert {problem.code for problem in decoded.problems} == {"replaced_characters"}
    assert len(decoded.problems) == 3
    assert decoded.record is not None
    assert decoded.record.extra == {"a\ufffd": [{"b\ufffd": "c\ufffd"}]}


ONE_NAME = [("a\x00", "a\ud800"), ("a\ufffd", "a\x00"), ("a\ud83d", "a\ufffd"), ("\x00\udc00", "\udc00\x00")]


@pytest.mark.parametrize("names", ONE_NAME)
@pytest.mark.parametrize("values", [(1, 2), ("same", "same"), ([], {"b": None}), (float("nan"), 1)])
@pytest.mark.parametrize(
    ("around", "path"),
    [
        (lambda inner: inner, "$"),
        (lambda inner: {"more": inner}, "$.more"),
        (lambda inner: {"more": [0, {"deep": [inner]}]}, "$.more[1].deep[0]"),
    ],
)
def test_two_fields_that_become_one_are_refused(seed, names, values, around, path):
    pair = dict(zip(names, values, strict=True))
    assert len(pair) == 2
    raw = json.dumps(seed | around(pair)).encode()
    decoded = decode_record(raw)
    assert decoded.record is None
    assert decoded.id == seed["id"]
    assert ("malformed_value", path) in codes(decoded)
    assert "same name" in next(problem.message for problem in decoded.problems if problem.code == "malformed_value")
    assert codes(decode_record(seed | around(pair))) == codes(decoded)


@given(st.dictionaries(st.text("a\x00\ud800\ufffd", max_size=3), st.integers(0, 99), max_size=6))
def test_no_unknown_field_is_ever_lost(unknown):
    problems = Problems()
    cleaned = clean_value({"in": [unknown]}, "$", problems, 9)
    if len({clean_text(name)[0] for name in unknown}) == len(unknown):
        assert sorted(cleaned["in"][0].values()) == sorted(unknown.values())
    else:
        assert problems.rejected
        assert cleaned is BAD


def test_two_files_of_a_manifest_do_not_become_one():
    part = {"path": "a", "bytes": 1, "sha256": "0" * 64}
    for names in ONE_NAME:
        manifest = {"schemaVersion": 2, "datasetVersion": "2026-08-28T05:10:05Z", "counts": {"errors": 1}}
        _, problems = decode_manifest(json.dumps(manifest | {"files": dict.fromkeys(names, part)}).encode())
        assert ("malformed_value", "$.files") in [(problem.code, problem.path) for problem in problems]


def test_an_escaped_backslash_before_u0000_is_no_nul(seed):
    decoded = both(seed | {"documentation": r"write \u0000 for NUL"})
    assert decoded.problems == ()
    assert decoded.record is not None
    assert decoded.record.documentation == r"write \u0000 for NUL"


# --- hardly data ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "not_json"),
        (b"   \n", "not_json"),
        (b"\xff\xfe{\x00}\x00", "not_json"),
        (b'{"id": "\xed\xa0\xbd"}', "not_json"),
        (b'{"id": "12c', "not_json"),
        (b'{"id": "a"} {"id": "b"}', "not_json"),
        (b'{"id": "a",}', "not_json"),
        (b'{"id": "a\nb"}', "not_json"),
        (b"{'id': 1}", "not_json"),
        (b"nul", "not_json"),
        (b"null", "not_an_object"),
        (b"NaN", "not_an_object"),
        (b"5", "not_an_object"),
        (b'"text"', "not_an_object"),
        (b"[{}]", "not_an_object"),
        (b"9" * 10_000, "not_an_object"),
        (b"[" * 200_000, "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
        (b" " * (MAX_RECORD_BYTES + 1), "too_large"),
    ],
)
def test_what_is_no_object_is_one_problem(raw, code):
    assert decode_record(raw) == Decoded(record=None, id=None, repo=None, problems=decode_record(raw).problems)
    assert codes(decode_record(raw)) == [(code, "$")]


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("NaN", "non_finite"),
        ("-Infinity", "non_finite"),
        ("1e999", "non_finite"),
        ("9" * 1001, "number_too_large"),
        ("-" + "9" * 100_000, "number_too_large"),
        ("[" * 64 + "]" * 64, "too_deep"),
    ],
)
def test_numbers_and_depths_beyond_reason_are_refused_where_they_stand(seed, written, code):
    raw = json.dumps(seed | {"score": "@@"}).replace('"@@"', written).encode()
    decoded = decode_record(raw)
    assert [problem.code for problem in decoded.problems] == [code]
    assert decoded.problems[0].path.startswith("$.score")
    assert decoded.id == "12c38bb1afed0ec1"


@pytest.mark.parametrize(
    ("written", "code"), [("NaN", "non_finite"), ("1e999", "non_finite"), ("9" * 2000, "number_too_large")]
)
def test_so_are_numbers_in_known_fields(seed, written, code):
    raw = json.dumps(seed | {"lineNumber": "@@"}).replace('"@@"', written).encode()
    assert codes(decode_record(raw)) == [(code, "$.lineNumber")]


def test_sixty_three_levels_are_fine(seed):
    raw = json.dumps(seed | {"deep": "@@"}).replace('"@@"', "[" * 63 + "]" * 63).encode()
    assert decode_record(raw).problems == ()


def test_of_a_repeated_key_the_last_wins(seed):
    raw = json.dumps(seed).encode()
    assert decode_record(raw[:-1] + b',"slug":"other"}').record.slug == "other"
    assert codes(decode_record(raw[:-1] + b',"slug":5}')) == [("wrong_type", "$.slug")]
    assert decode_record(b'{"slug":5,' + raw[1:]).record is not None


def test_a_byte_order_mark_does_no_harm(seed):
    assert decode_record(b"\xef\xbb\xbf" + json.dumps(seed).encode()).record is not None


@pytest.mark.parametrize("odd", [{1: 2}, {"a": {1: 2}}, {"a": {3, 4}}, {"a": b"x"}, {None: 1}])
def test_mappings_that_no_json_holds_are_refused(seed, odd):
    decoded = decode_record(seed | odd)
    assert [problem.code for problem in decoded.problems] == ["wrong_type"]


def test_a_mapping_can_be_too_large_as_well(seed):
    decoded = decode_record(seed | {"documentation": "x" * MAX_RECORD_BYTES})
    assert codes(decoded) == [("too_large", "$")]
    assert (decoded.record, decoded.id) == (None, "12c38bb1afed0ec1")


@pytest.mark.parametrize(("step", "path"), [("a", "$.a"), ("a b", '$["a b"]'), ('"', '$["\\""]'), ("", '$[""]')])
def test_paths_name_odd_keys_in_quotes(seed, step, path):
    assert codes(decode_record(seed | {step: float("nan")})) == [("non_finite", path)]
