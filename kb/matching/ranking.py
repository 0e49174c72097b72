"""The order of the candidates of one fault, how sure each is, and what is left apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.matching import tuning
from kb.matching.answers import Confidence
from kb.matching.evidence import Judged
from kb.matching.question import Question

__all__ = ["Ranked", "Ranking", "rank"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A judged record in its place; ``alike`` are those that the text cannot tell from it."""

    judged: Judged
    confidence: Confidence
    alike: tuple[Judged, ...] = ()

    @property
    def score(self) -> float:
        """The evidence as a number from 0 to 1."""
        return 1.0 / (1.0 + math.exp(-(self.judged.score - tuning.WEAK_SCORE) / 4.0))


@dataclass(frozen=True, slots=True)
class Ranking:
    """The matches of a fault, best first, and the nearest of the others."""

    matches: tuple[Ranked, ...] = ()
    nearest: tuple[Ranked, ...] = ()


def rank(question: Question, judged: Sequence[Judged], *, limit: int) -> Ranking:
    """Orders by the evidence, ties by id; records of one message that score alike become one match."""
    ordered = sorted(judged, key=lambda one: (-one.score, one.facts.id))
    groups = _groups(ordered)
    repositories = _repositories(ordered)
    ranked: list[Ranked] = []
    near: list[Ranked] = []
    for first, *others in groups:
        confidence = _confidence(question, first, repositories.get(first.facts.pattern, 1))
        one = Ranked(first, confidence or "weak", tuple(others))
        if confidence:
            ranked.append(one)
        elif first.score >= tuning.NEAREST_SCORE and not first.foreign:
            near.append(one)
    matches = _second_to_the_best(_surest_first(ranked)[:limit])
    return Ranking(tuple(matches), tuple(near[: tuning.MAX_NEAREST]))


def _groups(ordered: Sequence[Judged]) -> list[list[Judged]]:
    """Neighbors in the order that have one message, or are known duplicates, and score alike."""
    groups: dict[object, list[list[Judged]]] = {}
    found: list[list[Judged]] = []
    for one in ordered:
        key = one.facts.group if one.facts.pattern < 0 else one.facts.pattern
        for group in groups.get(key, ()):
            if group[0].score - one.score <= tuning.TIE:
                group.append(one)
                break
        else:
            group = [one]
            groups.setdefault(key, []).append(group)
            found.append(group)
    return found


def _repositories(judged: Sequence[Judged]) -> dict[int, int]:
    """How many repositories have a record with each pattern, among those judged."""
    names: dict[int, set[str]] = {}
    for one in judged:
        names.setdefault(one.facts.pattern, set()).add(one.facts.repo)
    return {pattern: len(some) for pattern, some in names.items()}


def _confidence(question: Question, one: Judged, repositories: int) -> Confidence | None:
    """How sure a record is, None when it is no match. A runtime's own message belongs to a record only at its site."""
    if one.foreign or (question.is_runtime and not one.at_site):
        return None
    if question.is_universal or one.score < tuning.WEAK_SCORE:
        return "weak" if _fits_thinly(question, one) else None
    if one.found is None:
        return _confidence_in_overlap(one)
    universal = (
        question.is_quoted or question.is_runtime or (repositories > tuning.MANY_REPOSITORIES and not one.supported)
    )
    return "weak" if universal else _confidence_in_words(one)


def _fits_thinly(question: Question, one: Judged) -> bool:
    """Whether a record with little evidence is worth a look: its message is the text itself, or is all there, though
    its words are few and usual.
    """
    if one.contradicted:
        return False
    whole = one.found is not None and not one.found.partial and one.explained >= tuning.EXPLAINED
    return one.same_message or (whole and not question.is_universal and one.information >= tuning.THIN_INFORMATION)


def _confidence_in_overlap(one: Judged) -> Confidence | None:
    """How sure a reworded record is: most of its words, its own class and its raise site are strong together. A record
    without a message of its own is sure by class and function together.
    """
    if one.unworded and one.own_class and one.at_site:
        return "strong" if one.in_function else "weak"
    if one.overlap >= tuning.STRONG_OVERLAP and one.own_class and one.at_site:
        return "strong"
    return "weak" if one.overlap >= tuning.WEAK_OVERLAP else None


def _confidence_in_words(one: Judged) -> Confidence:
    """How sure a record is whose words stand in the message; class, frames and codes alone never suffice."""
    whole = one.found is not None and not one.found.partial and one.explained >= tuning.EXPLAINED
    supported = one.supported and (one.at_site or not one.other_class)  # two classes of one package are two errors
    if whole and supported and one.information >= tuning.EXACT_INFORMATION:
        return "exact"
    if supported:
        enough = one.information >= tuning.STRONG_SUPPORTED
    else:
        enough = one.information >= tuning.STRONG_INFORMATION and not (one.contradicted or one.runs_on)
    least = tuning.SITE_EXPLAINED if one.own_class and one.at_site else tuning.STRONG_EXPLAINED
    return "strong" if enough and one.explained >= least else "weak"


_ORDER: dict[Confidence, int] = {"exact": 2, "strong": 1, "weak": 0}


def _second_to_the_best(ranked: Sequence[Ranked]) -> list[Ranked]:
    """What is clearly behind the best is weak beside it: both cannot be what was raised."""
    return [
        replace(one, confidence="weak") if one.judged.score < ranked[0].judged.score - tuning.BEHIND else one
        for one in ranked
    ]


def _surest_first(ranked: Sequence[Ranked]) -> list[Ranked]:
    """The surer first; within one confidence by score."""
    return sorted(ranked, key=lambda one: -_ORDER[one.confidence])
