"""The language of the site, one for all its pages (``KB_LANGUAGE``); what programs read is in English.

Nothing speaks the language of the site unless it asks here: outside, ``gettext`` returns the English it was given.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from django.conf import settings
from django.utils import translation

import kb

__all__ = [
    "ENGLISH",
    "gettext",
    "in_english",
    "in_site_language",
    "language_version",
    "pgettext",
    "site_language",
    "spoken",
]

ENGLISH: Final = "en"
_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default="")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def site_language() -> AbstractContextManager[None]:
    """A context in which texts are in the language of the site."""
    return _speaking(settings.KB_LANGUAGE)


def spoken() -> str:
    """The language of the innermost context made here; empty outside. Faster than to ask Django."""
    return _SPOKEN.get()


def in_site_language(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """``make``, its texts in the language of the site."""
    return _in_language(make, lambda: str(settings.KB_LANGUAGE))


def in_english(make: Callable[_P, _R]) -> Callable[_P, _R]:
    """``make``, its texts in English even when a page asks for it: what it makes is copied and read elsewhere."""
    return _in_language(make, lambda: ENGLISH)


def gettext(message: str) -> str:
    """Django's, kept: for the words that a page has dozens of."""
    language = _SPOKEN.get()
    return _kept(language, message, None) if language else translation.gettext(message)


def pgettext(context: str, message: str) -> str:
    """Django's, kept."""
    language = _SPOKEN.get()
    return _kept(language, message, context) if language else translation.pgettext(context, message)


@cache
def _kept(_language: str, message: str, context: str | None) -> str:
    return translation.gettext(message) if context is None else translation.pgettext(context, message)


@contextmanager
def _speaking(language: str) -> Iterator[None]:
    if _SPOKEN.get() == language:
        yield
        return
    outer = _SPOKEN.set(language)
    try:
        with translation.override(language):
            yield
    finally:
        _SPOKEN.reset(outer)


def _in_language(make: Callable[_P, _R], language: Callable[[], str]) -> Callable[_P, _R]:
    # Django's override as a decorator is one object for all threads, and each would undo the language of another.
    @functools.wraps(make)
    def speak(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with _speaking(language()):
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
