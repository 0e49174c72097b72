"""Building the index of a revision: from nothing, or from another one and a change, by operations on whole arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Final

import numpy as np

from kb.catalog.answers import MatchFact
from kb.matching.index.grams import sketch_for, unpacked_sketch
from kb.matching.index.packing import Array
from kb.matching.index.patterns import anchors_of, merge_anchors, pattern_arrays
from kb.matching.index.strings import Texts
from kb.matching.index.tables import Columns, Gathered, Tables, columns_from, merge_columns, table_arrays

__all__ = ["build", "update"]

_TOGETHER: Final = 5_000  # facts that are held at the same time


def build(facts: Iterable[MatchFact]) -> dict[str, Array]:
    """The arrays of an index of all these records; every id at most once."""
    gathered = _gathered(facts)
    texts = gathered.patterns
    sketch = sketch_for(len(texts))
    anchors = anchors_of(texts, range(len(texts)), sketch)
    columns, tables = gathered.columns({text: number for number, text in enumerate(texts)}, len(texts))
    return {**pattern_arrays(Texts.of(texts), anchors, sketch), **table_arrays(columns, tables, len(texts))}


def update(base: Mapping[str, Array], changed: Collection[str], facts: Iterable[MatchFact]) -> dict[str, Array]:
    """The arrays of an index from those of another one.

    The records among ``changed`` (ids) are dropped, and ``facts``, all of records among ``changed``, are added.
    """
    gathered = _gathered(facts)
    columns, tables = columns_from(base)
    dropped = np.isin(base["row.id"], np.array([int(record_id, 16) for record_id in changed], dtype=np.uint64))
    columns = {name: column[~dropped] for name, column in columns.items()}
    known = Texts(base["pattern.blob"], base["pattern.offsets"])
    texts, moved, gone, new = _merge_patterns(known, columns["pattern"], gathered.patterns)
    sketch = unpacked_sketch(base["sketch"])
    numbers = {text: number for number, text in enumerate(texts)}
    anchors = merge_anchors(base, moved, gone, anchors_of(new, [numbers[text] for text in new], sketch))
    added = gathered.columns(numbers, len(texts))
    columns["pattern"] = np.append(moved, len(texts))[columns["pattern"]]
    merged: tuple[Columns, Tables] = merge_columns((columns, tables), added)
    return {**pattern_arrays(Texts.of(texts), anchors, sketch), **table_arrays(*merged, len(texts))}


def _gathered(facts: Iterable[MatchFact]) -> Gathered:
    gathered, remaining = Gathered(), iter(facts)
    while some := list(islice(remaining, _TOGETHER)):
        gathered.add(some)
    return gathered


def _merge_patterns(known: Texts, used: Array, wanted: Iterable[str]) -> tuple[list[str], Array, list[str], list[str]]:
    """All texts now, the new number of each known one (-1 when gone), those that are gone, and those that are new."""
    before = known.all()
    is_used = np.zeros(len(before) + 1, dtype=bool)
    is_used[used] = True
    asked = set(wanted)
    kept = [text for text, flag in zip(before, is_used.tolist(), strict=False) if flag or text in asked]
    new = sorted(asked.difference(before))
    texts = sorted([*kept, *new]) if new else kept
    numbers = {text: number for number, text in enumerate(texts)}
    moved = np.array([numbers.get(text, -1) for text in before], dtype=np.int64)
    return texts, moved, [text for text in before if text not in numbers], new
