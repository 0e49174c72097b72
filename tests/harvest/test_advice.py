"""Advice is the negation of a guard, and only about what a caller controls."""

from __future__ import annotations

import pytest

from kb.harvest.advice import advice
from kb.harvest.facts import FunctionFacts, GuardFacts
from kb.harvest.guard_kinds import guard_kind

PARAMETERS = ("self", "timeout", "name", "items", "index", "request", "limit", "first", "second", "*args", "**options")
ADVICE = [
    ("timeout < 0", ["Pass a non-negative `timeout`."]),
    ("timeout <= 0", ["Pass a positive `timeout`."]),
    ("timeout > limit_of_today", []),
    ("name not in found_names", []),
    ("not isinstance(name, wanted)", []),
    ("not isinstance(name, (str, type(None)))", ["Pass `None` or an instance of `str` as `name`."]),
    ("not settings.DEBUG and not name", []),
    ("timeout > LIMIT", ["Pass at most `LIMIT` as `timeout`."]),
    ("timeout is not None and timeout < 0", ["Pass a non-negative `timeout`."]),
    ("name is None", ["Pass `name`; `None` is refused here."]),
    ("self.queryset is None", ["Give `self.queryset` a value other than `None`."]),
    ("not name", ["Pass a value for `name`; an empty or missing one is refused here."]),
    ("first is not None and second is not None", ["Pass either `first` or `second`, not both."]),
    ("first and second", ["Pass either `first` or `second`, not both."]),
    ("not first and not second", ["Pass `first` or `second`."]),
    ("not (first or second)", ["Pass `first` or `second`."]),
    ("name not in ('a', 'b')", ["Pass `'a'` or `'b'` as `name`."]),
    ("name not in CHOICES", ["Pass a `name` that is in `CHOICES`."]),
    ("not isinstance(name, str)", ["Pass an instance of `str` as `name`."]),
    ("not callable(name)", ["Pass a callable as `name`."]),
    ("not hasattr(name, 'read')", ["Pass an object with the attribute `read` as `name`."]),
    ("len(items) != 2", ["Pass exactly `2` items in `items`."]),
    ("not name.startswith('/')", ["Pass a `name` that starts with `'/'`."]),
    ("name.endswith('/')", ["Pass a `name` that does not end with `'/'`."]),
    ("not os.path.isdir(name)", ["Pass a path that is a directory as `name`."]),
    ("timeout < 0 or not items", ["Pass a non-negative `timeout`. Pass a value for `items`; an empty or missing one"]),
    ("timeout < 0 or self._broken", []),
    ("unknown < 0", []),
    ("self._state is None", []),
    ("match is None", []),
    ("not args", []),
    ("not request.user", []),
    ("not index.startswith('/')", ["Pass an `index` that starts with `'/'`."]),
    ("self.limit < 0", []),
    ("not self.model", ["Give `self.model` a value; an empty or missing one is refused here."]),
    ("compute(name) < 0", []),
    ("name", []),
    ("name <", []),
]


METHOD = FunctionFacts(
    name="Shop.sell", qualified="shop.Shop.sell", parameters=PARAMETERS, public=True, line=1, end_line=2
)


@pytest.mark.parametrize(("condition", "expected"), ADVICE, ids=[row[0] for row in ADVICE])
def test_the_negation_of_a_guard(condition: str, expected: list[str]) -> None:
    found = advice(GuardFacts(condition=condition), METHOD, attributes=True)
    assert len(found) == len(expected)
    assert all(words.startswith(start) for words, start in zip(found, expected, strict=True))


def test_a_negated_guard_is_turned_back() -> None:
    assert advice(GuardFacts(condition="timeout >= 0", negated=True), METHOD) == ["Pass a non-negative `timeout`."]


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("timeout < 0", "range"),
        ("not isinstance(x, str)", "type"),
        ("x not in CHOICES", "choice"),
        ("x is None", "missing"),
        ("x is not None and x < 0", "range"),
        ("len(x) > 2", "size"),
        ("not os.path.exists(p)", "path"),
        ("x", "other"),
        ("", ""),
    ],
)
def test_what_a_guard_asks(condition: str, kind: str) -> None:
    assert guard_kind(GuardFacts(condition=condition)) == kind


def test_an_attribute_that_the_constructor_sets_is_its_parameter() -> None:
    maker = FunctionFacts(
        name="Shop.__init__", qualified="shop.Shop.__init__", parameters=PARAMETERS, line=1, end_line=2
    )
    assert advice(GuardFacts(condition="self.limit < 0"), maker) == ["Pass a non-negative `limit`."]
    assert advice(GuardFacts(condition="self.other is None"), maker) == []


def test_attributes_are_the_readers_only_where_they_configure() -> None:
    assert advice(GuardFacts(condition="self.model is None"), METHOD) == []
