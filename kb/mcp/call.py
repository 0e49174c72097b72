"""What a tool gets beside its arguments, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from kb.catalog.answers import CatalogView
from kb.mcp.answers import Answer
from kb.mcp.budget import largest, tokens_of

__all__ = ["Call", "Reply", "cost_of", "fitting", "paged"]

A = TypeVar("A", bound=Answer)
P = TypeVar("P")
_FOR_THE_ENVELOPE = 40  # tokens of member names that every result has


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call: the address before links, and the catalog's state, which holds while the tool runs."""

    base: str
    state: CatalogView


@dataclass(frozen=True, kw_only=True)
class Reply(Generic[A]):
    """An answer as structured content, and the same as text. ``told`` counts the entries of a list."""

    answer: A
    text: str
    told: int = 0


def cost_of(reply: Reply[A]) -> int:
    """How many tokens a result takes: clients show a model the text, the structured content, or both."""
    return tokens_of(reply.text) + tokens_of(msgspec.json.encode(reply.answer)) + _FOR_THE_ENVELOPE


def fitting(build: Callable[[int], Reply[A]], *, top: int, budget: int) -> Reply[A]:
    """The largest reply within ``budget`` tokens; see :func:`kb.mcp.budget.largest`."""
    return largest(top, build, cost=cost_of, budget=budget)


def paged(fetch: Callable[[int], P], build: Callable[[P, int], Reply[A]], *, limit: int, budget: int) -> Reply[A]:
    """The reply with as many entries of a list as fit, and with the cursor of the first one that does not.

    ``fetch`` gets a page of so many entries, ``build`` tells the first so many of a page; for none the first one
    tersely. A page that does not fit is fetched once more, as short as it has to be.
    """
    page = fetch(limit)
    whole = build(page, limit)
    if cost_of(whole) <= budget:
        return whole
    reply = fitting(lambda count: build(page, count), top=whole.told, budget=budget)
    told = reply.told
    while 0 < told < whole.told:
        page = fetch(told)
        reply = build(page, told)
        if cost_of(reply) <= budget:
            return reply
        told -= 1  # a cursor came in, which may be long
        if not told:
            return build(page, 0)
    return reply
