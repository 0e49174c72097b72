"""The language of the site, one for all its pages (``KB_LANGUAGE``); what programs read is in English.

Nothing speaks the language of the site unless it asks here: outside, ``gettext`` returns the English it was given.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from django.conf import settings
from django.utils import translation

import kb

__all__ = ["ENGLISH", "in_english", "in_site_language", "language_version", "site_language"]

ENGLISH: Final = "en"
_P = ParamSpec("_P")
_R = TypeVar("_R")


def site_language() -> translation.override:
    """A context in which texts are in the language of the site."""
    return translation.override(settings.KB_LANGUAGE)


def in_site_language(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """``make``, its texts in the language of the site."""
    return _speaking(make, lambda: str(settings.KB_LANGUAGE))


def in_english(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """``make``, its texts in English even when a page asks for it: what it makes is copied and read elsewhere."""
    return _speaking(make, lambda: ENGLISH)


def _speaking(make: Callable[_P, _R], language: Callable[[], str]) -> Callable[_P, _R]:
    # Django's override as a decorator is one object for all threads, and each would undo the language of another.
    @functools.wraps(make)
    def speak(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with translation.override(language()):
            return make(*args, **kwargs)

    return speak


@cache
def language_version() -> str:
    """The language of the site with a digest of its messages: what a kept answer or part depends on."""
    total = hashlib.sha256()
    folders = [Path(kb.__file__).with_name("locale"), *map(Path, settings.LOCALE_PATHS)]
    for folder in folders:
        for path in sorted(folder.glob("*/LC_MESSAGES/django.mo")):
            total.update(path.read_bytes())
    return f"{settings.KB_LANGUAGE} {total.hexdigest()[:16]}"
