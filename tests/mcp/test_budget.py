"""Answers stay within their number of tokens, whatever the records hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.mcp.budget import DEFAULT_TOKENS, LEAST_TOKENS, largest, shortened, tokens_of

Call = Callable[..., Any]


def _cost(told: Any) -> int:
    """Both forms of an answer together."""
    return tokens_of(told.text) + tokens_of(json.dumps(told.content, ensure_ascii=False, separators=(",", ":")))


# --- the estimate, and cutting ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abc", 1), ("abcd", 2), ("the connection", 5), ("1234", 2), ("{}[]", 2), ("語", 2), ("😀", 2)],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens_of(text.encode()) == tokens


@given(st.text(max_size=400), st.integers(0, 80))
def test_a_cut_text_fits_and_begins_as_the_whole_does(text: str, tokens: int) -> None:
    cut = shortened(text, tokens)
    assert tokens_of(cut) <= tokens
    if cut != text.strip():
        assert not cut or cut.endswith(" […]")
        assert text.strip().startswith(cut.removesuffix(" […]"))
        assert tokens_of(text.strip()) > tokens


def test_a_text_is_cut_between_lines_or_words() -> None:
    assert shortened("one two three four five six seven", 10) == "one two three four […]"
    assert shortened("first line of code\nsecond\nthird", 10) == "first line of code […]"


@given(st.integers(0, 300), st.integers(0, 400))
def test_the_largest_that_fits_is_found(top: int, budget: int) -> None:
    found = largest(top, lambda number: number, cost=lambda number: number + 5, budget=budget)
    assert found == max(0, min(top, budget - 5))


# --- records of any size ----------------------------------------------------------------------------------------------

WIDE = {
    "words": "the quick brown fox jumps over the lazy dog. ",
    "code": "if (x[i] != NULL) { return -1; }\n",
    "chinese": "错误信息连接超时。",
    "emoji": "🧨💥",
    "digits": "0123456789",
}


@pytest.fixture
def huge(record: Callable[..., dict[str, Any]], import_records: Call) -> list[str]:
    """Ids of records as large as the contract allows, all with the same message, a few kinds of text."""
    rows = []
    for number, text in enumerate(WIDE.values(), 1):
        long = (text * 2_000)[:9_000]
        rows.append(
            record(
                number,
                errorMessage=f"huge trouble {(text * 50)[:600]}",
                messagePattern="huge trouble",
                errorClass=(text * 20)[:120].strip(),
                errorCode=(text * 20)[:60].strip(),
                filePath="/".join(["deep" * 8] * 20) + ".py",
                documentation=long,
                triggerScenarios=long,
                commonSituations=long,
                solutions=[long[:4_000]] * 8,
                preventionTips=[long[:2_000]] * 8,
                exampleFix=long[:2_000],
                sourceCode="\n".join([text.strip()[:100]] * 40),
                tryCatchPattern=long[:2_000],
                validationCode=long[:2_000],
            )
        )
    import_records(*rows)
    return [row["id"] for row in rows]


def test_answers_about_the_largest_records_fit(huge: list[str], call: Call) -> None:
    for budget in (LEAST_TOKENS, 900, DEFAULT_TOKENS, 6_000):
        _check_answers(huge, call, budget)


def _check_answers(huge: list[str], call: Call, budget: int) -> None:
    pasted = "\n".join(f"SomeError: huge trouble {(text * 50)[:600]}" for text in WIDE.values())
    told = [call("get_error", reference=one, max_tokens=budget) for one in huge]
    told += [call("get_error", reference=one, max_tokens=budget, sections=["source_code", "solutions"]) for one in huge]
    told += [call("explain_error", text=line, max_tokens=budget) for line in pasted.splitlines()]
    told += [
        call("explain_error", text=pasted, max_tokens=budget, limit=10),
        call("search_errors", query="huge trouble", limit=50, max_tokens=budget),
        call("search_errors", query="repo:acme/parcels", limit=50, max_tokens=budget),
        call("list_repositories", max_tokens=budget),
        call("what_changed", limit=100, max_tokens=budget),
    ]
    for answer in told:
        assert not answer.failed, answer.text
        assert _cost(answer) <= budget, answer.text
    filled = [_cost(answer) for answer in told[:5]]
    assert min(filled) > budget * 0.6, "what room there is is used"


def test_the_default_is_under_two_thousand_tokens_and_more_must_be_asked_for(huge: list[str], call: Call) -> None:
    default = call("get_error", reference=huge[0])
    assert _cost(default) < 2_000
    assert default.content["leftOut"]
    assert "larger max_tokens" in default.text
    assert _cost(call("get_error", reference=huge[0], max_tokens=20_000)) > 10_000


def test_the_hostile_record_fits_at_any_budget(import_sources: Call, project_root: Any, call: Call) -> None:
    path = project_root / "fixtures/datasets/hostile/hostile.json"
    row = json.loads(path.read_text())
    import_sources(path, dataset="hostile")
    for budget in range(LEAST_TOKENS, 4_000, 500):
        for told in (
            call("get_error", reference=row["id"], max_tokens=budget),
            call("get_error", reference=row["id"], max_tokens=budget, sections=["validation_code", "provenance"]),
            call("explain_error", text=row["errorMessage"], max_tokens=budget),
        ):
            assert not told.failed
            assert _cost(told) <= budget


@pytest.mark.parametrize("tool", ["search_errors", "list_repositories", "what_changed"])
def test_pages_that_a_budget_cuts_leave_nothing_out(
    record: Callable[..., dict[str, Any]], import_records: Call, call: Call, tool: str
) -> None:
    rows = [record(number, repo=f"acme/parcels-{number:02}") for number in range(1, 31)]
    import_records(*rows)
    arguments: dict[str, Any] = {"limit": 30, "max_tokens": 700} | (
        {"query": "lost"} if tool == "search_errors" else {}
    )
    name = {"search_errors": "results", "list_repositories": "repositories", "what_changed": "changes"}[tool]
    found: list[str] = []
    pages, cursor = 0, None
    while True:
        told = call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        assert _cost(told) <= 700
        found += [row["repo"] for row in told.content[name]]
        pages, cursor = pages + 1, told.content.get("next")
        if cursor is None:
            break
        assert f"cursor={cursor}" in told.text
    assert pages > 1
    assert sorted(found) == sorted(row["repo"] for row in rows)
