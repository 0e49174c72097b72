"""What a check finds, and how far it goes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Cure", "Fault", "Scope"]

Cure = Literal["mended", "repair", "none"]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is not as it should be.

    ``subject`` is what it was found at: a record's id, the key of a term, the number of a release. ``cure`` says
    whether it was mended just now, can be by ``--repair``, or neither; then ``message`` says what helps.
    """

    check: str
    subject: str
    message: str
    cure: Cure


def _silent(_count: int) -> None:
    """Nobody waits."""


@dataclass(kw_only=True)
class Scope:
    """How far checks go. ``share`` of the records have their derived columns made again, chosen by ``chance``.

    With ``mend`` the caller has a transaction open and holds the import lock. ``shown`` becomes true when something
    was mended that pages, answers or indexes are made from.
    """

    mend: bool = False
    share: float = 1.0
    chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311 - a sample, no secret
    advance: Callable[[int], None] = _silent
    shown: bool = False

    @property
    def cure(self) -> Cure:
        """The cure of what can be mended."""
        return "mended" if self.mend else "repair"

    def fault(self, check: str, subject: str, message: str, *, curable: bool = True) -> Fault:
        """A fault found; one that is ``curable`` is mended by its finder when the scope says so."""
        return Fault(check=check, subject=subject, message=message, cure=self.cure if curable else "none")
