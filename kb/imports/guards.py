"""What holds an import back although its source is sound. Pure: the limits are here, and tested without a database.

A dataset that shrinks by more than a small part is more often a broken export than a wish, so it waits until somebody
confirms it. An older version never replaces a newer one by itself, nor does a version that was taken back come again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

__all__ = ["DATASET_SHARE", "LEAST_GONE", "REPOSITORY_SHARE", "is_older", "shrinkage"]

DATASET_SHARE: Final = 0.02
"""The part of a dataset's records beyond which their loss must be confirmed."""
REPOSITORY_SHARE: Final = 0.2
"""The part of a repository's records beyond which their loss must be confirmed."""
LEAST_GONE: Final = 10
"""So many records must be gone for a part to mean anything: one of three is no sign of a fault."""
_NAMED = 5


def shrinkage(gone: Mapping[str, int], held: Mapping[str, int]) -> str:
    """What makes a loss too large, as a sentence; empty when it is not. Both map a repository to its records."""
    lost, had = sum(gone.values()), sum(held.values())
    if lost < LEAST_GONE:
        return ""
    if lost > DATASET_SHARE * had:
        return (
            f"{lost:,} of the dataset's {had:,} records are gone ({_percent(lost, had)}; "
            f"more than {DATASET_SHARE:.0%} must be confirmed){_worst(gone, held)}"
        )
    large = {repo for repo, n in gone.items() if n >= LEAST_GONE and n > REPOSITORY_SHARE * held.get(repo, 0)}
    if large:
        return f"more than {REPOSITORY_SHARE:.0%} of a repository is gone{_worst({r: gone[r] for r in large}, held)}"
    return ""


def _worst(gone: Mapping[str, int], held: Mapping[str, int]) -> str:
    named = sorted(gone, key=lambda repo: (-gone[repo], repo))[:_NAMED]
    more = f" and {len(gone) - _NAMED:,} more repositories" if len(gone) > _NAMED else ""
    return ": " + ", ".join(f"{repo} loses {gone[repo]:,} of {held.get(repo, 0):,}" for repo in named) + more


def _percent(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.1%}"


def is_older(version: str, held: str) -> bool:
    """Whether a dataset version comes before the one that is held. Versions are times; others compare as texts."""
    if not version or not held:
        return False
    try:
        return _moment(version) < _moment(held)
    except ValueError:
        return version < held


def _moment(version: str) -> datetime:
    found = datetime.fromisoformat(version)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
