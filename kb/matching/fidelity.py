"""Whether every record is found by its own message.

Each record's message is filled with plausible values and explained like a text that somebody pasted. The record, or one
that no text could tell from it, has to be the best match. What is not found is told with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from kb.catalog import queries
from kb.catalog.answers import MatchFact
from kb.matching import tuning
from kb.matching.answers import Explanation, Match
from kb.matching.engine import explain_many
from kb.matching.filling import filled_message, literal_characters, own_text
from kb.matching.index.match_index import MatchIndex
from kb.matching.index.open import current_index
from kb.matching.index.segments import FEWEST_LITERALS
from kb.matching.reading.folding import fold
from kb.matching.runtime import is_runtime_message

__all__ = ["REASONS", "Checked", "Outcome", "Reason", "Report", "Tally", "check", "report"]

Outcome = Literal["first", "tied", "missed"]
Reason = Literal["few_literals", "pattern_misses", "universal", "outranked", "unsure", "not_found"]

REASONS: Final[dict[Reason, str]] = {
    "few_literals": f"fewer than {FEWEST_LITERALS} literal characters",
    "pattern_misses": "its pattern does not match its own message",
    "universal": "its message is one of runtimes and systems, which belongs to no record without a frame",
    "outranked": "another record comes first",
    "unsure": "it is among the near misses, the evidence of its text being too thin",
    "not_found": "nothing was found",
}
_BATCH: Final = 50
_LIMIT: Final = 20
_KEPT: Final = 1_000  # missed records that a report lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The outcome of one record. ``first`` is the id of the best match, ``same_pattern`` how many others share its
    pattern; ``weighty`` says that its message has enough literal characters to be found, ``universal`` that it is one
    that runtimes and systems print.
    """

    id: str
    repo: str
    message: str
    outcome: Outcome
    weighty: bool
    universal: bool = False
    reason: Reason | None = None
    first: str = ""
    same_pattern: int = 0

    @property
    def why(self) -> str:
        """The reason of a miss in words."""
        if self.reason is None:
            return ""
        words = f"{REASONS[self.reason]} ({self.first})" if self.first else REASONS[self.reason]
        return f"{words}; its pattern is that of {self.same_pattern} more" if self.same_pattern else words


@dataclass(slots=True)
class Tally:
    """Counts of outcomes.

    ``weighty`` are the records with enough literal characters, ``universal`` those of them whose message is one of
    runtimes and systems; ``weighty_missed`` and ``universal_missed`` are the misses among them.
    """

    first: int = 0
    tied: int = 0
    missed: int = 0
    weighty: int = 0
    weighty_missed: int = 0
    universal: int = 0
    universal_missed: int = 0

    @property
    def checked(self) -> int:
        """All of them."""
        return self.first + self.tied + self.missed

    @property
    def own_missed(self) -> int:
        """The misses among the weighty records with a message of their own: those that should have been found."""
        return self.weighty_missed - self.universal_missed

    @property
    def share(self) -> float:
        """The share of the weighty records with a message of their own that are first or tied; 1 without any."""
        own = self.weighty - self.universal
        return 1 - self.own_missed / own if own else 1.0

    @property
    def share_of_all(self) -> float:
        """The same with universal messages, which without a frame belong to nobody."""
        return 1 - self.weighty_missed / self.weighty if self.weighty else 1.0

    def add(self, row: Checked) -> None:
        """Count one more."""
        setattr(self, row.outcome, getattr(self, row.outcome) + 1)
        missed = row.outcome == "missed"
        self.weighty += row.weighty
        self.weighty_missed += row.weighty and missed
        self.universal += row.weighty and row.universal
        self.universal_missed += row.weighty and row.universal and missed


@dataclass(slots=True)
class Report:
    """What a check found: in all, by repository, by reason, and the first thousand that were missed."""

    total: Tally = field(default_factory=Tally)
    repositories: dict[str, Tally] = field(default_factory=dict)
    reasons: Counter[Reason] = field(default_factory=Counter)
    missed: list[Checked] = field(default_factory=list)


def report(checked: Iterable[Checked]) -> Report:
    """The report of a check. Its size grows with the repositories, not with the records."""
    found = Report()
    for row in checked:
        found.total.add(row)
        found.repositories.setdefault(row.repo, Tally()).add(row)
        if row.reason is not None:
            found.reasons[row.reason] += 1
            if len(found.missed) < _KEPT:
                found.missed.append(row)
    return found


def check(ids: Sequence[str] | None = None, *, sample: int | None = None) -> Iterator[Checked]:
    """Checks every current record, or those among ``ids``, in the order of ids; at most ``sample`` of them.

    Ids are digests, so the first of them are a fair sample. Raises :class:`kb.search.errors.SearchUnavailable`.
    """
    facts = islice(queries.iter_match_facts(ids), sample)
    while batch := list(islice(facts, _BATCH)):
        with queries.snapshot() as state:
            index = current_index(state.revision)
            texts = [own_text(row.message, row.cls, row.language) for row in batch]
            for row, explanation in zip(batch, explain_many(texts, limit=_LIMIT), strict=True):
                yield _checked(row, explanation, index)


def _checked(row: MatchFact, explanation: Explanation, index: MatchIndex) -> Checked:
    best = explanation.best
    outcome = _outcome(row, best, index)
    others = 0
    reason: Reason | None = None
    if outcome == "missed":
        reason = _reason(row, explanation, index)
        others = _others(row, index)
    return Checked(
        id=row.id,
        repo=row.repo,
        message=row.message,
        outcome=outcome,
        weighty=literal_characters(row.message) >= FEWEST_LITERALS,
        universal=is_runtime_message(filled_message(row.message)),
        reason=reason,
        first=best.id if best is not None and outcome == "missed" else "",
        same_pattern=others,
    )


def _outcome(row: MatchFact, best: Match | None, index: MatchIndex) -> Outcome:
    if best is None:
        return "missed"
    if best.id == row.id:
        return "first"
    if row.id in best.alike or _group(best.id, index) == row.group:
        return "tied"
    same_class = _last(best.row.error_class) == _last(row.cls)
    return "tied" if same_class and _same_text(best.row.error_message, row.message) else "missed"


def _group(record_id: str, index: MatchIndex) -> str:
    return next((index.facts(int(place)).group for place in index.by_id(record_id)), record_id)


def _last(cls: str | None) -> str:
    """The last part of the name of a class, whatever its case."""
    return (cls or "").replace("::", ".").rpartition(".")[2].lower()


def _same_text(one: str, other: str) -> bool:
    """Whether two messages come out the same, so that no text can tell them apart."""
    return one == other or fold(filled_message(one)) == fold(filled_message(other))


def _reason(row: MatchFact, explanation: Explanation, index: MatchIndex) -> Reason:
    places = [int(place) for place in index.by_id(row.id)]
    pattern = index.facts(places[0]).pattern if places else -1
    if literal_characters(row.message) < FEWEST_LITERALS or pattern < 0:
        return "few_literals"
    text = own_text(row.message, row.cls, row.language)[: tuning.MAX_TEXT]
    if all(found.pattern != pattern for found in index.find(text)):
        compiled = index.compiled(pattern)
        return "few_literals" if compiled.is_small else "pattern_misses"
    if explanation.best is not None:
        return "outranked"
    if is_runtime_message(filled_message(row.message)):
        return "universal"
    near = {record_id for answer in explanation.faults for match in answer.nearest for record_id in _all(match)}
    return "unsure" if row.id in near else "not_found"


def _all(match: Match) -> tuple[str, ...]:
    return match.id, *match.alike


def _others(row: MatchFact, index: MatchIndex) -> int:
    """How many other records have its pattern."""
    for place in index.by_id(row.id):
        pattern = index.facts(int(place)).pattern
        return len(index.rows_of(pattern)) - 1 if pattern >= 0 else 0
    return 0
