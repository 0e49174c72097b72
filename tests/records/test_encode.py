"""The way out, and the fingerprints."""

from __future__ import annotations

import json

import msgspec
import pytest

from kb.records.decode import decode_record
from kb.records.encode import encode, encode_json
from kb.records.hashing import content_hash, substance_hash
from kb.records.rules import FIELDS, attribute_of


def record_of(mapping):
    record = decode_record(mapping).record
    assert record is not None
    return record


def test_what_came_in_goes_out_field_for_field(seed):
    seed |= {"odd": [1, {"x": None}], "errorType": "io"}
    record = record_of(seed)
    assert encode(record) == seed
    assert json.loads(encode_json(record)) == seed


def test_fields_stand_in_the_order_of_the_contract_and_unknown_ones_last(seed):
    shuffled = {"zzz": 1} | dict(sorted(seed.items(), reverse=True))
    names = [field.name for field in FIELDS if field.name in seed]
    assert list(encode(record_of(shuffled))) == [*names, "zzz"]


def test_null_and_absent_stay_apart(seed):
    absent = {name: value for name, value in seed.items() if name not in ("errorCode", "tags", "exampleFix")}
    assert encode(record_of(absent)) == absent
    null = absent | {"errorCode": None, "tags": [], "exampleFix": None}
    assert encode(record_of(null)) == null


def test_json_is_compact_utf8(seed):
    raw = encode_json(record_of(seed | {"errorCode": "名前"}))
    assert "名前".encode() in raw
    assert b'","' in raw
    assert b'": ' not in raw.partition(b'"sourceCode"')[0]


def test_a_big_integer_survives(seed):
    record = record_of(seed | {"n": 10**999})
    assert json.loads(encode_json(record))["n"] == 10**999


# --- fingerprints -----------------------------------------------------------------------------------------------------


def test_the_hash_of_the_seed_record_never_changes(seed):
    assert content_hash(record_of(seed)) == "9267953df935db0a5f1b6ffe654e7fae"
    assert substance_hash(record_of(seed)) == "aa0be79ce0351900df5f11242aea9d6e"


def test_key_order_and_white_space_do_not_count(seed):
    seed["odd"] = {"a": 1, "b": [2]}
    shuffled = dict(reversed(seed.items())) | {"odd": {"b": [2], "a": 1}}
    record = record_of(json.dumps(shuffled, indent=7).encode())
    assert content_hash(record) == content_hash(record_of(seed))


CHANGES = {
    "id": "12c38bb1afed0ec2", "repo": "sgl-project/sglanG", "slug": "other", "errorCode": "E1", "errorMessage": "other",
    "messagePattern": "other", "errorType": "panic", "errorClass": None, "httpStatus": 505, "severity": "info",
    "filePath": "other.py", "lineNumber": 1281, "sourceCode": None, "sourceCodeStart": 1261, "sourceCodeEnd": 1299,
    "githubUrl": "https://github.com/o/r/blob/0132848/x", "documentation": "other", "triggerScenarios": "other",
    "commonSituations": "other", "solutions": [], "exampleFix": "x", "handlingStrategy": None, "validationCode": None,
    "typeGuard": "x", "tryCatchPattern": None, "preventionTips": [], "tags": [], "backgroundTag": None,
    "analyzedSha": "f" * 40, "analyzedAt": "2026-08-28T05:10:05.995+00:00", "contentChangedAt": None,
}  # fmt: skip
ANALYSIS = {"analyzedSha", "analyzedAt", "contentChangedAt"}


def test_the_table_of_changes_has_every_field():
    assert set(CHANGES) | {"schemaVersion"} == {field.name for field in FIELDS}


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_counts(seed, field):
    before, after = record_of(seed), record_of(seed | {field: CHANGES[field]})
    assert getattr(before, attribute_of(field)) != getattr(after, attribute_of(field)) or field in before.absent
    assert content_hash(before) != content_hash(after)
    assert (substance_hash(before) == substance_hash(after)) == (field in ANALYSIS)


def test_unknown_and_absent_fields_count(seed):
    plain = record_of(seed)
    extra = record_of(seed | {"odd": None})
    assert content_hash(plain) != content_hash(extra)
    assert substance_hash(plain) != substance_hash(extra)
    assert content_hash(extra) != content_hash(record_of(seed | {"odd": 1}))


def test_a_new_commit_alone_is_no_change_of_substance(seed):
    moved = json.loads(json.dumps(seed).replace(seed["analyzedSha"], "f" * 40))
    moved |= {"analyzedAt": "2027-01-01T00:00:00Z", "contentChangedAt": "2027-01-01T00:00:00Z"}
    assert moved["githubUrl"] != seed["githubUrl"]
    assert substance_hash(record_of(moved)) == substance_hash(record_of(seed))
    assert content_hash(record_of(moved)) != content_hash(record_of(seed))


def test_moved_lines_are_a_change_of_substance(seed):
    moved = seed | {"githubUrl": seed["githubUrl"].replace("#L1262", "#L1263")}
    assert substance_hash(record_of(moved)) != substance_hash(record_of(seed))


def test_a_record_is_frozen(seed):
    with pytest.raises(AttributeError):
        record_of(seed).slug = "other"
    assert msgspec.structs.replace(record_of(seed), slug="other").slug == "other"
