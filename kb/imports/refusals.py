"""What stops a whole import before anything changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from kb.records.problems import Problem
from kb.records.text import clean_text

__all__ = ["Canceled", "Held", "Refusal"]


class Refusal(Exception):
    """The import does not happen. ``code`` is a problem code of :mod:`kb.records.problems`, ``origin`` the place.

    The text names the file, the rule and what was found, and is meant for the person who ran the import. Names of files
    and values can hold what no database stores and no terminal prints, so both texts are cleaned here. ``outcome`` is
    that of the import's report.
    """

    outcome: Literal["refused", "held", "canceled"] = "refused"

    def __init__(self, code: str, origin: str, message: str) -> None:
        self.code = code
        self.origin, _ = clean_text(origin)
        self.message, _ = clean_text(message)
        lead = f"{self.origin}: " if origin else ""
        super().__init__(f"{lead}{self.message} [{code}]")

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Self:
        """The refusal of a document for the first error among its problems; warnings before it refuse nothing."""
        first = next((problem for problem in problems if problem.severity == "error"), problems[0])
        return cls(first.code, first.origin, f"{first.path}: {first.message} {first.value}".strip())


class Held(Refusal):
    """The source is sound, but so much would go that somebody must confirm it."""

    outcome = "held"

    def __init__(self, message: str) -> None:
        super().__init__("held", "", message)


class Canceled(Refusal):
    """Somebody asked the import to stop. A progress reporter raises it between two steps."""

    outcome = "canceled"

    def __init__(self, message: str = "the import was canceled; nothing of it was published") -> None:
        super().__init__("canceled", "", message)
