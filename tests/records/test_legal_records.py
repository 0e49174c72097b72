"""What is accepted as a record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb.records.decode import Decoded, decode_record
from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SEVERITIES
from kb.records.rules import FIELDS

SHA = "0132848349585cfe6aae51c4941cbae872505f8a"
PIN = f"https://github.com/o/r/blob/{SHA}"


def both(mapping: dict[Any, Any]) -> Decoded:
    """Decode as bytes and as a mapping; the answers must agree."""
    from_bytes = decode_record(json.dumps(mapping).encode())
    assert decode_record(mapping) == from_bytes
    return from_bytes


def codes(decoded: Decoded) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in decoded.problems]


def test_the_seed_record_is_read_field_for_field(seed):
    decoded = both(seed)
    record = decoded.record
    assert record is not None
    assert decoded == Decoded(record=record, id="12c38bb1afed0ec1", repo="sgl-project/sglang")
    assert record.http_status == 504
    assert record.line_number == 1280
    assert record.solutions[0].startswith("Retry the request")
    assert record.example_fix is None
    assert record.analyzed_at == "2026-08-28T05:10:05.995Z"
    assert record.absent == {"contentChangedAt"}
    assert record.extra == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("repo", "a/b"), ("repo", "A-1_.~+/...x"), ("repo", "名前/проект"), ("repo", ".github/.github"),
        ("slug", "a"), ("slug", "0"), ("slug", "a--b"), ("slug", "x" * 255),
        ("errorCode", ""), ("errorCode", "auth/invalid-email"), ("errorCode", "x" * 500),
        ("errorMessage", "{}"), ("errorMessage", "m" * 100_000), ("messagePattern", ""), ("messagePattern", "["),
        *(("errorType", name) for name in ERROR_TYPES), *(("severity", name) for name in SEVERITIES),
        *(("handlingStrategy", name) for name in (None, *HANDLING_STRATEGIES)),
        ("httpStatus", 100), ("httpStatus", 599), ("httpStatus", None),
        ("filePath", "a"), ("filePath", "./a/..b/c..py"), ("filePath", "a b/é:x\\x2d.service"), ("filePath", "C:x"),
        ("lineNumber", 1262), ("lineNumber", 2**31 - 1), ("lineNumber", None),
        ("sourceCode", None), ("sourceCode", ""), ("sourceCode", "x\n" * 40), ("sourceCode", "\n".join("x" * 40)),
        ("sourceCodeEnd", 1262), ("sourceCodeEnd", None), ("sourceCodeStart", None),
        ("githubUrl", f"{PIN}/a.py#L1-L2"), ("githubUrl", f"{PIN}/a file (1).py?plain=1"), ("githubUrl", PIN),
        ("githubUrl", "https://github.com/o/r/commit/0132848"),
        ("documentation", "x"), ("solutions", []), ("solutions", ["", " "]), ("preventionTips", []),
        ("tags", []), ("tags", ["a", "a1-2b", "a"]), ("backgroundTag", None), ("backgroundTag", "http-404"),
        ("analyzedAt", "2026-08-28T05:10:05Z"), ("analyzedAt", "2026-08-28T05:10:05.123456789+00:00"),
        ("contentChangedAt", None), ("contentChangedAt", "2024-02-29T00:00:00Z"),
    ],
)  # fmt: skip
def test_legal_values_are_accepted_without_a_word(seed, field, value):
    decoded = both(seed | {field: value})
    assert decoded.problems == ()
    assert decoded.record is not None


@pytest.mark.parametrize("field", [field.name for field in FIELDS if not field.required])
def test_optional_fields_may_be_missing(seed, field):
    seed.pop(field, None)
    decoded = both(seed)
    assert decoded.problems == ()
    assert decoded.record is not None
    assert field in decoded.record.absent


def test_unknown_fields_are_kept(seed):
    extra = {"absent": 1, "extra": {"a": [None, 1.5, "é"]}, "__proto__": {}, "record": seed.copy(), "big": 10**400}
    decoded = both(seed | extra)
    assert decoded.problems == ()
    assert decoded.unknown == set(extra)
    assert decoded.record is not None
    assert decoded.record.extra == extra


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("errorType", name) for name in ("io", "network", "config", "assertion", "auth", "database", "timeout")),
        ("handlingStrategy", "fail-fast"),
    ],
)
def test_values_in_use_are_accepted_with_a_warning(seed, field, value):
    decoded = both(seed | {field: value})
    assert codes(decoded) == [("undocumented_value", f"$.{field}")]
    assert decoded.problems[0].severity == "warning"
    assert decoded.record is not None
    assert value in (decoded.record.error_type, decoded.record.handling_strategy)


@pytest.mark.parametrize(
    "url", ["https://gitlab.com/o/r", "https://localhost:8000/x?y", "https://github.com.evil.example/", "https://a"]
)
def test_another_host_is_accepted_with_a_warning(seed, url):
    decoded = both(seed | {"githubUrl": url})
    assert codes(decoded) == [("foreign_host", "$.githubUrl")]
    assert decoded.record is not None
    assert decoded.record.github_url == url


@pytest.mark.parametrize("blank", ["", " \n"])
@pytest.mark.parametrize("field", ["triggerScenarios", "commonSituations", "githubUrl"])
def test_harvested_records_may_leave_some_texts_empty(seed, field, blank):
    assert both(seed | {field: blank, "origin": "harvest"}).record is not None
    assert codes(both(seed | {field: blank, "origin": "other"})) == [("empty_text", f"$.{field}")]


def test_harvested_records_keep_all_other_rules(seed):
    harvested = seed | {"origin": "harvest", "documentation": "", "githubUrl": "http://x"}
    assert codes(both(harvested)) == [("unsafe_url", "$.githubUrl"), ("empty_text", "$.documentation")]
