"""Annotations of GitHub Actions: lines that the runner reads from the output of a step."""

from __future__ import annotations

from collections.abc import Iterable

from kb.present.invisible import visible_text

__all__ = ["annotation"]


def annotation(level: str, properties: Iterable[tuple[str, str]], message: str) -> str:
    """One command with its line break; ``level`` is error, warning or notice. No text can begin another command."""
    told = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{level} {told}::{_data(message)}\n"


def _data(text: str) -> str:
    """Text of a command; the runner undoes it."""
    return visible_text(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
