"""``faultbook scan``: sources, formats, exit codes, memory, and the same outcome for any number of processes."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import zstandard

from kb.matching import scanning
from kb.matching.index.open import open_index

LOG = (
    "2026-11-30 07:00:00 INFO start\n"
    "2026-11-30 07:00:01 ERROR ParcelError: parcel 7 weighs 31 kg, at most 30 are allowed\n"
    "2026-11-30 07:00:02 INFO still here\n"
    "2026-11-30 07:00:03 ERROR ParcelError: parcel 8 weighs 40 kg, at most 30 are allowed\n"
    "2026-11-30 07:00:04 ERROR the gate 3 cannot be opened because the guard of tower 4 sleeps\n"
)


@pytest.fixture
def parcels(import_records: Any, record: Any) -> None:
    """Two records whose errors :data:`LOG` has."""
    import_records(
        record(
            1,
            errorMessage="parcel {number} weighs {weight} kg, at most 30 are allowed",
            messagePattern=r"parcel (.+?) weighs (.+?) kg, at most 30 are allowed",
            errorClass="ParcelError",
        ),
        record(
            2,
            errorMessage="the gate {gate} cannot be opened because the guard of tower {tower} sleeps",
            messagePattern=r"the gate (.+?) cannot be opened because the guard of tower (.+?) sleeps",
            severity="warning",
        ),
    )


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_text(LOG)
    return path


def _errors(ended: Any) -> list[tuple[str, int, list[tuple[int, int]]]]:
    """Ids, counts and lines of an answer in JSON."""
    return [
        (error["id"], error["count"], [(place["firstLine"], place["lastLine"]) for place in error["sightings"]])
        for error in json.loads(ended.out)["errors"]
    ]


BOTH = [("0000000000000001", 2, [(2, 4)]), ("0000000000000002", 1, [(5, 5)])]


def test_a_person_reads_counts_lines_and_records(parcels: None, run: Any, log: Path) -> None:
    ended = run("scan", log)
    assert (ended.code, ended.err) == (0, "")
    for part in (
        "2 known errors, 3 occurrences in 5 lines of 1 file.",
        "lines 2 to 4",
        "line 5",
        "parcel {number} weighs {weight} kg, at most 30 are allowed",
        "parcel 7 weighs 31 kg",
        "acme/parcels parcels/scale.py:12",
        "/e/0000000000000001/",
    ):
        assert part in ended.out
    assert "\x1b" not in ended.out


def test_packed_logs_and_pipes_are_read(parcels: None, run: Any, log: Path, tmp_path: Path) -> None:
    packed, zipped = tmp_path / "app.log.gz", tmp_path / "app.log.zst"
    packed.write_bytes(gzip.compress(LOG.encode()))
    zipped.write_bytes(zstandard.compress(LOG.encode()))
    for name, data in ((log, b""), (packed, b""), (zipped, b""), ("-", LOG.encode()), ("-", packed.read_bytes())):
        assert _errors(run("scan", name, "--format", "json", stdin=data)) == BOTH


def test_several_logs_are_told_apart(parcels: None, run: Any, log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text("x\n" * 9 + LOG.splitlines()[1] + "\n")
    ended = run("scan", log, other, log, "--format", "json")
    first = json.loads(ended.out)["errors"][0]
    assert first["count"] == 3
    assert [(Path(place["file"]).name, place["count"]) for place in first["sightings"]] == [
        ("app.log", 2),
        ("other.log", 1),
    ]
    assert "other.log:line10(1)" in "".join(run("scan", log, other).out.split())  # wherever its lines break


def test_nothing_found_is_three(parcels: None, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "fine.log"
    path.write_text("all is well\n" * 10)
    ended = run("scan", path)
    assert (ended.code, ended.out) == (3, "No known errors in 10 lines of 1 file.\n")
    path.write_text("")
    assert run("scan", path, "--format", "json").code == 3


def test_less_sure_errors_are_left_out_and_counted(
    parcels: None, run: Any, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    judged = scanning._judged

    def weak(*arguments: Any) -> Any:
        match = judged(*arguments)
        return replace(match, confidence="weak") if match.id.endswith("2") else match

    monkeypatch.setattr(scanning, "_judged", weak)
    ended = run("scan", log, "--format", "json")
    assert _errors(ended) == BOTH[:1]
    assert json.loads(ended.out)["leftOut"] == 1
    assert "1 line was less sure" in run("scan", log).out
    assert _errors(run("scan", log, "--format", "json", "--min-confidence", "weak")) == BOTH


@pytest.mark.parametrize(
    "words",
    [[], ["-", "-"], ["x", "--format", "xml"], ["x", "--processes", "0"], ["x", "--min-confidence", "sure"]],
)
def test_wrong_usage_is_two(run: Any, words: list[str]) -> None:
    assert run("scan", *words).code == 2


def test_failures_are_one_line(parcels: None, run: Any, log: Path, tmp_path: Path, settings: Any) -> None:
    ended = run("scan", tmp_path / "missing\x1b[2J.log")
    assert ended.code == 1
    assert "No such file" in ended.err
    assert "\x1b" not in ended.err
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(LOG.encode())[:-20])
    assert "damaged or ends early" in run("scan", broken).err
    assert run("scan", log, "--output", tmp_path / "no" / "folder").code == 1
    settings.KB_INDEX_DIR = tmp_path / "elsewhere"
    assert "faultbook sync_index" in run("scan", log).err


def test_an_empty_catalog_is_told(db: None, run: Any, log: Path) -> None:
    ended = run("scan", log)
    assert ended.code == 1
    assert "The catalog is empty" in ended.err


def test_a_report_is_written_to_a_file(parcels: None, run: Any, log: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    ended = run("scan", log, "--output", target, "--force-color")
    assert (ended.code, ended.out) == (0, "")
    assert "2 known errors" in target.read_text()
    assert "\x1b" not in target.read_text()


def test_secrets_of_the_log_are_masked(parcels: None, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text("ParcelError: parcel postgres://me:hunter22@db/x weighs 31 kg, at most 30 are allowed\n")
    for form in ("text", "json", "html", "sarif", "github"):
        ended = run("scan", path, "--format", form)
        assert ended.code == 0
        assert "hunter22" not in ended.out


# -- processes and memory ----------------------------------------------------------------------------------------------


@pytest.mark.no_db_matrix  # logs are scanned by the index
def test_the_outcome_is_the_same_for_any_number_of_processes(
    parcels: None, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_STEP", 4_000)
    path = tmp_path / "app.log"
    path.write_text("".join(f"line {number}\n" + LOG for number in range(100)))
    answers = {
        processes: json.loads(run("scan", path, "--format", "json", "--processes", str(processes)).out)
        for processes in (1, 2, 3)
    }
    assert answers[1]["errors"][0]["count"] == 200
    assert answers[1]["errors"][0]["sightings"][0]["lastLine"] == 599
    assert answers[1] == answers[2] == answers[3]


@pytest.mark.no_db_matrix  # as above
def test_a_damaged_index_is_told_also_by_another_process(
    parcels: None, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.cli import scan_logs

    monkeypatch.setattr(scanning, "_STEP", 4_000)
    monkeypatch.setattr(scan_logs, "_opener", lambda _index: partial(open_index, 77, directory=tmp_path))
    path = tmp_path / "app.log"
    path.write_text(LOG * 100)
    ended = run("scan", path, "--processes", "2")
    assert ended.code == 1
    assert "revision 77" in ended.err


MEASURE = """
import io, resource, sys
from kb.catalog.answers import MatchFact
from kb.matching.index.build import build
from kb.matching.index.match_index import MatchIndex
from kb.matching.sightings import count_patterns
pattern = "parcel (.+?) weighs (.+?) kg, at most 30 are allowed"
fact = MatchFact("1" * 16, pattern, None, None, pattern, "a.py", 1, "", "a/b", None, "Python", "1" * 16, 90)
index = MatchIndex(1, build([fact]))
block = sys.stdin.buffer.read() * 2_000
left = int(sys.argv[1]) * 1024 * 1024 // len(block)
def read(size):
    global left
    left -= 1
    return block if left >= 0 else b""
piece = count_patterns(index, read)
assert piece.tallies[0].count > 1000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_log(soak: bool) -> None:
    def peak(size: int) -> int:
        ended = subprocess.run(
            [sys.executable, "-c", MEASURE, str(size)], input=LOG.encode(), capture_output=True, check=True
        )
        return int(ended.stdout)

    more, less = (64, 8) if soak else (20, 4)  # MiB
    assert peak(more) < peak(less) + 8 * 1024  # KiB


# -- formats -----------------------------------------------------------------------------------------------------------

HOSTILE = "\x1b]0;owned\x07\u202e<script>alert(1)</script>%0A::error::x,y:z\r\n[bold]"


@pytest.fixture
def hostile_log(import_records: Any, record: Any, tmp_path: Path) -> Path:
    """A log, its name and a record that try to break out of every format."""
    import_records(
        record(
            3,
            errorMessage=f"the gate {HOSTILE} cannot be opened because the guard sleeps",
            messagePattern="cannot be opened because the guard of the tower sleeps",
            errorClass="GateError",
        )
    )
    path = tmp_path / "a%,:\x1b<b>\n\u202e.log"
    path.write_text(f"GateError: {HOSTILE[:40]} cannot be opened because the guard of the tower sleeps\n")
    return path


@pytest.mark.parametrize("form", ["text", "json", "html", "sarif", "github"])
def test_no_format_lets_a_control_character_through(run: Any, hostile_log: Path, form: str) -> None:
    ended = run("scan", hostile_log, "--format", form)
    assert ended.code == 0
    assert not any(char in ended.out for char in "\x1b\x07\u202e\r")


def test_annotations_are_escaped(parcels: None, run: Any, log: Path) -> None:
    ended = run("scan", log, "--format", "github")
    first, second = ended.out.splitlines()
    assert first.startswith(f"::error file={log},line=2,title=")
    assert second.startswith(f"::warning file={log},line=5,title=")
    title = first.split(",title=", 1)[1].split("::", 1)[0]
    assert title == "ParcelError%3A parcel {number} weighs {weight} kg%2C at most 30 are allowed"
    assert "%0A" in first
    assert run("scan", "-", "--format", "github", stdin=LOG).out.startswith("::error title=")


def test_a_hostile_annotation_stays_one_command(run: Any, hostile_log: Path) -> None:
    (line,) = run("scan", hostile_log, "--format", "github").out.splitlines()
    properties, _, data = line[2:].partition("::")
    assert re.fullmatch(r"error file=[^:,]*,line=1,title=[^:,]*", properties)
    assert "%250A" in properties + data


class _Page(HTMLParser):
    """What elements and addresses a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src"}]
        assert not any(name.startswith("on") for name, _ in attrs)


def test_the_page_stands_alone_and_runs_nothing(run: Any, hostile_log: Path) -> None:
    page = _Page()
    page.feed(run("scan", hostile_log, "--format", "html").out)
    assert page.elements.isdisjoint({"script", "link", "img", "iframe", "b"})
    assert page.addresses == ["http://127.0.0.1:8000/e/0000000000000003/"]


# What SARIF 2.1.0 requires of the objects that are used (sections 3.13 to 3.49 of the standard).
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_URI = {"type": "string", "pattern": r"^[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*$"}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["uri"],
                    "properties": {"uri": _URI},
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["startLine"],
                    "properties": {"startLine": {"type": "integer", "minimum": 1}},
                },
            },
        }
    },
}
_RULE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "shortDescription": _TEXT,
        "fullDescription": _TEXT,
        "helpUri": _URI,
        "defaultConfiguration": {"type": "object", "properties": {"level": _LEVEL}, "additionalProperties": False},
        "properties": {"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True}}},
    },
}
_RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message", "ruleId"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": _LEVEL,
        "message": _TEXT,
        "locations": {"type": "array", "items": _LOCATION},
        "occurrenceCount": {"type": "integer", "minimum": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
    },
}
_DRIVER = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "version": {"type": "string"},
        "informationUri": _URI,
        "rules": {"type": "array", "uniqueItems": True, "items": _RULE},
    },
}
_RUN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool", "results"],
    "properties": {
        "tool": {"type": "object", "required": ["driver"], "properties": {"driver": _DRIVER}},
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "artifacts": {"type": "array", "uniqueItems": True},
        "results": {"type": "array", "items": _RESULT},
    },
}
SARIF = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": _URI,
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": _RUN},
    },
}


def test_sarif_has_the_shape_of_the_standard(parcels: None, run: Any, log: Path, hostile_log: Path) -> None:
    told = json.loads(run("scan", log, hostile_log, "--format", "sarif").out)
    jsonschema.validate(told, SARIF)
    (found,) = told["runs"]
    rules = found["tool"]["driver"]["rules"]
    assert len(rules) == 3
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    first = found["results"][0]
    assert (first["ruleId"], first["occurrenceCount"], first["level"]) == ("0000000000000001", 2, "error")
    assert first["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == f"file://{log}"
