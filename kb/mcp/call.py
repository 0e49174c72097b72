"""What a tool gets beside its arguments, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from kb.catalog.answers import CatalogView
from kb.mcp.answers import Answer
from kb.mcp.budget import largest, tokens_of

__all__ = ["Call", "Reply", "cost_of", "fitting"]

A = TypeVar("A", bound=Answer)
_FOR_THE_ENVELOPE = 40  # tokens of member names that every result has


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call: the address before links, and the catalog's state, which holds while the tool runs."""

    base: str
    state: CatalogView


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[A]):
    """An answer as structured content, and the same as text."""

    answer: A
    text: str


def cost_of(reply: Reply[A]) -> int:
    """How many tokens a result takes: clients show a model the text, the structured content, or both."""
    return tokens_of(reply.text) + tokens_of(msgspec.json.encode(reply.answer)) + _FOR_THE_ENVELOPE


def fitting(build: Callable[[int], Reply[A]], *, top: int, budget: int) -> Reply[A]:
    """The largest reply within ``budget`` tokens; see :func:`kb.mcp.budget.largest`."""
    return largest(top, build, cost=cost_of, budget=budget)
