"""Patterns and quality findings."""

from __future__ import annotations

import msgspec
import pytest

from kb.records.decode import decode_record
from kb.records.findings import FINDINGS, THIN_TEXT, duplicate_key, findings
from kb.records.patterns import literal_parts, pattern_faults


@pytest.fixture
def record(seed):
    decoded = decode_record(seed).record
    assert decoded is not None
    return decoded


# --- patterns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("", ("",)),
        ("timeout", ("timeout",)),
        (r"a (.+?) b\.", ("a ", " b.")),
        ("(.+?)", ("", "")),
        (r"\[(.+?)\]\(\\\)", ("[", r"](\)")),
        ("名前(.+?)\n-", ("名前", "\n-")),
        ("(.*)", None),
        ("a.b", None),
        (r"\d", None),
        ("a(.+?", None),
        ("a\\", None),
        ("^a$", None),
    ],
)
def test_usual_patterns_are_literals_with_gaps(pattern, parts):
    assert literal_parts(pattern) == parts


@pytest.mark.parametrize(
    ("pattern", "message", "faults"),
    [
        ("not ready", "encode metadata not ready", ()),
        (r"timeout of (.+?)ms", "timeout of {ms}ms", ()),
        (r"timeout of (.+?)ms", "timeout of ${ms}ms", ()),
        (r"(.+?) failed\.", "{} failed.", ()),
        (r"failed: \S+ at \d+", "failed: {name} at {line}", ("pattern_misses_message",)),
        (r"failed: \S+ at [0-9x]+", "failed: {name} at {line}", ()),
        (r"^timeout$", "timeout", ()),
        ("timeout", "time out", ("pattern_misses_message",)),
        (r"below(.+?)above", "above {x} below", ("pattern_misses_message",)),
        (r"abc(.+?)abc", "abcabc", ("pattern_misses_message",)),
        (r"one(.+?)two", "one\ntwo", ("pattern_misses_message",)),
        (r"one(.+?)two", "one\ntwo one {x} two", ()),
        (r"one(.+?)\ntwo", "one {x}\ntwo", ()),
        ("", "x", ("pattern_matches_everything",)),
        ("(.+?)", "{e}", ("pattern_matches_everything",)),
        ("(.+?): (.+?)", "{a}: {b}", ("pattern_matches_everything",)),
        ("(.+?)", "", ("pattern_matches_everything", "pattern_misses_message")),
        (".*", "x", ("pattern_matches_everything",)),
        ("timeout|.*", "timeout", ("pattern_matches_everything",)),
        (r"[a-z]+\s\w*", "a b", ("pattern_matches_everything",)),
        ("[", "[", ("pattern_invalid",)),
        ("(?=x)x", "x", ("pattern_invalid",)),
        (r"(a)\1", "aa", ("pattern_invalid",)),
        ("a" * 501, "a" * 501, ("pattern_too_long",)),
        ("a" * 9000, "b" * 9000, ("pattern_too_long", "pattern_misses_message")),
        ("a(.+?)" * 2000, "a", ("pattern_too_long", "pattern_misses_message")),
        ("a" * 60_000, "b", ("pattern_too_long",)),
    ],
)
def test_what_is_wrong_with_a_pattern(pattern, message, faults):
    assert pattern_faults(pattern, message) == faults


@pytest.mark.parametrize(
    "pattern",
    [
        "(.+?)" * 90, "(a*)*" * 100, "(x+x+)+y", ".{1000}", "(?:.{0,100}){10}z", "(((.?){10}){10}){10}z",
        "(" * 990 + ")" * 990, "(" * 20_000 + ")" * 20_000, "a|" * 20_000, "[^a]" * 400 + "z", ".*" * 900 + "z",
        "[" * 2000, "[]" * 1000, "(?" * 1000, r"\p{" * 600, "{1" * 1000, "(.+?)" * 50_000, "a(.+?)" * 50_000,
        "\\" * 1001, r"\pN" * 500, "(?i)" + "k" * 1900, "a{1000}{1000}", "\x00", "\ufffd(",
    ],
)  # fmt: skip
@pytest.mark.parametrize("message", ["é" * 4000, "x" * 2_000_000, "aé\n" * 1300, ""])
def test_hostile_patterns_are_judged_all_the_same(pattern, message):
    assert set(pattern_faults(pattern, message)) <= set(FINDINGS)


# --- findings ---------------------------------------------------------------------------------------------------------


def test_every_finding_is_explained():
    assert all(text.endswith(".") for text in FINDINGS.values())


def test_the_seed_record_is_fine(record):
    assert findings(record) == ()


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"documentation": "x" * (THIN_TEXT - 1) + "   "}, ("thin_text",)),
        ({"documentation": "x" * THIN_TEXT}, ()),
        ({"solutions": ()}, ("no_solutions",)),
        ({"solutions": ("", " ")}, ("no_solutions",)),
        ({"tags": (), "background_tag": None}, ("no_tags",)),
        ({"tags": ()}, ()),
        ({"message_pattern": "["}, ("pattern_invalid",)),
        ({"message_pattern": "x" * 600}, ("pattern_misses_message", "pattern_too_long")),
        ({"slug": "error-1a2b3c4d"}, ("opaque_slug",)),
        ({"slug": "42"}, ("opaque_slug",)),
        ({"slug": "e0308"}, ("opaque_slug",)),
        ({"slug": "e0308", "error_code": "E0308"}, ()),
        ({"slug": "e0308-1f3a", "error_code": "E0308"}, ()),
        ({"slug": "timeout-1a2b3c4d"}, ()),
        ({"slug": "deadbeef"}, ()),
        ({"source_code_end": 1299}, ("snippet_disagrees",)),
        ({"source_code_end": None}, ("snippet_disagrees",)),
        ({"source_code": None}, ("snippet_disagrees",)),
        ({"source_code": None, "source_code_start": None, "source_code_end": None}, ()),
        ({"line_number": 1299}, ("snippet_disagrees",)),
        ({"line_number": None}, ()),
        ({"source_code": "a\nb\n", "source_code_start": 1280, "source_code_end": 1281}, ()),
        ({"source_code": "a\nb\n", "source_code_start": 1280, "source_code_end": 1282}, ()),
        ({"source_code": "a\nb\n", "source_code_start": 1280, "source_code_end": 1283}, ("snippet_disagrees",)),
        ({"analyzed_sha": "f" * 40}, ("link_disagrees",)),
        ({"file_path": "other.py"}, ("link_disagrees",)),
        ({"repo": "SGL-project/SGLang"}, ()),
        ({"github_url": "https://gitlab.com/x"}, ()),
    ],
)
def test_what_a_maintainer_should_look_at(record, changes, found):
    assert findings(msgspec.structs.replace(record, **changes)) == found


def test_findings_are_sorted(record):
    changed = msgspec.structs.replace(record, solutions=(), message_pattern="", documentation="x", slug="1")
    assert findings(changed) == ("no_solutions", "opaque_slug", "pattern_matches_everything", "thin_text")


def test_a_link_to_a_path_with_escapes_agrees(record):
    url = f"https://github.com/sgl-project/sglang/blob/{record.analyzed_sha}/a%20b/%C3%A9.py#L1"
    assert findings(msgspec.structs.replace(record, github_url=url, file_path="a b/é.py")) == ()


def test_duplicates_share_repository_and_pattern_but_for_case(record):
    key = duplicate_key(record)
    assert len(key) == 32
    assert key == duplicate_key(
        msgspec.structs.replace(record, id="0" * 16, message_pattern="Encode METADATA not ready")
    )
    assert key != duplicate_key(msgspec.structs.replace(record, repo="other/sglang"))
    assert key != duplicate_key(msgspec.structs.replace(record, message_pattern="encode metadata ready"))
