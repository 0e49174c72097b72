"""The guard of a raise: which condition, which caught exception, which place decides that it is reached."""

from __future__ import annotations

import pytest

from kb.harvest.facts import GuardFacts
from kb.harvest.reading import read_source

HIT = 'raise ValueError("no stock left")'


def guard_of(body: str) -> GuardFacts:
    source = "def sell(x, y):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    facts = read_source(source.encode(), package="shop", relative="shop/orders.py")
    assert facts.problem == ""
    (site,) = facts.sites
    return site.guard


GUARDS = {
    "if": (f"if x < 0:\n    {HIT}", GuardFacts(condition="x < 0")),
    "else": (f"if x:\n    pass\nelse:\n    {HIT}", GuardFacts(condition="x", negated=True, place="default")),
    "elif": (f"if x:\n    pass\nelif y:\n    {HIT}", GuardFacts(condition="y", others=("x",))),
    "inner and outer": (f"if x:\n    if y:\n        {HIT}", GuardFacts(condition="y", outer=("x", False))),
    "after an if that leaves": (
        f"if x in y:\n    return y[x]\n{HIT}",
        GuardFacts(condition="x in y", negated=True, place="end"),
    ),
    "after several that leave": (
        f"if x:\n    return 1\nif y:\n    return 2\n{HIT}",
        GuardFacts(condition="y", negated=True, others=("x",), place="end"),
    ),
    "after an if that exits": (
        f"if not x:\n    sys.exit(2)\n{HIT}",
        GuardFacts(condition="not x", negated=True, place="end"),
    ),
    "an if that stays decides nothing": (f"if x:\n    y = 1\n{HIT}", GuardFacts(place="end")),
    "a check before is not around": (f"if x:\n    return 1\nif y:\n    {HIT}", GuardFacts(condition="y")),
    "except": (
        f"try:\n    y = x[0]\nexcept (KeyError, IndexError) as error:\n    {HIT}",
        GuardFacts(caught=("KeyError", "IndexError"), caught_as="error", tried="y = x[0]"),
    ),
    "bare except": (f"try:\n    f()\nexcept:\n    {HIT}", GuardFacts(caught=("BaseException",), tried="f()")),
    "if within except": (
        f"try:\n    f()\nexcept OSError:\n    if x:\n        {HIT}",
        GuardFacts(condition="x", caught=("OSError",), tried="f()"),
    ),
    "except within if": (
        f"if x:\n    try:\n        f()\n    except OSError:\n        {HIT}",
        GuardFacts(outer=("x", False), caught=("OSError",), tried="f()"),
    ),
    "after a try that returns": (
        f"try:\n    return f()\nexcept OSError:\n    pass\n{HIT}",
        GuardFacts(caught=("OSError",), tried="return f()", place="end"),
    ),
    "loop": (f"for item in x:\n    {HIT}", GuardFacts(place="loop", subject="x")),
    "else of a loop": (
        f"for item in x:\n    if item:\n        break\nelse:\n    {HIT}",
        GuardFacts(place="loop_else", subject="x"),
    ),
    "while": (f"while x:\n    {HIT}", GuardFacts(condition="x")),
    "case": (f"match x:\n    case 1:\n        {HIT}", GuardFacts(condition="1", place="case", subject="x")),
    "last case": (
        f"match x:\n    case 1:\n        pass\n    case _:\n        {HIT}",
        GuardFacts(others=("1",), place="default", subject="x"),
    ),
    "else of a try": (f"try:\n    f()\nexcept OSError:\n    pass\nelse:\n    {HIT}", GuardFacts(place="try_else")),
    "only": (f'"""Sell."""\n{HIT}', GuardFacts(place="only")),
    "assert": ('assert x > 0, "no stock left"', GuardFacts(condition="x > 0", negated=True, place="default")),
}


@pytest.mark.parametrize(("body", "guard"), GUARDS.values(), ids=GUARDS)
def test_the_guard_is_the_nearest_that_decides(body, guard) -> None:
    assert guard_of(body) == guard
