"""What stops a whole import before anything changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from kb.records.problems import Problem
from kb.records.text import clean_text

__all__ = ["Refusal"]


class Refusal(Exception):
    """The import does not happen. ``code`` is a problem code of :mod:`kb.records.problems`, ``origin`` the place.

    The text names the file, the rule and what was found, and is meant for the person who ran the import. Names of files
    and values can hold what no database stores and no terminal prints, so both texts are cleaned here.
    """

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
