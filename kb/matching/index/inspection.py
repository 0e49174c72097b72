"""A match index against the records that it was made of: how many, which ids, and single records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from kb.catalog.answers import MatchFact
from kb.matching.index.files import read_arrays
from kb.matching.index.match_index import MatchIndex
from kb.matching.index.open import match_root, open_index
from kb.matching.index.tables import Facts, message_key

__all__ = ["MatchInspection"]

_MOST_NUMBER: Final = 0xFFFFFFFF
_MOST_QUALITY: Final = 0xFF


class MatchInspection:
    """The match index of exactly one revision. Raises ``SearchUnavailable`` when it has none that can be used."""

    def __init__(self, revision: int, *, directory: Path | None = None) -> None:
        self._index: MatchIndex = open_index(revision, directory=directory)
        # A copy in order: the index orders its rows by pattern.
        self._ids = np.sort(read_arrays(match_root(directory) / str(revision))["row.id"])

    @property
    def records(self) -> int:
        """How many records it holds."""
        return len(self._ids)

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Those of some ids that it does not hold exactly once."""
        wanted = np.array([int(record_id, 16) for record_id in ids], dtype=np.uint64)
        held = np.searchsorted(self._ids, wanted, side="right") - np.searchsorted(self._ids, wanted, side="left")
        return [record_id for record_id, count in zip(ids, held.tolist(), strict=True) if count != 1]

    def differs(self, fact: MatchFact) -> bool:
        """Whether it holds a record otherwise than it is."""
        rows = self._index.by_id(fact.id)
        if len(rows) != 1:
            return True
        held = self._index.facts(int(rows[0]))
        wanted = {
            "code": fact.code or None,
            "repo": fact.repo,
            "line": min(max(fact.line or 0, 0), _MOST_NUMBER) or None,
            "function": fact.function,
            "status": fact.status,
            "language": fact.language,
            "group": fact.group,
            "quality": min(max(fact.quality, 0), _MOST_QUALITY),
            "message_key": message_key(fact.message),
        }
        return any(getattr(held, name) != value for name, value in wanted.items()) or self._lacks_pattern(held, fact)

    def _lacks_pattern(self, held: Facts, fact: MatchFact) -> bool:
        return held.pattern >= 0 and self._index.pattern_text(held.pattern) != fact.pattern
