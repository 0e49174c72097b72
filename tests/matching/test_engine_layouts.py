"""Explaining what a screen did to a message: breaks inside words, a value before the first words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb.matching.engine import explain
from tests.matching.test_engine import raw, trace

pytestmark = pytest.mark.django_db

Importer = Callable[..., Any]

LABEL = raw(
    "{parcel} has left the warehouse without its label and cannot be delivered to {receiver} before {day}",
    "(.+?) has left the warehouse without its label and cannot be delivered to (.+?) before (.+?)",
    errorClass="ParcelError",
)


@pytest.mark.parametrize("width", [41, 52, 70])
def test_a_message_broken_inside_words_finds_its_record(import_records: Importer, width: int) -> None:
    import_records(LABEL)
    message = "ParcelError: box-1 has left the warehouse without its label and cannot be delivered to Mx Doe before Tue"
    broken = "\n".join(message[at : at + width] for at in range(0, len(message), width))
    answer = explain(broken)
    assert answer.best is not None
    assert (answer.best.id, answer.best.confidence) == (LABEL["id"], "exact")
    marked = "".join(answer.text[mark.start : mark.end] for mark in answer.marks if mark.kind == "message")
    assert "".join(marked.split()) == "".join(message.removeprefix("ParcelError: ").split())


def test_a_value_before_the_first_words_is_no_other_sentence(import_records: Importer) -> None:
    import_records(LABEL)
    answer = explain(
        "the parcel of mine has left the warehouse without its label and cannot be delivered to you before 3"
    )
    assert answer.best is not None
    assert answer.best.confidence == "strong"


def test_what_a_message_adds_does_not_matter_at_the_raise_site_of_its_class(import_records: Importer) -> None:
    import_records(raw("Parcel rejected: {number}", "Parcel rejected: (.+?)\\.", errorClass="ParcelError"))
    said = "ParcelError: Parcel rejected: 12. Please put the correct label on every parcel of the shipment again."
    alone, traced = explain(said), explain(trace(said))
    assert alone.best is not None
    assert alone.best.confidence == "weak"
    assert traced.best is not None
    assert traced.best.confidence == "strong"
