"""The cases do not get worse: judged on the records near them (``make accuracy`` judges them on the whole set)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks.case_scores import CASES, Scores, read_cases, score
from kb.imports.options import ImportOptions
from kb.imports.pipeline import run_import

pytestmark = pytest.mark.no_db_matrix

_FILLED = {
    "errorType": "exception",
    "severity": "error",
    "httpStatus": None,
    "sourceCode": None,
    "sourceCodeStart": None,
    "sourceCodeEnd": None,
    "documentation": "One of the records near the cases.",
    "triggerScenarios": "Its condition holds.",
    "commonSituations": "Its function is called with such values.",
    "solutions": [],
    "exampleFix": None,
    "handlingStrategy": None,
    "validationCode": None,
    "typeGuard": None,
    "tryCatchPattern": None,
    "preventionTips": [],
    "tags": [],
    "backgroundTag": None,
    "analyzedAt": "2026-08-01T00:00:00.000Z",
    "schemaVersion": 2,
}


def _record(facts: dict[str, object]) -> dict[str, object]:
    sha = hashlib.sha1(str(facts["repo"]).encode(), usedforsecurity=False).hexdigest()
    url = f"https://github.com/{facts['repo']}/blob/{sha}/{facts['filePath']}"
    return _FILLED | facts | {"slug": f"r-{facts['id']}", "analyzedSha": sha, "githubUrl": url}


@pytest.fixture
def scores(db: None, tmp_path: Path, client) -> Scores:
    lines = (CASES / "extract.jsonl").read_text(encoding="utf-8").splitlines()
    source = tmp_path / "extract.jsonl"
    source.write_text("".join(json.dumps(_record(json.loads(line))) + "\n" for line in lines), encoding="utf-8")
    report = run_import([source], ImportOptions(dataset="cases"))
    assert (report.outcome, report.rejected, report.added) == ("published", 0, len(lines))

    def ask(text: str):
        answer = client.post("/api/v1/match/", {"text": text, "detail": "ids", "limit": 20}, "application/json")
        assert answer.status_code == 200
        return answer.json()["results"][0]

    return score(read_cases(), ask)


def test_the_handed_cases_stay_right(scores: Scores) -> None:
    wrong = [(o.case.case, o.best, o.confidence) for o in scores.outcomes if not o.is_first]
    assert scores.first >= 39, wrong
    assert scores.among_five == 40, wrong
    assert scores.false_positives == 0, wrong
    right, sure = scores.sure
    assert right >= 0.97 * sure >= 0.97 * 30
