"""Patterns, texts and records for the tests of the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import re2

from kb.catalog.answers import MatchFact
from kb.matching.index.build import build
from kb.matching.index.match_index import MatchIndex

__all__ = ["brute_force", "fact", "index_of", "pattern_of"]


def pattern_of(parts: Sequence[str]) -> str:
    """The pattern of literals with gaps between them."""
    return "(.+?)".join(map(re.escape, parts))


def fact(number: int, pattern: str, **values: object) -> MatchFact:
    """A record with a pattern."""
    record_id = f"{number + 1:016x}"
    given: dict[str, object] = {
        "id": record_id,
        "pattern": pattern,
        "cls": None,
        "code": None,
        "message": pattern,
        "path": "lib/tool.py",
        "line": 7,
        "function": "",
        "repo": "example/tool",
        "status": None,
        "language": "Python",
        "group": record_id,
        "quality": 100,
        **values,
    }
    return MatchFact(**given)  # type: ignore[arg-type]


def index_of(patterns: Iterable[str]) -> MatchIndex:
    """An index of records with these patterns, in memory."""
    return MatchIndex(1, build(fact(number, pattern) for number, pattern in enumerate(patterns)))


def brute_force(patterns: Iterable[str], text: str) -> set[str]:
    """The patterns that RE2 finds in the text, trying each."""
    return {pattern for pattern in patterns if re2.search(pattern, text)}
