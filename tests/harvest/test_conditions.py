"""Conditions in words say what the source says, and quote what no rule knows."""

from __future__ import annotations

import pytest

from kb.harvest.conditions import condition_in_words
from kb.harvest.expressions import code_span, listed
from kb.harvest.facts import GuardFacts
from kb.harvest.guards_in_words import when, when_around

WORDS = [
    ("timeout < 0", "`timeout` is negative", "`timeout` is not negative"),
    ("size <= 0", "`size` is zero or negative", "`size` is positive"),
    ("0 > size", "`size` is negative", "`size` is not negative"),
    ("x is None", "`x` is `None`", "`x` is not `None`"),
    ("not x", "`x` is falsy", "`x` is truthy"),
    ("self.closed", "`self.closed` is truthy", "`self.closed` is falsy"),
    ("a and b", "both `a` and `b` are truthy", "`a` is falsy or `b` is falsy"),
    ("a or b", "`a` is truthy or `b` is truthy", "both `a` and `b` are falsy"),
    ("a is not None and n > 3", "`a` is not `None` and `n` is greater than `3`", "`a` is `None` or `n` is at most `3`"),
    (
        "isinstance(x, (str, bytes))",
        "`x` is an instance of `str` or `bytes`",
        "`x` is not an instance of `str` or `bytes`",
    ),
    ("isinstance(x, str | bytes)", "`x` is an instance of `str` or `bytes`", None),
    ("issubclass(x, Base)", "`x` is a subclass of `Base`", "`x` is not a subclass of `Base`"),
    (
        "isinstance(x, (str, type(None)))",
        "`x` is `None` or an instance of `str`",
        "`x` is neither `None` nor an instance of `str`",
    ),
    ("a != b", "`a` differs from `b`", "`a` equals `b`"),
    ("False", "", ""),
    ("x in ('a', 'b')", "`x` is `'a'` or `'b'`", "`x` is neither `'a'` nor `'b'`"),
    ("x in {1, 2, 3}", "`x` is one of `1`, `2` and `3`", "`x` is none of `1`, `2` and `3`"),
    ("name in self.fields", "`name` is in `self.fields`", "`name` is not in `self.fields`"),
    ("len(x) == 0", "`x` is empty", "`x` is not empty"),
    ("len(x) != 2", "`x` does not have exactly `2` items", "`x` has exactly `2` items"),
    ("len(x) > 1", "`x` has more than `1` item", "`x` has at most `1` item"),
    ("0 <= x <= 1", "`x` is between `0` and `1`", "`x` is not between `0` and `1`"),
    ("0 < x <= 1", "the condition `0 < x <= 1` holds", "the condition `0 < x <= 1` does not hold"),
    ("os.path.exists(p)", "`p` exists", "`p` does not exist"),
    ("path.is_dir()", "`path` is a directory", "`path` is not a directory"),
    ("name.startswith('_')", "`name` starts with `'_'`", "`name` does not start with `'_'`"),
    ("callable(hook)", "`hook` is callable", "`hook` is not callable"),
    ("hasattr(x, 'read')", "`x` has an attribute `read`", "`x` has no attribute `read`"),
    (
        "m := find(x)",
        "`m`, the value of `find(x)`, is truthy",
        "`m`, the value of `find(x)`, is falsy",
    ),
    ("a and (b or c)", "the condition `a and (b or c)` holds", "the condition `a and (b or c)` does not hold"),
    ("check(x)", "`check(x)` is truthy", "`check(x)` is falsy"),
    ("x == '`'", "`x` equals `` '`' ``", None),
]


@pytest.mark.parametrize(("source", "true", "false"), WORDS, ids=[row[0] for row in WORDS])
def test_a_condition_and_its_opposite(source: str, true: str, false: str | None) -> None:
    assert condition_in_words(source) == true
    if false is not None:
        assert condition_in_words(source, negated=True) == false


@pytest.mark.parametrize(
    "source",
    ["", "x <", "a" * 2000, "(" * 300 + ")" * 300, "x == '" + "y" * 300 + "'", "x\0"],
    ids=["nothing", "broken", "long", "nested", "long value", "NUL"],
)
def test_no_words_rather_than_bad_ones(source: str) -> None:
    assert condition_in_words(source) == ""


WHEN = [
    (GuardFacts(condition="x is None"), "when `x` is `None`"),
    (GuardFacts(condition="x", negated=True), "when `x` is falsy"),
    (
        GuardFacts(caught=("KeyError",), tried="self.cache[key]"),
        "when `KeyError` is caught, in a `try` that begins with",
    ),
    (GuardFacts(caught=("KeyError", "IndexError")), "when `KeyError` or `IndexError` is caught"),
    (GuardFacts(caught=("BaseException",)), "when any exception is caught"),
    (GuardFacts(condition="x", caught=("OSError",)), "when `x` is truthy, while `OSError` is being handled"),
    (GuardFacts(place="loop_else", subject="self.items"), "when the loop over `self.items` ends without a result"),
    (GuardFacts(place="default", others=("a", "b")), "when `a` is falsy and `b` is falsy"),
    (GuardFacts(place="default", subject="kind"), "when `kind` matches none of the patterns before"),
    (GuardFacts(place="case", subject="kind", condition="'a' | 'b'"), "when `kind` matches the pattern `'a' | 'b'`"),
    (GuardFacts(place="end"), ""),
    (GuardFacts(), ""),
    (GuardFacts(condition="x" * 900), ""),
]


@pytest.mark.parametrize(("guard", "words"), WHEN, ids=[str(number) for number in range(len(WHEN))])
def test_when_a_statement_is_reached(guard: GuardFacts, words: str) -> None:
    found = when(guard)
    assert found.startswith(words) if words else found == ""


def test_the_condition_around() -> None:
    assert when_around(GuardFacts(outer=("strict", True))) == "`strict` is falsy"
    assert when_around(GuardFacts()) == ""


def test_lists_and_code_read_well() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"], "or") == "a or b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert code_span("a `b` ``c``") == "``` a `b` ``c`` ```"
