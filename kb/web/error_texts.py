"""Whether the words of a search are a pasted error, which the explain page reads better. Pure, linear in the text."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["looks_like_an_error"]

_LONG: Final = 90  # characters: nobody types so many words to search for
_MOST: Final = 4_000  # characters that are looked at
_CLASS: Final = re.compile(r"[A-Za-z_][\w.$]{0,80}(?:Error|Exception|Warning|Fault|Failure|Panic|Exit)\b\s?[:(]\s?\S")
_ANY_CLASS: Final = re.compile(r"[A-Z]\w{2,60}: \S+ \S+ \S")
_TRACE: Final = re.compile(
    r"""Traceback\ \(most|\bFile\ "[^"\n]{1,300}",\ line\ [0-9]|\bat\ [^\n]{1,200}:[0-9]{1,7}\)?(?:\s|$)|\bCaused\ by:
    |\bpanicked\ at\b|\bpanic:\ |\bgoroutine\ [0-9]{1,9}\ \[|\berror\[E[0-9]{4}\]|\bUncaught\b|\bterminate\ called\b
    |\bException\ in\ thread\b|\bUnhandledPromiseRejection|\bnpm\ ERR!|\bfatal(?:\ error)?:\ \S
    |\b[A-Z]{2,20}:\ [a-z]\S*\ \S|\[Errno\ -?[0-9]{1,4}\]|\berror:\ \S+\ \S""",
    re.VERBOSE,
)
_FILTER: Final = re.compile(
    r"(?:repo|code|class|language|severity|type|strategy|family|tag|file|http|status):\S", re.IGNORECASE
)


def looks_like_an_error(words: str) -> bool:
    """Whether to offer the explanation of ``words``; not when they use the language of searches."""
    text = words.strip()[:_MOST]
    if _FILTER.match(text):
        return False
    return len(text) >= _LONG or any(form.search(text) for form in (_CLASS, _ANY_CLASS, _TRACE))
