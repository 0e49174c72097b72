"""Explanations made by hand, to render: a chain of two errors, one without a record, one record found twice."""

from __future__ import annotations

from typing import Any

from kb.catalog.answers import RecordView
from kb.matching.answers import Capture, Evidence, Explanation, FaultAnswer, Mark, Match, SecretCount
from kb.matching.shapes import Fault, Frame

TEXT = "MetaError: metadata of <b>r1</b> not ready after 250 ms\n  at w.py:1280\nOuter: ‹password›"


def fault(cls: str = "MetaError", message: str = "metadata of r1 not ready after 250 ms", **fields: Any) -> Fault:
    given = {"language": "Python", "kind": "raised", "first": 0, "last": 0, **fields}
    return Fault(cls=cls, message=message, **given)


def match(view: RecordView, **fields: Any) -> Match:
    given = {
        "id": view.record.id,
        "row": view.row,
        "score": 0.93,
        "confidence": "exact",
        "evidence": (
            Evidence(kind="message", text="the whole message fits", weight=0.5),
            Evidence(kind="class", text="class `MetaError`", weight=0.2),
            Evidence(kind="frame", text="raised in `python/worker/encode runtime.py` as in frame 2", weight=0.2),
            Evidence(kind="language", text="another class, `Error`", weight=-0.1),
        ),
        "captures": (
            Capture(placeholder="{req_id}", name="req_id", value="<b>r1</b>"),
            Capture(placeholder="%d", name="", value="250"),
        ),
        **fields,
    }
    return Match(**given)


FRAMES = (
    Frame(path="/app/main.py", line=3, function="main", at=1),
    Frame(path="/usr/lib/python/worker/encode runtime.py", line=1279, function="work", at=2),
)


def explanation(*faults: FaultAnswer, **fields: Any) -> Explanation:
    best = next((number for number, answer in enumerate(faults) if answer.matches), None)
    given = {
        "revision": 4,
        "version": "2026-09-02T00:00:00Z",
        "status": "matched" if best is not None else "none" if faults else "empty",
        "text": TEXT,
        "faults": faults,
        "best": faults[best].matches[0] if best is not None else None,
        "best_fault": best,
        "masked": (SecretCount(kind="password", count=1),),
        "marks": (
            Mark(start=0, end=9, kind="class"),
            Mark(start=11, end=55, kind="message"),
            Mark(start=50, end=60, kind="capture"),
            Mark(start=5_000, end=6_000, kind="frame"),
        ),
        **fields,
    }
    return Explanation(**given)


def chained(view: RecordView, other: RecordView) -> Explanation:
    """The outermost error first, without a record, its cause second, with one; then a line of a log."""
    outer = fault("OuterError", "it failed", relation="", language="Java")
    cause = fault(relation="cause", parent=0, frames=FRAMES)
    near = match(other, confidence="weak", captures=(), evidence=())
    return explanation(
        FaultAnswer(fault=outer, role="outermost", nearest=(near,)),
        FaultAnswer(
            fault=cause,
            role="root",
            matches=(
                match(view, alike=(other.record.id,), alike_count=1),
                match(other, confidence="weak", differs="never"),
            ),
        ),
        FaultAnswer(fault=fault("", "exit code 1", kind="line"), role="only"),
    )
