"""The explanation of a text: what went wrong in it, and which records say so.

A function of the text, the context and the revision alone. Nothing of the text is kept, logged or written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kb.catalog import queries
from kb.catalog.answers import CatalogView, RecordRow
from kb.matching import tuning
from kb.matching.answers import Context, Evidence, Explanation, FaultAnswer, Mark, Match, Role, SecretCount
from kb.matching.candidates import Candidate, candidates
from kb.matching.captures import captures
from kb.matching.evidence import judge
from kb.matching.hiding import Hiding
from kb.matching.index.match_index import MatchIndex
from kb.matching.index.open import current_index
from kb.matching.marks import marks
from kb.matching.nearby import nearby
from kb.matching.paths import agreement
from kb.matching.question import Question
from kb.matching.ranking import Ranked, Ranking, rank
from kb.matching.reading.document import read
from kb.matching.reading.secrets import Masked, mask
from kb.matching.shapes import Document, Fault, Frame
from kb.matching.traces.parse import parse_last

__all__ = ["explain", "explain_many"]

_DEFAULT: Context = Context()
_SURE = frozenset(("exact", "strong"))
_CHAINED = frozenset(("cause", "context", "wrapped", "member"))


def explain(text: str, *, limit: int = 5, context: Context = _DEFAULT) -> Explanation:
    """Explains one text. At most ``limit`` matches a fault. Three queries inside a snapshot of the caller's or its own.

    Raises :class:`kb.search.errors.SearchUnavailable` when there is no index to look into.
    """
    return explain_many([text], limit=limit, context=context)[0]


def explain_many(texts: Sequence[str], *, limit: int = 5, context: Context = _DEFAULT) -> tuple[Explanation, ...]:
    """Explains each text for itself; as many queries as for one."""
    state = queries.state()
    index = current_index(state.revision) if state.revision else None
    found = [_find(text, index, limit=limit, context=context) for text in texts]
    rows = _rows(one for some in found for one in some.shown())
    return tuple(_explanation(one, rows, state) for one in found)


@dataclass(frozen=True, slots=True)
class _Found:
    """What one text holds and what was found for it."""

    document: Document
    faults: tuple[Fault, ...]
    questions: tuple[Question, ...]
    rankings: tuple[Ranking, ...]

    def shown(self) -> Iterable[Ranked]:
        """Every match that will be shown."""
        return (one for ranking in self.rankings for one in (*ranking.matches, *ranking.nearest))


def _find(text: str, index: MatchIndex | None, *, limit: int, context: Context) -> _Found:
    document = read(text)
    faults = _chosen(parse_last(document.lines, tuning.MAX_FAULTS))
    questions = tuple(_question(fault, faults, context) for fault in faults)
    rankings = [_rank(index, question, limit) if index else Ranking() for question in questions]
    if index:
        _look_nearby(index, questions, rankings, limit)
    return _without_prose(_Found(document, faults, questions, tuple(rankings)))


def _chosen(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Not more than ``MAX_FAULTS``: prose goes first, then the earliest, since a log ends with what stopped it."""
    if len(faults) <= tuning.MAX_FAULTS:
        return tuple(faults)
    told = [number for number, fault in enumerate(faults) if fault.kind != "line"] or list(range(len(faults)))
    return _kept(faults, told[-tuning.MAX_FAULTS :])


def _kept(faults: Sequence[Fault], numbers: Sequence[int]) -> tuple[Fault, ...]:
    """Some of the faults; one whose wrapper is not among them has none."""
    places = {number: place for place, number in enumerate(numbers)}
    return tuple(
        replace(faults[number], parent=places[parent])
        if (parent := faults[number].parent) in places
        else replace(faults[number], parent=None, relation="")
        for number in numbers
    )


def _without_prose(found: _Found) -> _Found:
    """Lines around an error that are none themselves are not told, when there is an error."""
    faults = found.faults
    parents = {fault.parent for fault in faults}
    kept = [
        number
        for number, fault in enumerate(faults)
        if fault.kind != "line" or found.rankings[number].matches or number in parents
    ]
    if len(kept) == len(faults) or all(faults[number].kind == "line" for number in kept):
        return found
    return _Found(
        found.document,
        _kept(faults, kept),
        tuple(found.questions[number] for number in kept),
        tuple(found.rankings[number] for number in kept),
    )


def _question(fault: Fault, faults: Sequence[Fault], context: Context) -> Question:
    """A fault without frames stands where its wrapper was raised from."""
    around: tuple[Frame, ...] = ()
    languages = {fault.language} if fault.language else set(context.languages)
    parent, steps = fault.parent, 0
    while not fault.frames and not around and parent is not None and steps < len(faults):
        around, parent, steps = faults[parent].frames, faults[parent].parent, steps + 1
    if not languages:
        languages = {other.language for other in faults if other.language}
    return Question(fault, context, frozenset(languages), around)


def _rank(index: MatchIndex, question: Question, limit: int) -> Ranking:
    judged = [judge(index, question, candidate) for candidate in candidates(index, question)]
    return rank(question, judged, limit=limit)


def _look_nearby(index: MatchIndex, questions: Sequence[Question], rankings: list[Ranking], limit: int) -> None:
    """Asks for the words of the first faults for which nothing was found, when nothing was found for any."""
    if any(ranking.matches for ranking in rankings):
        return
    for number, question in enumerate(questions[: tuning.NEARBY_FAULTS]):
        found = [Candidate(index.facts(row), None) for row in nearby(index, question)]
        found += [Candidate(one.judged.facts, one.judged.found) for one in rankings[number].nearest]
        distinct = {candidate.facts.id: candidate for candidate in found}
        judged = [judge(index, question, candidate) for candidate in distinct.values()]
        rankings[number] = rank(question, judged, limit=limit)


def _rows(ranked: Iterable[Ranked]) -> dict[str, RecordRow]:
    ids = sorted({one.judged.facts.id for one in ranked})
    rows: dict[str, RecordRow] = {}
    for start in range(0, len(ids), 500):
        rows.update((row.id, row) for row in queries.record_rows(ids[start : start + 500]))
    return rows


def _explanation(found: _Found, rows: dict[str, RecordRow], state: CatalogView) -> Explanation:
    masked = mask(found.document.original)
    hiding = Hiding(found.document.original, masked)
    answers = tuple(
        FaultAnswer(
            fault=hiding.fault(fault, question.masked.text if fault.message else ""),
            role=_role(number, found.faults),
            matches=_matches(question, ranking.matches, rows, hiding),
            nearest=_matches(question, ranking.nearest, rows, hiding),
        )
        for number, (fault, question, ranking) in enumerate(
            zip(found.faults, found.questions, found.rankings, strict=True)
        )
    )
    best = _best(answers)
    return Explanation(
        revision=state.revision,
        version=state.version,
        status="matched" if best is not None else "none" if answers else "empty",
        text=masked.text,
        faults=answers,
        best=answers[best].matches[0] if best is not None else None,
        best_fault=best,
        masked=tuple(SecretCount(kind=kind, count=count) for kind, count in masked.counts),
        marks=_marks(found, answers, masked),
        layouts=found.document.layouts,
    )


def _matches(
    question: Question, ranked: Sequence[Ranked], rows: dict[str, RecordRow], hiding: Hiding
) -> tuple[Match, ...]:
    matches: list[Match] = []
    for one in ranked:
        row = rows.get(one.judged.facts.id)
        if row is not None:  # it left the catalog since the index that answers was made
            match = _match(question, one, row, matches[0].row if matches else None)
            matches.append(replace(match, captures=tuple(map(hiding.capture, match.captures))))
    return tuple(matches)


def _match(question: Question, one: Ranked, row: RecordRow, best: RecordRow | None) -> Match:
    judged = one.judged
    found = judged.found
    return Match(
        id=row.id,
        row=row,
        score=round(one.score, 4),
        confidence=one.confidence,
        evidence=_told(judged.evidence),
        captures=captures(row.error_message, question.masked, found.gaps) if found else (),
        strict=found is not None and found.strict,
        alike=tuple(other.facts.id for other in one.alike[: tuning.MAX_ALIKE]),
        alike_count=len(one.alike),
        differs=_differing(row, best) if best else "",
    )


def _told(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The pieces that matter, the heaviest first."""
    weighty = [piece for piece in evidence if abs(piece.weight) >= tuning.SHOWN]
    return tuple(sorted(weighty, key=lambda piece: -piece.weight))


def _differing(row: RecordRow, best: RecordRow) -> str:
    """The words of a message that the best match's message lacks."""
    known = set(best.error_message.split())
    return " ".join(word for word in row.error_message.split()[:60] if word not in known)


def _role(number: int, faults: Sequence[Fault]) -> Role:
    """Where a fault stands in its chain: the root is wrapped by others and wraps none, the outermost the reverse."""
    wraps = any(fault.parent == number and fault.relation in _CHAINED for fault in faults)
    wrapped = faults[number].parent is not None and faults[number].relation in _CHAINED
    if wraps and wrapped:
        return "middle"
    return "outermost" if wraps else "root" if wrapped else "only"


def _best(answers: Sequence[FaultAnswer]) -> int | None:
    """The fault whose match answers the text: the surest; a wrapper never before a sure match of what it wraps."""
    order = sorted(
        (number for number, answer in enumerate(answers) if answer.matches),
        key=lambda number: (
            answers[number].confidence not in _SURE,
            _depth_below(number, answers),
            answers[number].confidence != "exact",
            -answers[number].matches[0].score,
            number,
        ),
    )
    return order[0] if order else None


def _depth_below(number: int, answers: Sequence[FaultAnswer]) -> bool:
    """Whether a fault below this one in its chain has a sure match."""
    for other in range(len(answers)):
        parent, steps = answers[other].fault.parent, 0
        while parent is not None and steps < len(answers):
            if parent == number and answers[other].confidence in _SURE:
                return True
            parent, steps = answers[parent].fault.parent, steps + 1
    return False


def _marks(found: _Found, answers: Sequence[FaultAnswer], masked: Masked) -> tuple[Mark, ...]:
    matched = []
    for number, (fault, question, answer) in enumerate(zip(found.faults, found.questions, answers, strict=True)):
        if not answer.matches:
            continue
        path = answer.matches[0].row.file_path
        agreed = [
            frame.at
            for frame, place in zip(question.frames, question.places, strict=True)
            if agreement(place, path) > 0.5  # noqa: PLR2004  the same file
        ]
        matched.append((number, fault, agreed[:3]))
    return marks(found.document, masked, matched)
