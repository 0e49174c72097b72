"""JSON cannot leave the element that holds it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb.present.embedded_json import data_block, embedded_json


def test_no_text_can_leave_the_block(hostile: str) -> None:
    value = {hostile: [hostile, {"deep": hostile}]}
    made = embedded_json(value)
    assert made.isascii()
    assert made.isprintable()
    assert not set("<>&'") & set(made)
    assert json.loads(made) == value


def test_a_block_names_its_kind_and_its_id() -> None:
    assert data_block({"a": 1}) == '<script type="application/json">{"a":1}</script>'
    assert data_block([1], kind="application/ld+json", id="x") == (
        '<script id="x" type="application/ld+json">[1]</script>'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_know_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        embedded_json(value)
