"""How many tokens an answer takes, and the largest answer that fits into a number of them.

No tokenizer of any model is asked: there are many, and they are large. The estimate counts three letters, or two bytes
of anything else, as one token, which is more than the tokenizers in use make of prose and of code.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["DEFAULT_TOKENS", "LEAST_TOKENS", "MOST_TOKENS", "largest", "shortened", "tokens_of"]

T = TypeVar("T")

DEFAULT_TOKENS: Final = 1_800
LEAST_TOKENS: Final = 600
MOST_TOKENS: Final = 50_000
ELLIPSIS: Final = " […]"
_LETTERS: Final = (string.ascii_letters + " ").encode()
_BYTES_OF_TOKEN: Final = 3  # at most, so that a first cut is quick
_NEAR: Final = 0.8  # of a cut text is kept whole words, rather than all that fits


def tokens_of(text: str | bytes) -> int:
    """The estimate for a text."""
    raw = text.encode("utf-8", "replace") if isinstance(text, str) else text
    others = len(raw.translate(None, _LETTERS))
    return (len(raw) - others + 2) // 3 + (others + 1) // 2


def shortened(text: str, tokens: int) -> str:
    """The text, or its beginning and an ellipsis, in at most ``tokens``; nothing when not even that fits."""
    text = text.strip()
    if len(text) <= tokens * _BYTES_OF_TOKEN and tokens_of(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * _BYTES_OF_TOKEN)
    room = tokens - tokens_of(ELLIPSIS)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens_of(text[:middle]) <= room else (low, middle - 1)
    kept = text[:low]
    for boundary in ("\n", " "):
        at = kept.rfind(boundary)
        if at > low * _NEAR:
            kept = kept[:at]
            break
    return f"{kept.rstrip()}{ELLIPSIS}" if kept.strip() else ""


def largest(top: int, build: Callable[[int], T], *, cost: Callable[[T], int], budget: int) -> T:
    """``build(n)`` for the largest ``n`` up to ``top`` that costs no more than ``budget``.

    ``build`` must grow with its number; ``build(0)`` is what comes out when nothing fits.
    """
    answer = build(top)
    if cost(answer) <= budget:
        return answer
    low, high = 0, top
    answer = build(0)
    while high - low > 1:
        middle = (low + high) // 2
        larger = build(middle)
        if cost(larger) <= budget:
            low, answer = middle, larger
        else:
            high = middle
    return answer
