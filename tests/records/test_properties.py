"""What holds for every record and for every piece of data."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kb.records.decode import _decode_bytes, decode_record
from kb.records.encode import encode, encode_json
from kb.records.fastpath import decode_fast
from kb.records.findings import FINDINGS, duplicate_key, findings
from kb.records.hashing import content_hash, substance_hash
from kb.records.problems import PROBLEM_CODES, Problems
from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SEVERITIES
from kb.records.rules import FIELDS

# --- strategies -------------------------------------------------------------------------------------------------------

storable = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
text = st.text(storable, max_size=40)
filled = text.filter(str.strip)
word = st.text("abz09", min_size=1, max_size=5)
names = st.text("aZ0_.~+-名", min_size=1, max_size=6).filter(lambda name: name.strip("."))
tag = st.lists(word, max_size=3).map(lambda words: "-".join(["t", *words]))
sha = st.integers(0, 16**40 - 1).map("{:040x}".format)
time = st.datetimes(timezones=st.just(dt.UTC)).map(dt.datetime.isoformat)
line = st.integers(1, 2**31 - 1)
lines = st.one_of(
    st.none(),
    line.flatmap(lambda start: st.tuples(st.just(start), st.integers(start, 2**31 - 1), st.integers(start, 2**31 - 1))),
)
pattern = st.one_of(text, st.text(alphabet="ab(.+?)*[]{}\\|^$12", max_size=20))
json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**40), 10**40), st.floats(allow_nan=False, allow_infinity=False), text
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=8,
)
NAMES = {field.name for field in FIELDS}
OPTIONAL = sorted(field.name for field in FIELDS if not field.required)
extra = st.dictionaries(text.filter(lambda name: name not in NAMES), json_values, max_size=3)


@st.composite
def mappings(draw: st.DrawFn) -> dict[str, Any]:
    """A valid record in the dataset's form: fields in any order, any optional ones missing, unknown ones among them."""
    commit = draw(sha)
    place = draw(lines)
    mapping: dict[str, Any] = {
        "id": draw(st.integers(0, 16**16 - 1).map("{:016x}".format)),
        "repo": draw(names) + "/" + draw(names),
        "slug": "-".join(draw(st.lists(word, min_size=1, max_size=3))),
        "errorCode": draw(st.none() | text),
        "errorMessage": draw(filled),
        "messagePattern": draw(pattern),
        "errorType": draw(st.sampled_from([*ERROR_TYPES, "io", "timeout"])),
        "errorClass": draw(st.none() | text),
        "httpStatus": draw(st.none() | st.integers(100, 599)),
        "severity": draw(st.sampled_from(SEVERITIES)),
        "filePath": "/".join(draw(st.lists(names, min_size=1, max_size=3))),
        "sourceCode": draw(
            st.none() | st.lists(st.text(storable, max_size=9), max_size=20).map("\n".join).map(lambda code: code[:39])
        ),
        "githubUrl": f"https://github.com/o/r/blob/{commit}/a.py",
        **{name: draw(filled) for name in ("documentation", "triggerScenarios", "commonSituations")},
        **{name: draw(st.lists(text, max_size=3)) for name in ("solutions", "preventionTips")},
        **{name: draw(st.none() | text) for name in ("exampleFix", "validationCode", "typeGuard", "tryCatchPattern")},
        "handlingStrategy": draw(st.sampled_from([None, *HANDLING_STRATEGIES, "fail-fast"])),
        "tags": draw(st.lists(tag, max_size=3)),
        "backgroundTag": draw(st.none() | tag),
        "analyzedSha": commit,
        "analyzedAt": draw(time),
        "contentChangedAt": draw(st.none() | time),
        "schemaVersion": 2,
    }
    for index, name in enumerate(("sourceCodeStart", "sourceCodeEnd", "lineNumber")):
        mapping[name] = None if place is None else place[index]
    for name in draw(st.sets(st.sampled_from(OPTIONAL))):
        del mapping[name]
    mapping |= draw(extra)
    start = draw(st.integers(0, len(mapping)))
    rows = list(mapping.items())
    return dict(rows[start:] + rows[:start])


anything = st.one_of(
    json_values,
    st.floats(),
    st.text(),
    st.sampled_from(["", "a/b", "../a", "2026-08-28T05:10:05Z", "https://a/", "harvest", 2**31, 0, -1, True]),
)

# --- properties -------------------------------------------------------------------------------------------------------


@given(mappings())
def test_decoding_and_encoding_are_inverse(mapping):
    raw = json.dumps(mapping).encode()
    decoded = decode_record(raw)
    assert [problem for problem in decoded.problems if problem.severity == "error"] == []
    record = decoded.record
    assert record is not None
    assert encode(record) == mapping
    assert decode_record(encode(record)).record == record
    assert decode_record(encode_json(record)).record == record


@given(mappings(), st.data())
def test_both_ways_in_agree(mapping, data):
    for _ in range(data.draw(st.integers(0, 2))):
        mapping[data.draw(st.sampled_from(sorted(NAMES)))] = data.draw(anything)
    raw = json.dumps(mapping, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
    careful = _decode_bytes(raw, Problems())
    assert decode_record(raw) == careful
    if (fast := decode_fast(raw)) is not None:
        assert fast[0] == careful.record


@given(mappings())
def test_a_record_without_unknown_fields_takes_the_fast_way(mapping):
    known = {name: value for name, value in mapping.items() if name in NAMES}
    raw = json.dumps(known, ensure_ascii=False).encode()
    assert (decode_fast(raw) is not None) == (b"\\u0000" not in raw)


@given(mappings(), st.data())
def test_the_hash_sees_every_field_and_nothing_else(mapping, data):
    record = decode_record(mapping).record
    assert record is not None
    shuffled = dict(data.draw(st.permutations(list(mapping.items()))))
    same = decode_record(json.dumps(shuffled, indent=data.draw(st.integers(0, 3))).encode()).record
    assert same is not None
    assert content_hash(same) == content_hash(record)
    assert substance_hash(same) == substance_hash(record)
    name = data.draw(st.sampled_from(sorted(mapping)))
    other = decode_record({key: value for key, value in mapping.items() if key != name} | {"~new": 1}).record
    assert other is None or content_hash(other) != content_hash(record)


@given(mappings())
def test_findings_and_duplicate_keys_never_fail(mapping):
    record = decode_record(mapping).record
    assert record is not None
    assert set(findings(record)) <= set(FINDINGS)
    assert len(duplicate_key(record)) == 32


def check_never_raises(raw: Any) -> None:
    decoded = decode_record(raw, origin="x", position=1)
    assert all(problem.code in PROBLEM_CODES for problem in decoded.problems)
    assert all(len(problem.value) <= 200 and problem.value.encode() is not None for problem in decoded.problems)
    assert all(len(problem.path) <= 500 and problem.path.encode() is not None for problem in decoded.problems)
    if decoded.record is None:
        assert any(problem.severity == "error" for problem in decoded.problems)
    else:
        assert decode_record(encode_json(decoded.record)).record == decoded.record


@given(st.binary(max_size=200))
def test_no_bytes_raise(raw):
    check_never_raises(raw)


@given(mappings(), st.data())
def test_no_damaged_record_raises(mapping, data):
    raw = bytearray(json.dumps(mapping).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(raw) - 1))
        raw[position : position + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=4))
    check_never_raises(bytes(raw))


@given(
    mappings(),
    st.dictionaries(st.text() | st.sampled_from(sorted(NAMES)), anything | st.binary() | st.none(), max_size=5),
)
def test_no_mapping_raises(mapping, changes):
    check_never_raises(mapping | changes)
    check_never_raises(changes)
