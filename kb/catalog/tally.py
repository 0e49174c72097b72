"""What a publication did, for the report of the import."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["KINDS", "Tally"]

KINDS = ("added", "changed", "reanalysed", "restored", "retired")
_SAMPLE = 50


@dataclass(kw_only=True)
class Tally:
    """What a publication did: counts by kind of change, and the first few ids of each."""

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    samples: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    repositories: dict[str, dict[str, int]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    hidden: dict[str, int] = field(default_factory=dict)  # copies that wait, by the dataset whose copy is shown

    def add(self, kind: str, record_id: str, repo: str) -> None:
        """Counts one change."""
        self.counts[kind] += 1
        here = self.repositories.setdefault(repo, {})
        here[kind] = here.get(kind, 0) + 1
        if len(self.samples[kind]) < _SAMPLE:
            self.samples[kind].append((record_id, repo))

    @property
    def total(self) -> int:
        """How many records changed for a reader."""
        return sum(self.counts.values())
