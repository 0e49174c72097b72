"""Numbers for people, grouped as the language that is spoken groups them."""

from __future__ import annotations

from functools import cache

from django.utils.formats import get_format

from kb.present.language import ENGLISH, spoken

__all__ = ["grouped"]


def grouped(number: int) -> str:
    """``498785`` as ``498,785`` in English, ``498.785`` in German."""
    text = f"{number:,}"
    language = spoken()
    if language in {"", ENGLISH} or "," not in text:
        return text
    return text.replace(",", _separator(language))


@cache
def _separator(language: str) -> str:
    return str(get_format("THOUSAND_SEPARATOR", lang=language))
