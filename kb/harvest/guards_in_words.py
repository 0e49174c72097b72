"""When a statement is reached, in words: a clause made from the blocks around it.

Only what the source says is said; the clause is missing where it would have to be guessed or would be too long.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from kb.harvest.conditions import condition_in_words
from kb.harvest.expressions import LONGEST, code_span, listed, parse_condition, parts_of, source_of
from kb.harvest.facts import GuardFacts

__all__ = ["may_be_forestalled", "when", "when_around"]

_MOST_NAMED: Final = 6
_MOST_JOINED: Final = 3


def when(guard: GuardFacts) -> str:
    """A clause that says when a statement is reached, beginning with "when" or a like word; empty if unknown."""
    if guard.place == "case":
        return _when_case(guard)
    several = guard.negated and guard.others
    clause = _unmet(guard) if several else condition_in_words(guard.condition, negated=guard.negated)
    if clause:
        handled = f", while {_exceptions(guard)} is being handled" if guard.caught else ""
        unless = ", unless an earlier branch of the `if` applies" if may_be_forestalled(guard) else ""
        return f"when {clause}{handled}{unless}"
    if guard.condition:
        return ""
    if guard.caught:
        tried = f", in a `try` that begins with {code_span(guard.tried)}" if 0 < len(guard.tried) <= LONGEST else ""
        return f"when {_exceptions(guard)} is caught{tried}"
    maker = _PLACES.get(guard.place)
    return maker(guard) if maker else ""


def may_be_forestalled(guard: GuardFacts) -> bool:
    """Whether the condition is that of an ``elif`` and can hold beside one before it, so that it alone decides little.

    Comparisons of one expression with several values exclude each other.
    """
    return bool(guard.others) and not guard.negated and not _one_of([*guard.others, guard.condition])


def _unmet(guard: GuardFacts) -> str:
    """That neither the condition nor those before it hold: in short when all compare one thing, else one by one."""
    sources = [*guard.others, guard.condition]
    if merged := _one_of(sources):
        return condition_in_words(merged, negated=True)
    clauses = [condition_in_words(source, negated=True) for source in sources]
    clause = listed(clauses)
    told = len(clauses) <= _MOST_JOINED and all(clauses) and len(clause) <= LONGEST
    told = told and not any(_is_choice(source) for source in sources)
    return clause if told else "none of the conditions before it holds"


def _is_choice(source: str) -> bool:
    """Whether a condition is false in one of several ways, which cannot be told apart within a longer list."""
    found = parse_condition(source, negated=True)
    return found is not None and not parts_of(found)[0]


def _one_of(sources: list[str]) -> str:
    """One condition for several that compare the same expression with a value; empty when they do not."""
    subject, values = "", []
    for source in sources:
        found = parse_condition(source)
        node = found.node if found and found.wanted else None
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.Is):
            return ""
        left = source_of(node.left)
        if subject not in {"", left}:
            return ""
        subject = left
        values.append(source_of(node.comparators[0]))
    return f"{subject} in ({', '.join(values)})" if len(values) > 1 else ""


def _exceptions(guard: GuardFacts) -> str:
    if {"BaseException", "Exception"} & set(guard.caught):
        return "any exception"
    names = [code_span(name) for name in guard.caught[:_MOST_NAMED]]
    return listed(names, "or")


def _when_case(guard: GuardFacts) -> str:
    if not guard.subject or not guard.condition or len(guard.subject) + len(guard.condition) > LONGEST:
        return ""
    return f"when {code_span(guard.subject)} matches the pattern {code_span(guard.condition)}"


def _after_loop(guard: GuardFacts) -> str:
    if not guard.subject or len(guard.subject) > LONGEST:
        return ""
    return f"when the loop over {code_span(guard.subject)} ends without a result"


def _by_default(guard: GuardFacts) -> str:
    if guard.subject and len(guard.subject) <= LONGEST:
        return f"when {code_span(guard.subject)} matches none of the patterns before"
    earlier = [clause for source in guard.others[:_MOST_NAMED] if (clause := condition_in_words(source, negated=True))]
    if not earlier or len(earlier) < len(guard.others) or (len(earlier) > 1 and any(map(_is_choice, guard.others))):
        return "when none of the conditions before it holds" if guard.others else ""
    clause = listed(earlier)
    return f"when {clause}" if len(clause) <= 2 * LONGEST else "when none of the conditions before it holds"


_PLACES: Final[dict[str, Callable[[GuardFacts], str]]] = {
    "loop_else": _after_loop,
    "default": _by_default,
}


def when_around(guard: GuardFacts) -> str:
    """The next condition around, as a clause without "when"; empty when there is none or no words for it."""
    return condition_in_words(guard.outer[0], negated=guard.outer[1]) if guard.outer else ""
