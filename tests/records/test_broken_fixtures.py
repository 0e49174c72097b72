"""The committed broken and hostile datasets are what their names say."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kb.records.decode import decode_record
from kb.records.documents import decode_manifest
from kb.records.findings import findings
from kb.records.problems import PROBLEM_CODES, RECORD_CODES, SOURCE_CODES

BROKEN = Path(__file__).resolve().parents[2] / "fixtures" / "datasets" / "broken"
# No file can be these: one changes while it is read, the other is a matter of two imports.
WITHOUT_FIXTURE = {"vanished", "locked", "no_space", "unsafe_address", "unreachable"}
# Source-level codes whose fixture is a layout with a manifest.
LAYOUTS = {"wrong_hash", "wrong_size", "count_mismatch", "repo_mismatch", "unsafe_path", "missing_file", "unreadable"}


def code_of(path: Path) -> str:
    return path.name.partition(".")[0]


def content(path: Path) -> bytes:
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def test_every_code_has_its_fixture_and_every_fixture_its_code():
    assert {code_of(path) for path in BROKEN.iterdir()} == set(PROBLEM_CODES) - WITHOUT_FIXTURE


@pytest.mark.parametrize("code", sorted(RECORD_CODES))
def test_a_broken_record_has_the_problem_it_is_named_after(code):
    (path,) = (path for path in BROKEN.iterdir() if code_of(path) == code and path.is_file())
    decoded = decode_record(content(path), origin=path.name)
    assert {problem.code for problem in decoded.problems} == {code}
    warning = all(problem.severity == "warning" for problem in decoded.problems)
    assert (decoded.record is not None) == warning


@pytest.mark.parametrize("code", sorted(set(SOURCE_CODES) - WITHOUT_FIXTURE - LAYOUTS - {"no_manifest"}))
def test_a_broken_source_without_a_manifest_is_one_file(code):
    (path,) = (path for path in BROKEN.iterdir() if code_of(path) == code)
    assert path.is_file()


@pytest.mark.parametrize("code", ["slug_taken", "repeated_id"])
def test_of_records_that_quarrel_each_is_valid(code):
    records = [decode_record(line).record for line in (BROKEN / f"{code}.jsonl").read_bytes().splitlines()]
    assert None not in records
    assert len({record.id if code == "repeated_id" else (record.repo, record.slug) for record in records}) == 1


def test_the_truncated_file_ends_early():
    with pytest.raises(EOFError):
        content(BROKEN / "truncated.json.gz")


@pytest.mark.parametrize("code", sorted(LAYOUTS))
def test_a_broken_layout_has_one_fault(code):
    root = BROKEN / code
    manifest, problems = decode_manifest((root / "manifest.json").read_bytes())
    assert [problem.code for problem in problems] == (["unsafe_path"] if code == "unsafe_path" else [])
    assert (manifest is None) == (code == "unsafe_path")
    for name in root.glob("repos/*/*.json"):
        assert all(decode_record(item).problems == () for item in json.loads(name.read_bytes()))


def test_the_hostile_record_is_valid_and_hostile_everywhere(datasets):
    raw = (datasets / "hostile" / "hostile.json").read_bytes()
    decoded = decode_record(raw)
    assert decoded.problems == ()
    assert decoded.record is not None
    mapping = json.loads(raw)
    harmless = {"id", "analyzedSha", "analyzedAt", "contentChangedAt", "errorType", "severity", "handlingStrategy"}
    marks = ("<", "script", "\u202e", "名前")
    for name, value in mapping.items():
        text = json.dumps(value, ensure_ascii=False)
        assert name in harmless or isinstance(value, int) or any(mark in text for mark in marks) or name == "long"
    assert "d" * 100_000 in decoded.record.documentation
    assert "v" * 100_000 in (decoded.record.validation_code or "")
    assert "m" * 3000 in decoded.record.error_message
    assert decoded.unknown >= {"__proto__", "constructor", "</script><!--<script><img src=x onerror=alert(1)>"}
    assert "pattern_invalid" in findings(decoded.record)
