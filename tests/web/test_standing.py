"""The status page says first whether it is fine, and then what it looked at."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from kb.catalog.answers import CatalogView, ReleaseView
from kb.imports.verification.report import CheckResult, VerifyReport
from kb.matching.index.revisions import MatchStatus
from kb.search.index import IndexStatus
from kb.web.standing import Check, Indexes, checks_of, verdict_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STATE = CatalogView(revision=7, version="v7", records=1200, repositories=3, families=2, datasets=1)
INDEXES = Indexes(search=IndexStatus(newest=7), searching=True, matching=MatchStatus(newest=7), explaining=True)
SOUND = VerifyReport(outcome="sound", revision=7, version="v7", started_at=NOW)
RELEASE = ReleaseView(
    id=9, dataset="starter", dataset_version="", source="", started_at=NOW, finished_at=NOW, state="published",
    revision=7, added=12, changed=0, unchanged=0, retired=0, restored=0, rejected=0, warnings=0, seconds=1.0,
    notices=(), unknown_fields=(), problem_counts={}, error="",
)  # fmt: skip


def standing(**changes: Any) -> tuple[str, str, dict[str, Check]]:
    """(level, sentence, checks by name) where everything is well but for ``changes``."""
    given: dict[str, Any] = {"state": STATE, "indexes": INDEXES, "verified": SOUND, "latest": (RELEASE,), **changes}
    checks = checks_of(given["state"], given["indexes"], given["verified"], given["latest"])
    level, sentence = verdict_of(given["state"], given["indexes"], checks)
    return level, sentence, {check.name: check for check in checks}


def indexes(**changes: Any) -> Indexes:
    return dataclasses.replace(INDEXES, **changes)


def ended(state: str) -> tuple[ReleaseView, ...]:
    return (dataclasses.replace(RELEASE, state=state),)


def test_all_is_well() -> None:
    level, sentence, checks = standing()
    assert (level, sentence) == ("fine", "Everything works.")
    assert {check.level for check in checks.values()} == {"fine"}
    assert checks["Catalog"].text == "1,200 records at revision 7."
    assert checks["Last import"].text == "starter: 12 added."


@pytest.mark.parametrize(
    ("changes", "name", "level", "says"),
    [
        ({"indexes": indexes(searching=False)}, "Search", "error", "search does not follow"),
        ({"indexes": indexes(explaining=False)}, "Explanations", "error", "explanations do not follow"),
        (
            {"indexes": indexes(searching=False, explaining=False, search=IndexStatus(newest=7, problem="damaged"))},
            "Search",
            "error",
            "search and explanations do not follow",
        ),
        (
            {"verified": VerifyReport(started_at=NOW, checks=[CheckResult(name="records", found=2)])},
            "Verification",
            "error",
            "not what it should be",
        ),
        ({"verified": VerifyReport(started_at=NOW, error="stopped")}, "Verification", "warning", "wants to be looked"),
        ({"latest": ended("failed")}, "Last import", "warning", "wants to be looked"),
        ({"latest": ended("held")}, "Last import", "warning", "wants to be looked"),
        ({"latest": ended("running")}, "Last import", "quiet", "Everything works."),
        ({"latest": ended("canceled")}, "Last import", "quiet", "Everything works."),
        ({"verified": None}, "Verification", "quiet", "Everything works."),
        (
            {"verified": VerifyReport(outcome="sound", revision=6, started_at=NOW)},
            "Verification",
            "quiet",
            "Everything",
        ),
    ],
)
def test_what_is_not_well_is_named_and_decides(changes: dict[str, Any], name: str, level: str, says: str) -> None:
    whole, sentence, checks = standing(**changes)
    assert checks[name].level == level
    assert says in sentence
    assert whole == (level if level in {"error", "warning"} else "fine")


def test_an_empty_catalog_is_neither(get_empty: Callable[..., Any]) -> None:
    text = get_empty("/status/").text_body
    assert "Nothing has been imported yet." in text
    assert "level-error" not in text


def test_the_page_says_it_in_its_heading(get: Callable[..., Any], monkeypatch: Any) -> None:
    monkeypatch.setattr("kb.web.views.site.last_verification", lambda: None)  # others verify in this directory
    text = get("/status/").text_body
    heading = text.partition("<h1")[2].partition("</h1>")[0]
    assert "Everything works." in heading
    assert text.index("</h1>") < text.index("Not verified here yet.") < text.index("Published")
    assert "Records over revisions" in text


def test_a_missing_index_is_told(get: Callable[..., Any], settings: Any, tmp_path: Any) -> None:
    settings.KB_INDEX_DIR = tmp_path
    text = get("/status/").text_body
    assert "Pages work; search and explanations do not follow the newest revision." in text
    assert text.count("It has no index here.") == 2
