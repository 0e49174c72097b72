"""What is refused as a record: every rule with its code and its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb.records.decode import Decoded, decode_record
from kb.records.problems import MAX_PROBLEMS
from kb.records.rules import FIELDS

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
PIN = f"https://github.com/o/r/blob/{SHA}"


BROKEN: dict[tuple[str, str], tuple[Any, ...]] = {
    ("id", "malformed_value"): ("", "12C38BB1AFED0EC1", "12c38bb1afed0ec", "12c38bb1afed0ec1\n"),
    ("repo", "malformed_value"): (
        "", "a", "/a", "a/", "a/b/c", "a//b", "./a", "../a", "a/.", "a/..", "a b/c", "a/b\n", "a\t/b", "a\\b/c",
        "a/b?", "a/b#c", "<a>/b", "a/b\u202e", "a%2f/b", "a/b:c",
    ),
    ("slug", "malformed_value"): ("", "-", "a-", "-a", "A", "a_b", "a b", "é", "a\n"),
    ("slug", "too_long"): ("x" * 256,),
    ("errorCode", "too_long"): ("x" * 501,),
    ("filePath", "too_long"): ("x" * 4097,),
    ("tags", "too_long"): (["x" * 256],),
    ("errorType", "unknown_value"): ("", "Exception", "fatal", "exception "),
    ("severity", "unknown_value"): ("", "fatal", "Error", "warn"),
    ("handlingStrategy", "unknown_value"): ("", "fail-slow"),
    ("httpStatus", "out_of_range"): (0, 99, 600, -200, 10**20),
    ("sourceCodeStart", "out_of_range"): (0, -1, 2**31),
    ("sourceCode", "snippet_too_long"): ("x\n" * 40 + "x", "\n" * 41),
    ("filePath", "unsafe_path"): (
        "/etc/passwd", "..", "../a", "a/..", "a/../b", "a\\..\\b", "C:\\a", "c:/a", "\\\\host\\a", "a\nb", "a\x1b",
    ),
    ("githubUrl", "unsafe_url"): (
        "javascript:alert(1)", f"http://github.com/o/r/blob/{SHA}/a", "//github.com/o", "https://", "https:///a",
        " https://a", "https://user@github.com/", "https://github.com\\@evil.example/", "https://a\n/", "HTTPS://a",
        f"{PIN}/a\nb", "https://[::1]/", "https://ex ample/", "https://é.example/", "ftp://a", "data:text/html,x",
    ),
    ("githubUrl", "unpinned_url"): (
        "https://github.com", "https://github.com/", "https://github.com/o/r", "https://github.com/o/r/blob/main/a",
        "https://github.com/o/r/blob/v1.2.3/a", f"https://github.com/o/r/blob/{SHA}x/a", "https://github.com?x",
    ),
    **{
        (field, "empty_text"): ("", " \t\n\u3000")
        for field in (
            "errorMessage", "filePath", "documentation", "triggerScenarios", "commonSituations", "githubUrl",
        )
    },
    ("backgroundTag", "malformed_value"): ("", "A", "a_b", "-a", "a-", "a--b", "1a", "a\n"),
    ("analyzedSha", "malformed_value"): ("", SHA[:39], SHA + "0", SHA.upper()),
    ("analyzedAt", "bad_timestamp"): ("", "2026-08-28", "2026-08-28T05:10:05+02:00", "2026-06-31T05:10:05Z"),
    ("contentChangedAt", "bad_timestamp"): ("yesterday",),
    ("schemaVersion", "unsupported_schema_version"): (0, 1, 3, -2, 10**30),
}  # fmt: skip


def both(mapping: dict[Any, Any]) -> Decoded:
    """Decode as bytes and as a mapping; the answers must agree."""
    from_bytes = decode_record(json.dumps(mapping).encode())
    assert decode_record(mapping) == from_bytes
    return from_bytes


def codes(decoded: Decoded) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in decoded.problems]


@pytest.mark.parametrize("field", [field.name for field in FIELDS if field.required])
def test_required_fields_must_be_there(seed, field):
    del seed[field]
    decoded = both(seed)
    assert codes(decoded) == [("missing_field", f"$.{field}")]
    assert decoded.record is None


@pytest.mark.parametrize("field", [field.name for field in FIELDS])
@pytest.mark.parametrize("value", [True, 5.0, {}, {"a": 1}, [1], [["a"]], 1e300])
def test_values_must_have_the_type_of_their_field(seed, field, value):
    decoded = both(seed | {field: value})
    assert {problem.code for problem in decoded.problems} == {"wrong_type"}
    assert decoded.record is None


@pytest.mark.parametrize("field", [field.name for field in FIELDS if not field.nullable])
def test_null_stands_only_where_it_may(seed, field):
    assert codes(both(seed | {field: None})) == [("wrong_type", f"$.{field}")]


@pytest.mark.parametrize(
    ("field", "value", "code"), [(field, value, code) for (field, code), values in BROKEN.items() for value in values]
)
def test_broken_rules_have_their_code_and_place(seed, field, value, code):
    decoded = both(seed | {field: value})
    place = f"$.{field}[0]" if isinstance(value, list) else f"$.{field}"
    assert codes(decoded) == [(code, place)]
    assert decoded.problems[0].severity == "error"
    assert decoded.record is None


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"lineNumber": 1261}, [("line_before_snippet", "$.lineNumber")]),
        ({"sourceCodeEnd": 1261}, [("snippet_reversed", "$.sourceCodeEnd")]),
        (
            {"sourceCodeStart": 1300, "sourceCodeEnd": 1299},
            [("line_before_snippet", "$.lineNumber"), ("snippet_reversed", "$.sourceCodeEnd")],
        ),
        ({"lineNumber": 5000}, []),
        ({"lineNumber": 1, "sourceCodeStart": None}, []),
        ({"lineNumber": 1, "sourceCodeStart": 0}, [("out_of_range", "$.sourceCodeStart")]),
    ],
)
def test_line_numbers_must_fit_together(seed, fields, found):
    assert codes(both(seed | fields)) == found


def test_items_of_lists_are_named_by_their_index(seed):
    decoded = both(seed | {"tags": ["ok", "Not OK", 5], "solutions": ["a", None]})
    assert codes(decoded) == [
        ("wrong_type", "$.solutions[1]"),
        ("malformed_value", "$.tags[1]"),
        ("wrong_type", "$.tags[2]"),
    ]


def test_all_problems_are_told_with_origin_position_and_value(seed):
    del seed["documentation"]
    seed |= {"severity": "fatal", "httpStatus": 42, "errorType": "io"}
    decoded = decode_record(json.dumps(seed).encode(), origin="errors.jsonl", position=7)
    assert codes(decoded) == [
        ("undocumented_value", "$.errorType"),
        ("out_of_range", "$.httpStatus"),
        ("unknown_value", "$.severity"),
        ("missing_field", "$.documentation"),
    ]
    assert {(problem.origin, problem.position) for problem in decoded.problems} == {("errors.jsonl", 7)}
    assert decoded.problems[2].value == '"fatal"'
    assert "critical, error, warning, info" in decoded.problems[2].message


def test_a_rejected_record_keeps_its_identity_when_that_is_valid(seed):
    decoded = both(seed | {"severity": "fatal"})
    assert (decoded.record, decoded.id, decoded.repo) == (None, "12c38bb1afed0ec1", "sgl-project/sglang")
    decoded = both(seed | {"id": "x", "repo": "x"})
    assert (decoded.record, decoded.id, decoded.repo) == (None, None, None)


def test_a_foreign_version_is_told_first_however_much_else_is_wrong(seed):
    decoded = both(seed | {"schemaVersion": 3, "id": 5, "tags": ["?"] * 1000})
    assert decoded.problems[0].code == "unsupported_schema_version"
    assert len(decoded.problems) == MAX_PROBLEMS
