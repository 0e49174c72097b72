"""What stops a whole import before anything changes."""

from __future__ import annotations

__all__ = ["Refusal"]


class Refusal(Exception):
    """The import does not happen. ``code`` is a problem code of :mod:`kb.records.problems`, ``origin`` the place.

    The text names the file, the rule and what was found, and is meant for the person who ran the import.
    """

    def __init__(self, code: str, origin: str, message: str) -> None:
        super().__init__(f"{origin}: {message} [{code}]" if origin else f"{message} [{code}]")
        self.code = code
        self.origin = origin
        self.message = message
