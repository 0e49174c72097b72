"""An explanation made by hand, of records of the small catalog."""

from __future__ import annotations

import dataclasses

from kb.catalog import queries
from kb.matching.answers import Capture, Evidence, Explanation, FaultAnswer, Mark, Match, SecretCount
from kb.matching.shapes import Fault, Frame
from tests.web.conftest import ELSEWHERE, HEIR, LIVING

__all__ = ["explained"]


def explained(text: str, faults: int = 1) -> Explanation:
    """``faults`` errors with a record each, wrapping one without, whatever ``text`` is."""
    rows = {row.id: row for row in queries.record_rows([LIVING["id"], ELSEWHERE["id"]])}
    best = Match(
        id=LIVING["id"],
        row=rows[LIVING["id"]],
        score=0.9,
        confidence="strong",
        evidence=(Evidence(kind="class", text="class `FuelError`", weight=0.4),),
        captures=(Capture(placeholder="{tank}", name="tank", value="<i>left</i>"),),
        alike=(ELSEWHERE["id"], HEIR["id"]),
        alike_count=2,
    )
    near = dataclasses.replace(best, id=ELSEWHERE["id"], row=rows[ELSEWHERE["id"]], confidence="weak", differs="second")
    fault = Fault(
        cls="FuelError",
        message="first-stage has no fuel in <i>left</i>",
        language="Python",
        kind="raised",
        first=0,
        last=0,
        frames=(Frame(path="/srv/src/engine.py", line=12, function="burn", at=0),),
    )
    answers = [FaultAnswer(fault=fault, role="outermost", matches=(best, near))] * faults
    cause = dataclasses.replace(fault, message="why", parent=0, relation="cause")
    return Explanation(
        revision=4,
        version="",
        status="matched",
        text=text,
        faults=(*answers, FaultAnswer(fault=cause, role="root", nearest=(near,))),
        best=best,
        best_fault=0,
        masked=(SecretCount(kind="password", count=1),),
        marks=(Mark(start=0, end=3, kind="message"),),
    )
