"""The lines around a statement that are worth showing: at most 40, chosen at the borders of blocks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from kb.harvest.blocks import child_blocks

__all__ = ["MOST_LINES", "Snippet", "snippet_around"]

MOST_LINES: Final = 40
_ENOUGH: Final = 24  # lines to which a part of a long function grows
_LONGEST: Final = 8_000  # characters; generated code has lines of any length

Snippet = tuple[int, str]
"""The 1-based line of the first line, and the lines."""


def snippet_around(chain: Sequence[ast.stmt], body: Sequence[ast.stmt], lines: Sequence[str]) -> Snippet:
    """The region around the last statement of ``chain``, which holds the statements around it from the outermost.

    The first of the chain is the function, if there is one; ``body`` is the block that the first stands in. The whole
    function where it is short enough, else the largest statement around with as many of its neighbors as fit.
    """
    start, end = _span(chain[-1])
    if end - start + 1 > MOST_LINES:
        return _cut(start, start + MOST_LINES - 1, lines)
    level = len(chain) - 1
    while level > 0 and _fits(*_span(chain[level - 1])):
        level -= 1
        start, end = _span(chain[level])
    if level or not isinstance(chain[0], ast.FunctionDef | ast.AsyncFunctionDef):
        block = _block_of(chain[level], chain[level - 1]) if level else body
        start, end = _grow(block, chain[level], (start, end))
        if level and chain[level] is block[0] and _fits(_first_line(chain[level - 1]), end):
            start = _first_line(chain[level - 1])
    return _cut(start, end, lines)


def _span(node: ast.stmt) -> tuple[int, int]:
    return _first_line(node), node.end_lineno or node.lineno


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _fits(start: int, end: int) -> bool:
    return end - start + 1 <= MOST_LINES


def _block_of(node: ast.stmt, parent: ast.stmt) -> Sequence[ast.stmt]:
    return next((block for block in child_blocks(parent) if node in block), [node])


def _grow(block: Sequence[ast.stmt], node: ast.stmt, span: tuple[int, int]) -> tuple[int, int]:
    """Neighbors of the statement in its block are taken in, those before it first, while there is room."""
    start, end = span
    first = last = block.index(node) if node in block else 0
    if node not in block:
        return span
    while first > 0 and end - _first_line(block[first - 1]) < _ENOUGH:
        first -= 1
        start = _first_line(block[first])
    while last + 1 < len(block) and _span(block[last + 1])[1] - start < _ENOUGH:
        last += 1
        end = _span(block[last])[1]
    return start, end


def _cut(start: int, end: int, lines: Sequence[str]) -> Snippet:
    text = "\n".join(lines[start - 1 : end])
    return (start, text) if len(text) <= _LONGEST else (start, "")
