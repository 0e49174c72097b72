"""A record that has its class in place of a message is found by class and raise site."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb.matching.engine import explain
from tests.matching.test_engine import raw

pytestmark = pytest.mark.django_db

Importer = Callable[..., Any]
CLASS = "tool.errors.TemplateGone"
SITE = "/v/lib/python3.12/site-packages/tool/core.py"


def trace(*, path: str = SITE, function: str = "find", cls: str = CLASS) -> str:
    return f'Traceback (most recent call last):\n  File "{path}", line 41, in {function}\n    raise\n{cls}: index.html'


@pytest.fixture
def unworded() -> dict[str, Any]:
    return raw(CLASS, CLASS.replace(".", r"\."), errorClass=CLASS, function="Engine.find")


def test_class_and_function_are_strong_together(import_records: Importer, unworded: dict[str, Any]) -> None:
    import_records(unworded)
    best = explain(trace()).best
    assert best is not None
    assert (best.id, best.confidence) == (unworded["id"], "strong")


@pytest.mark.parametrize(
    ("change", "confidence"),
    [
        ({"function": "other"}, "weak"),
        ({"path": "/v/lib/python3.12/site-packages/tool/elsewhere.py"}, None),
        ({"cls": "tool.errors.TemplateBad"}, None),
    ],
)
def test_less_than_both_is_not(
    import_records: Importer, unworded: dict[str, Any], change: dict[str, str], confidence: str | None
) -> None:
    import_records(unworded)
    best = explain(trace(**change)).best
    assert (best.confidence if best else None) == confidence


def test_a_class_that_every_program_raises_is_not_enough(import_records: Importer) -> None:
    import_records(raw("ValueError", "ValueError", errorClass="ValueError", function="Engine.find"))
    assert explain(trace(cls="ValueError")).best is None


def test_a_record_with_the_words_comes_first(import_records: Importer, unworded: dict[str, Any]) -> None:
    worded = raw("cannot find {name} in any loader", "cannot find (.+?) in any loader", errorClass=CLASS)
    import_records(unworded, worded)
    best = explain(trace().replace("index.html", "cannot find index.html in any loader")).best
    assert best is not None
    assert best.id == worded["id"]
