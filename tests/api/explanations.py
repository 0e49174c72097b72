"""Explanations made by hand, from rows of the test catalog, in the place of the engine's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kb.catalog import queries
from kb.matching.answers import Capture, Context, Evidence, Explanation, FaultAnswer, Match, SecretCount
from kb.matching.shapes import Fault, Frame

__all__ = ["FakeEngine", "explanation", "match"]

SEED_ID = "12c38bb1afed0ec1"


def match(record_id: str = SEED_ID, **more: Any) -> Match:
    """A match of a record that the catalog has."""
    (row,) = queries.record_rows([record_id])
    fields: dict[str, Any] = {
        "score": 0.87,
        "confidence": "exact",
        "evidence": (Evidence(kind="message", text="the message fits with `tank` = 7", weight=0.6),),
        "captures": (Capture(placeholder="{tank}", name="tank", value="7"),),
        "strict": True,
        "alike": ("0123456789abcdef",),
        "alike_count": 1,
        "differs": "no",
    }
    return Match(id=record_id, row=row, **fields | more)


def explanation(*ids: str, nearest: Sequence[str] = ()) -> Explanation:
    """What a text with a cause and its wrapper was found to be; the cause has matches with these ids."""
    state = queries.state()
    frame = Frame(path="src/engine.py", line=7, function="start", at=1)
    cause = Fault(
        cls="FuelError", message="no fuel", language="Python", kind="raised", first=0, last=1, frames=(frame,)
    )
    cause_answer = FaultAnswer(
        fault=cause,
        role="root",
        matches=tuple(map(match, ids)),
        nearest=tuple(match(one, confidence="weak") for one in nearest),
    )
    wrapper = Fault(cls="", message="", language="", kind="line", first=3, last=3)
    return Explanation(
        revision=state.revision,
        version=state.version,
        status="matched" if ids else "none",
        text="",
        faults=(cause_answer, FaultAnswer(fault=wrapper, role="outermost")),
        best=cause_answer.matches[0] if ids else None,
        best_fault=0 if ids else None,
        masked=(SecretCount(kind="password", count=2),),
    )


class FakeEngine:
    """Takes the place of ``explain_many``: keeps what it was asked, answers ``found`` or fails."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.context = Context()
        self.limit = 0
        self.ids: tuple[str, ...] = (SEED_ID,)
        self.nearest: tuple[str, ...] = ()
        self.failure: Exception | None = None

    def explain_many(self, texts: Sequence[str], *, limit: int, context: Context) -> tuple[Explanation, ...]:
        """One explanation a text: empty for an empty text, else a match of every id."""
        self.texts, self.limit, self.context = list(texts), limit, context
        if self.failure:
            raise self.failure
        return tuple(self._explained(text) for text in texts)

    def _explained(self, text: str) -> Explanation:
        state = queries.state()
        if not text:
            return Explanation(revision=state.revision, version=state.version, status="empty", text="")
        return explanation(*self.ids, nearest=self.nearest)
