"""What can go wrong in a search, for callers to catch."""

from __future__ import annotations

__all__ = ["BadSearchCursor", "SearchCursorExpired", "SearchUnavailable"]


class SearchUnavailable(Exception):
    """There is no index that can answer: never built, missing, damaged, or made by another version of this program.

    ``reason`` is one sentence for an operator; it names no path outside the index's own folder.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BadSearchCursor(ValueError):
    """A cursor that no answer to this query gave."""


class SearchCursorExpired(BadSearchCursor):
    """A cursor into a revision whose index is gone: start again at the first page."""
