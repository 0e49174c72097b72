"""How the cases in ``fixtures/cases/`` are scored; the same for ``make accuracy`` and for the tests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["CASES", "Case", "Outcome", "Scores", "read_cases", "score"]

CASES = Path(__file__).resolve().parent.parent / "fixtures" / "cases"
_SURE = frozenset(("exact", "strong"))


@dataclass(frozen=True)
class Case:
    """A pasted text and the ids that are right for it; none when no record is."""

    case: str
    kind: str
    text: str
    expected: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What was answered to a case: the best id, how sure, and the first five distinct ids."""

    case: Case
    best: str | None
    confidence: str | None
    first_five: tuple[str, ...]

    @property
    def is_first(self) -> bool:
        """Whether the best is right; for a case without a record, whether no sure answer was given."""
        return self.best in self.case.expected if self.case.expected else self.confidence not in _SURE

    @property
    def is_among_five(self) -> bool:
        """Whether a right id is among the first five."""
        return bool(set(self.first_five) & set(self.case.expected))


@dataclass
class Scores:
    """The outcomes, counted."""

    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def with_record(self) -> list[Outcome]:
        """Those of cases that have a record."""
        return [outcome for outcome in self.outcomes if outcome.case.expected]

    @property
    def without_record(self) -> list[Outcome]:
        """Those of cases that have none."""
        return [outcome for outcome in self.outcomes if not outcome.case.expected]

    @property
    def first(self) -> int:
        """Cases whose record came first."""
        return sum(outcome.is_first for outcome in self.with_record)

    @property
    def among_five(self) -> int:
        """Cases whose record was among the first five."""
        return sum(outcome.is_among_five for outcome in self.with_record)

    @property
    def false_positives(self) -> int:
        """Cases without a record that were answered as sure."""
        return sum(not outcome.is_first for outcome in self.without_record)

    @property
    def sure(self) -> tuple[int, int]:
        """How many sure answers are right, and how many there are."""
        sure = [outcome for outcome in self.outcomes if outcome.confidence in _SURE]
        return sum(outcome.best in outcome.case.expected for outcome in sure), len(sure)

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """For each kind of text, how many were answered rightly and how many there are."""
        right = Counter(outcome.case.kind for outcome in self.outcomes if outcome.is_first)
        return {kind: (right[kind], count) for kind, count in Counter(o.case.kind for o in self.outcomes).items()}


def read_cases(path: Path = CASES / "handed.jsonl") -> list[Case]:
    """The cases of a file, one a line."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Case(row["case"], row["kind"], row["text"], tuple(row["expected"])) for row in rows]


def score(cases: Iterable[Case], ask: Callable[[str], dict[str, Any]]) -> Scores:
    """Asks for each case; ``ask`` gives one result of ``POST /api/v1/match/`` for a text."""
    return Scores([_outcome(case, ask(case.text)) for case in cases])


def _outcome(case: Case, result: dict[str, Any]) -> Outcome:
    best = result["best"] or {}
    matches = [match for exception in result["exceptions"] for match in exception["matches"]]
    ids = [best.get("id"), *(match["id"] for match in sorted(matches, key=lambda match: -match["score"]))]
    return Outcome(case, best.get("id"), best.get("confidence"), _first_five(ids))


def _first_five(ids: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in ids if one))[:5]
