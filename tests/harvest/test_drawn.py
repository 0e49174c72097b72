"""Statements drawn from the harvested sources are found again: the tree is read here once more, by other rules."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tests.harvest.conftest import SOAK, Harvested

DRAWN = 5000 if SOAK else 100
SEED = 6
WORDS = re.compile(r"[^\W\d_]{3,}")
TRANSLATING = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}


class Statement(NamedTuple):
    """A ``raise`` with words in the call that it raises."""

    path: str
    first: int
    last: int
    words: str


def texts(node: ast.expr, known: dict[str, ast.expr], depth: int = 0) -> Iterator[str]:
    """The literal texts that certainly are part of the text that an expression gives."""
    if depth > 3:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield from texts(node.left, known, depth + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from texts(node.left, known, depth + 1)
        yield from texts(node.right, known, depth + 1)
    elif isinstance(node, ast.Name) and node.id in known:
        yield from texts(known[node.id], {}, depth + 1)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            yield from texts(node.func.value, known, depth + 1)
        elif isinstance(node.func, ast.Name) and node.func.id in TRANSLATING and node.args:
            yield from texts(node.args[node.func.id.startswith("p")], known, depth + 1)


def longest_words(text: str) -> str:
    """The longest stretch of a template without placeholder or anything else that may be written in two ways."""
    plain = re.split(r"%(?:\([^)]*\))?[-#0 +]*[\d.*]*[a-zA-Z%]|[{}\\\n]", text)
    return max(plain, key=len).strip()


def statements(path: str, source: bytes) -> Iterator[Statement]:
    """The raise statements of a module whose exception is built from some words."""
    tree = ast.parse(source)
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            continue
        own = list(within(owner))
        assigned: dict[str, list[ast.expr]] = {}
        for node in own:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                assigned.setdefault(node.target.id, []).extend((node.value, node.value))
        known = {name: values[0] for name, values in assigned.items() if len(values) == 1}
        for node in own:
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                arguments = [*node.exc.args, *(word.value for word in node.exc.keywords)]
                found = [longest_words(text) for argument in arguments for text in texts(argument, known)]
                words = max(found, key=len, default="")
                if len(words) > 7 and " " in words and WORDS.search(words):
                    yield Statement(path, node.lineno, node.end_lineno or node.lineno, words)


def within(owner: ast.AST) -> Iterator[ast.AST]:
    """What belongs to a function itself, not to those defined in it."""
    waiting = list(ast.iter_child_nodes(owner))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting.extend(ast.iter_child_nodes(node))


def drawn(harvested: Harvested) -> Iterator[Statement]:
    """All statements in an order that a seed decides. A file is parsed when one of its lines is drawn."""
    files = [file.path for subject in harvested.subjects for file in subject.files]
    lines = [
        (number, line)
        for number, path in enumerate(files)
        for line, text in enumerate(Path(path).read_bytes().splitlines(), 1)
        if text.lstrip().startswith(b"raise")
    ]
    random.Random(SEED).shuffle(lines)

    @cache
    def at(number: int) -> dict[int, Statement]:
        try:
            found = statements(files[number], Path(files[number]).read_bytes())
            return {statement.first: statement for statement in found}
        except (SyntaxError, ValueError, RecursionError):
            return {}

    for number, line in lines:
        if statement := at(number).get(line):
            yield statement


def test_drawn_statements_have_their_record(harvested: Harvested) -> None:
    lost = []
    for statement in islice(drawn(harvested), DRAWN):
        here = harvested.named_at(statement.path, statement.first, statement.last)
        if not any(statement.words in record["errorMessage"] for record in here):
            lost.append((statement, [record["errorMessage"] for record in here]))
    assert len(lost) <= 0.03 * DRAWN, lost
